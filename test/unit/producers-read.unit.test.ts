import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { lookupRecord } from '../../producers/kafka-records.js';
import { eachMessage, messageReader, type ForeignRecord } from '../../producers/read-messages.js';
import type { LookupRequested } from '../../src/contracts/generated.js';
import { createSeenEvents } from '../../src/contracts/seen-events.js';

function asked(toolCallId: string, runId = 'run-1'): ForeignRecord {
  const { topic, partition, value } = lookupRecord(
    { runId, toolCallId, query: 'q' },
    { partitions: 2, now: 1 },
  );
  return { topic, partition, offset: '0', value };
}

describe('messageReader', () => {
  it('hands each event to its handler once, however often it comes', async () => {
    const calls: string[] = [];
    const read = messageReader({ 'lookup-requested.v1': (message) => void calls.push(message.toolCallId) });
    for (const record of [asked('a'), asked('b'), asked('a'), asked('b')]) await read(record);
    expect(calls).toEqual(['a', 'b']);
  });

  it('hands it over again when the handler threw: what failed is no repeat', async () => {
    const handler = vi
      .fn<(message: LookupRequested) => Promise<void>>()
      .mockRejectedValueOnce(new Error('disk full'))
      .mockResolvedValue();
    const read = messageReader({ 'lookup-requested.v1': handler });
    await expect(read(asked('a'))).rejects.toThrow('disk full');
    await read(asked('a'));
    await read(asked('a'));
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it('passes over tombstones, topics of others and topics without a handler', async () => {
    const handler = vi.fn();
    const read = messageReader({ 'verified.v1': handler });
    await read({ ...asked('a'), topic: 'proofline.verified.v1', value: null });
    await read({ ...asked('a'), topic: 'somebody.else' });
    await read(asked('a'));
    expect(handler).not.toHaveBeenCalled();
  });

  it('tells of what cannot be decoded and goes on, or throws where nobody wants to be told', async () => {
    const record = { ...asked('a'), value: Buffer.from('no record') };
    const onUnreadable = vi.fn();
    const read = messageReader({ 'lookup-requested.v1': vi.fn() }, { onUnreadable });
    await read(record);
    expect(onUnreadable).toHaveBeenCalledWith(
      record,
      expect.objectContaining({ code: 'PL_RECORD_UNDECODABLE' }),
    );
    await expect(messageReader({ 'lookup-requested.v1': vi.fn() })(record)).rejects.toThrow();
  });

  it('serves as eachMessage of kafkajs, with the topics as they are named there', async () => {
    const calls: string[] = [];
    const each = eachMessage(
      { 'lookup-requested.v1': ({ query }) => void calls.push(query) },
      { topicPrefix: 'mine.' },
    );
    const { value } = asked('a');
    await each({ topic: 'mine.lookup-requested.v1', partition: 0, message: { offset: '0', value } });
    await each({ topic: 'proofline.lookup-requested.v1', partition: 0, message: { offset: '0', value } });
    expect(calls).toEqual(['q']);
  });
});

describe('createSeenEvents', () => {
  it('forgets the run that was quiet for longest, and of a run its oldest event', () => {
    const seen = createSeenEvents({ runs: 2, eventsPerRun: 2 });
    seen.add('1', 'a');
    seen.add('1', 'b');
    seen.add('2', 'a');
    seen.add('1', 'c');
    expect(seen.has('1', 'b')).toBe(false);
    expect(seen.has('1', 'a')).toBe(true);
    seen.add('3', 'a');
    expect([seen.has('1', 'a'), seen.has('2', 'a'), seen.has('3', 'a')]).toEqual([false, true, true]);
  });

  it('knows what was added, while it has room', () => {
    const events = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 3 })));
    fc.assert(
      fc.property(events, (added) => {
        const seen = createSeenEvents({ runs: 4, eventsPerRun: 10 });
        for (const [event, run] of added) seen.add(`${event}`, `${run}`);
        for (let event = 0; event < 10; event++)
          for (let run = 0; run < 4; run++)
            expect(seen.has(`${event}`, `${run}`)).toBe(added.some(([e, r]) => e === event && r === run));
      }),
    );
  });
});
