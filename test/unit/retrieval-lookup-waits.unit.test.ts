import { describe, expect, it } from 'vitest';
import type { SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { createLookupWaits, MAX_WAIT_MS } from '../../src/retrieval/lookup-waits.js';

const down: SearchOutcome = { kind: 'down', problem: 'the connection is refused', retryAfterMs: null };
const hits: SearchOutcome = { kind: 'hits', hits: [], trace: {} };

describe('how long a lookup waits for a retriever that is down', () => {
  it('given less than fifteen minutes, it goes on waiting', () => {
    const waits = createLookupWaits();
    expect(waits.settle('run/call', down, 1_000)).toEqual(down);
    expect(waits.settle('run/call', down, 1_000 + MAX_WAIT_MS - 1)).toEqual(down);
    expect(waits.waiting).toBe(1);
  });

  it('given fifteen minutes, it has failed, and may be asked as a new lookup', () => {
    const waits = createLookupWaits();
    waits.settle('run/call', down, 1_000);
    const outcome = waits.settle('run/call', down, 1_000 + MAX_WAIT_MS);
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'PL_RETRIEVAL_FAILED', retryable: true },
    });
    expect(JSON.stringify(outcome)).toContain('900 s (the connection is refused)');
    expect(waits.waiting).toBe(0);
  });

  it('counts every lookup by itself, and anew after an answer', () => {
    const waits = createLookupWaits(100);
    waits.settle('a', down, 0);
    waits.settle('b', down, 90);
    expect(waits.settle('b', down, 110).kind).toBe('down');
    expect(waits.settle('a', hits, 110)).toBe(hits);
    expect(waits.settle('a', down, 120).kind).toBe('down');
    expect(waits.waiting).toBe(2);
  });

  it('given a Retry-After beyond the limit, does not wait that long', () => {
    const waits = createLookupWaits(100);
    waits.settle('a', down, 0);
    expect(waits.settle('a', { ...down, retryAfterMs: 5_000 }, 60)).toMatchObject({ retryAfterMs: 40 });
  });
});
