import { setTimeout as pause } from 'node:timers/promises';
import { isProoflineError } from '../contracts/errors.js';
import type { AuditStore, DeleteOptions } from './audit-store.js';

/** Waits between tries that delete nothing: a writer that is at work has its lock for some milliseconds. */
const WAITS_MS = [50, 100, 200, 400, 800, 1_600];

/**
 * `deleteBefore` for whoever is not at work on the store for good: goes on after what passes, as a lock of somebody
 * else's, and gives up once it comes no further.
 */
export async function pruneAudit(
  store: AuditStore,
  instantMs: number,
  { signal, onProgress }: DeleteOptions = {},
): Promise<number> {
  let deleted = 0;
  for (let tries = 0; ; tries++) {
    const before = deleted;
    try {
      const sum = (rows: number): void => {
        deleted = before + rows;
        onProgress?.(deleted);
      };
      await store.deleteBefore(instantMs, { onProgress: sum, ...(signal === undefined ? {} : { signal }) });
      return deleted;
    } catch (error) {
      if (deleted > before) tries = 0;
      const wait = WAITS_MS[tries];
      if (!isProoflineError(error, 'PL_AUDIT_DOWN') || wait === undefined) throw error;
      await pause(wait, undefined, signal === undefined ? {} : { signal });
    }
  }
}
