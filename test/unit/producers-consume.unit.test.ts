import { afterEach, describe, expect, it } from 'vitest';
import { clientOver, publishVerified, type VerifiedReport } from '../../producers/kafka.js';
import { createCodec } from '../../src/contracts/codec.js';
import type { VerifiedDraft } from '../../src/contracts/generated.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { fallbackOf, verifiedDraft } from '../support/verified.js';
import { createGate, waitUntil } from '../support/wait.js';

afterEach(closeBuses);

const codec = createCodec();
function openClient() {
  const bus = openBus();
  const emitter: Emitter = { station: 'review', codec, partitions: 2, prefix: 'proofline.', now: Date.now };
  return {
    bus,
    client: clientOver(bus, codec, 'proofline.'),
    emit: (...messages: VerifiedDraft[]) =>
      bus.append(messages.map((message) => encodeRecord(emitter, 'verified.v1', message))),
  };
}

describe('consume', () => {
  it('gives what lies in the topic and what comes, each event once', async () => {
    const { client, emit } = openClient();
    await emit(verifiedDraft('1', 'run-1'), verifiedDraft('1', 'run-1'));
    const seen: string[] = [];
    client.consume({ group: 'site', handlers: { 'verified.v1': ({ runId }) => void seen.push(runId) } });
    await waitUntil('the first is there', () => seen.length === 1);
    await emit(verifiedDraft('1', 'run-1'), verifiedDraft('2', 'run-2'));
    await waitUntil('the second is there', () => seen.includes('run-2'));
    expect(seen.sort()).toEqual(['run-1', 'run-2']);
  });

  it('gives what a handler threw for again, and not what came before it', async () => {
    const { client, emit } = openClient();
    await emit(verifiedDraft('1', 'run-1'), verifiedDraft('2', 'run-1'), verifiedDraft('3', 'run-1'));
    const seen: string[] = [];
    const errors: unknown[] = [];
    client.consume({
      group: 'site',
      handlers: {
        'verified.v1': ({ eventId }) => {
          seen.push(eventId.slice(-1));
          if (seen.length === 2) throw new Error('disk full');
        },
      },
      onError: (error) => void errors.push(error),
    });
    await waitUntil('all are there', () => seen.length === 4);
    expect(seen).toEqual(['1', '2', '2', '3']);
    expect(errors).toHaveLength(1);
  });

  it('goes on where the group stopped', async () => {
    const { bus, client, emit } = openClient();
    await emit(verifiedDraft('1', 'run-1'));
    const seen: string[] = [];
    const handlers = { 'verified.v1': ({ eventId }: VerifiedDraft) => void seen.push(eventId.slice(-1)) };
    const first = client.consume({ group: 'site', handlers });
    await waitUntil('the first is there', () => seen.length === 1);
    await first.stop();
    await emit(verifiedDraft('2', 'run-1'));
    clientOver(bus, codec, 'proofline.').consume({ group: 'site', handlers });
    await waitUntil('the second is there', () => seen.length === 2);
    expect(seen).toEqual(['1', '2']);
  });

  it('stops between two messages', async () => {
    const { bus, client, emit } = openClient();
    await emit(verifiedDraft('1', 'run-1'), verifiedDraft('2', 'run-1'));
    const [begun, goOn] = [createGate(), createGate()];
    const consumption = client.consume({
      group: 'site',
      handlers: {
        'verified.v1': async () => {
          begun.open();
          await goOn.opened;
        },
      },
    });
    await begun.opened;
    const stopped = consumption.stop();
    goOn.open();
    await stopped;
    const offsets = await Promise.all([0, 1].map((each) => bus.committed('site', 'verified.v1', each)));
    expect(offsets.filter((each) => each !== null)).toEqual([1]);
  });
});

describe('publishVerified', () => {
  it('publishes reports, tells of fallbacks, and gives what replaces one', async () => {
    const published: VerifiedReport[] = [];
    const fellBack: VerifiedDraft[] = [];
    const handle = publishVerified({
      publish: (report) => void published.push(report),
      fallback: (outcome) => void fellBack.push(outcome),
    });
    const first = fallbackOf('1', 'run-1');
    await handle(first);
    await handle(verifiedDraft('2', 'run-1', { replaces: first.eventId }));
    expect(fellBack).toEqual([first]);
    expect(published.map(({ replaces }) => replaces)).toEqual([first.eventId]);
  });

  it('never publishes what is not proven, though it came with a draft', async () => {
    const published: VerifiedReport[] = [];
    const handle = publishVerified({ publish: (report) => void published.push(report) });
    await handle({ ...fallbackOf('1', 'run-1'), draft: verifiedDraft('9', 'run-9').draft });
    await handle({ ...verifiedDraft('2', 'run-2'), draft: null });
    expect(published).toEqual([]);
  });
});
