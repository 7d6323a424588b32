import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLaneClaim, type LaneClaim } from '../../src/bus/kafka/lane-claim.js';
import type { LogReader } from '../../src/bus/kafka/log-reader.js';

const TOPIC = 'raw-hits.v1';

describe('the claim of a lane on its logs', () => {
  let committed: number | null;
  let asked: number;
  const log = {
    committed: () => {
      asked += 1;
      return Promise.resolve(committed);
    },
    bounds: () => Promise.resolve({ low: 0, end: 90 }),
  } as unknown as LogReader;

  beforeEach(() => {
    [committed, asked] = [7, 0];
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  function open(at: number | null = 7): LaneClaim {
    return createLaneClaim({ log, group: 'g', partition: 0, committed: new Map([[TOPIC, at]]) });
  }

  /** What became of it, once the clock has gone on for as long as it waits. */
  async function confirmed(claim: LaneClaim): Promise<unknown> {
    const answer = claim.confirm([TOPIC]).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5000);
    return answer;
  }

  test('given a log that was seen lately, nobody is asked', async () => {
    const claim = open();
    vi.advanceTimersByTime(60_000);
    claim.seen(TOPIC, performance.now());
    expect([await confirmed(claim), asked]).toEqual([undefined, 0]);
  });

  test('given a log that was out of sight and is still there, the lane goes on, and does not ask again at once', async () => {
    const claim = open();
    vi.advanceTimersByTime(60_000);
    await claim.confirm([TOPIC]);
    await claim.confirm([TOPIC]);
    expect(asked).toBe(1);
  });

  test.each(['was out of sight', 'was not to be found'])(
    'given a log that %s and has lost the offset since, the lane stops',
    async (what) => {
      const claim = open();
      if (what === 'was out of sight') vi.advanceTimersByTime(60_000);
      else claim.lost(TOPIC);
      committed = null;
      expect(await confirmed(claim)).toMatchObject({
        code: 'PL_OFFSET_LOST',
        params: { group: 'g', topic: TOPIC, partition: 0, offset: 7, low: 0, end: 90 },
      });
    },
  );

  test('given an offset that the broker shows a moment later, it waits for it', async () => {
    const claim = open();
    claim.moved({ [TOPIC]: 9 });
    claim.lost(TOPIC);
    setTimeout(() => (committed = 9), 1000);
    expect(await confirmed(claim)).toBe(undefined);
    expect(asked).toBeGreaterThan(1);
  });

  test('given a group that never committed, nothing can be told', async () => {
    const claim = open(null);
    claim.lost(TOPIC);
    expect([await confirmed(claim), asked]).toEqual([undefined, 0]);
  });
});
