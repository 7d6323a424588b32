import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient, type Client, type VerifiedEvent } from '../../src/client/index.js';
import type { VerifiedDraft } from '../../src/contracts/generated.js';
import { newToken } from '../../src/gateway/tokens.js';
import { encodeRecord } from '../../src/station/envelope.js';
import { closeGateways, openRaw, openTestGateway, type TestGateway } from '../support/gateway.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { fallbackOf, verifiedDraft } from '../support/verified.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeGateways();
  removeTempFolders();
});

async function emit({ line }: TestGateway, ...messages: readonly VerifiedDraft[]): Promise<void> {
  await line.bus.append(messages.map((message) => encodeRecord(line.emitter, 'verified.v1', message)));
}

async function take(client: Client, count: number, lastEventId?: string): Promise<VerifiedEvent[]> {
  const taken: VerifiedEvent[] = [];
  for await (const each of client.verified(lastEventId === undefined ? {} : { lastEventId }))
    if (taken.push(each) === count) break;
  return taken;
}

const runs = (taken: readonly VerifiedEvent[]): string[] =>
  taken.map(({ verified }) => verified.runId).sort();

describe('the stream of verified drafts', () => {
  it('gives what is kept and what comes, of all runs', async () => {
    const gateway = await openTestGateway();
    await emit(gateway, verifiedDraft('1', 'run-1'), fallbackOf('2', 'run-2'));
    const taking = take(createClient({ url: gateway.url }), 3);
    await emit(gateway, verifiedDraft('3', 'run-2', { replaces: fallbackOf('2', 'run-2').eventId }));
    const taken = await taking;
    expect(runs(taken)).toEqual(['run-1', 'run-2', 'run-2']);
    // In order within a run: what replaces something comes after it.
    const ofRun2 = taken.filter(({ verified }) => verified.runId === 'run-2');
    expect(ofRun2.map(({ verified }) => verified.outcome)).toEqual(['FALLBACK', 'VERIFIED']);
    expect(ofRun2[1]?.verified.replaces).toBe(ofRun2[0]?.verified.eventId);
  });

  it('goes on after the place that a reader names, wherever in the partitions that is', async () => {
    const gateway = await openTestGateway();
    const all = Array.from({ length: 12 }, (_, i) => verifiedDraft(String(i), `run-${i}`));
    await emit(gateway, ...all);
    const client = createClient({ url: gateway.url });
    const first = await take(client, 5);
    const rest = await take(client, 7, first.at(-1)?.id);
    expect(runs([...first, ...rest])).toEqual(all.map(({ runId }) => runId).sort());
  });

  it.each(['', 'nonsense', '00000000.5-5', '12345678.99999999999999999999-1', 'ffffffff.-1'])(
    'begins anew for the place %j, which is none of these logs',
    async (place) => {
      const gateway = await openTestGateway();
      await emit(gateway, verifiedDraft('1', 'run-1'));
      expect(runs(await take(createClient({ url: gateway.url }), 1, place))).toEqual(['run-1']);
    },
  );

  it('shows a token the runs that it is for, and nobody without one anything', async () => {
    const tokens = join(tempFolder(), 'tokens.json');
    const made = newToken({ name: 'publisher', scopes: ['read'], runs: ['site-*'] }, Date.now());
    const lookupOnly = newToken({ name: 'agent', scopes: ['lookup'], runs: ['*'] }, Date.now());
    writeFileSync(tokens, JSON.stringify({ format: 1, tokens: [made.row, lookupOnly.row] }));
    const gateway = await openTestGateway({ gateway: { tokens } });
    await emit(
      gateway,
      verifiedDraft('1', 'run-1'),
      verifiedDraft('2', 'site-1'),
      verifiedDraft('3', 'run-2'),
    );
    await emit(gateway, verifiedDraft('4', 'site-2'));
    const { url } = gateway;
    expect(runs(await take(createClient({ url, token: made.token }), 2))).toEqual(['site-1', 'site-2']);
    await expect(take(createClient({ url }), 1)).rejects.toMatchObject({ code: 'PL_UNAUTHENTICATED' });
    const agent = createClient({ url, token: lookupOnly.token });
    await expect(take(agent, 1)).rejects.toMatchObject({ code: 'PL_FORBIDDEN' });
  });

  it('does not gather what a reader does not take, and still gives it all when it reads on', async () => {
    const gateway = await openTestGateway();
    const limitations = ['x'.repeat(500_000)];
    const large = { analysis: [], conclusion: null, actionPlan: [], limitations };
    const all = Array.from({ length: 20 }, (_, i) => verifiedDraft(String(i), `run-${i}`, { draft: large }));
    await emit(gateway, ...all);
    const reader = openRaw(gateway, `GET /v1/verified HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
    reader.socket.pause();
    // What comes later waits behind the reader, and nobody else does.
    expect(await take(createClient({ url: gateway.url }), 20)).toHaveLength(20);
    expect(reader.received().length).toBeLessThan(10_000_000);
    reader.socket.resume();
    await waitUntil('all came', () => reader.received().split('event: verified').length === 21);
    reader.socket.destroy();
  });

  it('ends when the process is to end, so that its readers go to another', async () => {
    const gateway = await openTestGateway();
    await emit(gateway, verifiedDraft('1', 'run-1'));
    const reader = openRaw(gateway, `GET /v1/verified HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
    await waitUntil('it came', () => reader.received().includes('run-1'));
    await gateway.drain();
    // The end of a chunked body.
    await waitUntil('it is over', () => reader.received().endsWith('0\r\n\r\n'));
  });
});
