import { describe, expect, it } from 'vitest';
import { boundedCalls } from '../../src/mcp/bounded-calls.js';
import { createGate } from '../support/wait.js';

const LONG = { ms: 60_000, signal: new AbortController().signal };

describe('bounded calls', () => {
  it('gives a place that is given up to who waits longest', async () => {
    const calls = boundedCalls({ atOnce: 1, queued: 9 });
    const gate = createGate();
    const order: number[] = [];
    const run = (n: number) =>
      calls.run(async () => {
        await gate.opened;
        order.push(n);
      }, LONG);
    const all = Promise.all([1, 2, 3].map(run));
    gate.open();
    await all;
    expect(order).toEqual([1, 2, 3]);
  });

  it('keeps the place of work that nobody waits for any more, until it ends', async () => {
    const calls = boundedCalls({ atOnce: 1, queued: 9 });
    const gate = createGate();
    expect(await calls.run(() => gate.opened, { ...LONG, ms: 1 })).toEqual({ kind: 'late', begun: true });
    expect(await calls.run(() => Promise.resolve(2), { ...LONG, ms: 1 })).toEqual({
      kind: 'late',
      begun: false,
    });
    const next = calls.run(() => Promise.resolve(3), LONG);
    gate.open();
    expect(await next).toEqual({ kind: 'done', value: 3 });
  });

  it('lets who is cancelled while waiting leave the queue, and passes the place on', async () => {
    const calls = boundedCalls({ atOnce: 1, queued: 2 });
    const gate = createGate();
    const first = calls.run(() => gate.opened, LONG);
    const cancelling = new AbortController();
    const second = calls.run(() => Promise.resolve(2), { ms: 60_000, signal: cancelling.signal });
    const third = calls.run(() => Promise.resolve(3), LONG);
    expect(await calls.run(() => Promise.resolve(4), LONG)).toEqual({ kind: 'busy' });
    cancelling.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    gate.open();
    expect(await third).toEqual({ kind: 'done', value: 3 });
    await first;
    await calls.idle();
  });

  it('gives the place back when the work fails', async () => {
    const calls = boundedCalls({ atOnce: 1, queued: 0 });
    await expect(calls.run(() => Promise.reject(new Error('no')), LONG)).rejects.toThrow('no');
    expect(await calls.run(() => Promise.resolve('yes'), LONG)).toEqual({ kind: 'done', value: 'yes' });
  });

  it('loses no place when the turn comes in the same moment as the end of the wait', async () => {
    const calls = boundedCalls({ atOnce: 1, queued: 9 });
    for (let i = 0; i < 50; i++) {
      const gate = createGate();
      const cancelling = new AbortController();
      const first = calls.run(() => gate.opened, LONG);
      const second = calls.run(() => Promise.resolve(2), { ms: 60_000, signal: cancelling.signal });
      second.catch(() => undefined);
      gate.open();
      for (let j = 0; j < i % 5; j++) await Promise.resolve();
      cancelling.abort(new Error('gone'));
      await Promise.allSettled([first, second]);
    }
    expect(await calls.run(() => Promise.resolve('free'), LONG)).toEqual({ kind: 'done', value: 'free' });
  });
});
