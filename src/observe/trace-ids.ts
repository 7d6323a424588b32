import { randomFillSync } from 'node:crypto';
import { sha256 } from '../contracts/digest.js';

/**
 * Ids of traces and spans. A trace that nobody brought begins at a door, and its id is derived from the run: so a
 * run's lookups and its drafts lie in one trace, whichever process first saw each, and also after a crash. Span ids
 * are random: what is done twice is two spans.
 */
export interface TraceIds {
  /** The next trace to begin is this run's; null: it is nobody's, and gets a random id. */
  begin(runId: string | null): void;
  /** For a generator of ids. */
  generateTraceId(): string;
  generateSpanId(): string;
}

/** @param scope tells apart lines that use the same run ids: the bus's epoch */
export function createTraceIds(scope: () => string): TraceIds {
  const randomHex = createRandomHex();
  let next: string | null = null;
  return {
    begin: (runId) => void (next = runId),
    generateTraceId() {
      const runId = next;
      next = null;
      return runId === null ? randomHex(16) : runTraceId(scope(), runId);
    },
    generateSpanId: () => randomHex(8),
  };
}

/** The trace of a run: the first 32 hex of a SHA-256. */
export function runTraceId(scope: string, runId: string): string {
  return sha256(`proofline-trace-1\n${JSON.stringify([scope, runId])}`).slice(0, 32);
}

/** Asking the system for a few bytes costs more than all the rest of a span: they are taken from a pool. */
function createRandomHex(): (bytes: number) => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = pool.length;
  return (bytes) => {
    if (used + bytes > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.toString('hex', used - bytes, used);
  };
}

const POOL_BYTES = 4096;
