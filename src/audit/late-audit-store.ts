import { ProoflineError } from '../contracts/errors.js';
import type { AuditReader, AuditStore } from './audit-store.js';
import { postgresError } from './postgres-errors.js';

/**
 * A store that was down when its user started: the first call that finds it up opens it, and until then each call
 * rejects with PL_AUDIT_DOWN or PL_DISK_FULL.
 */
export function lateAuditStore(open: () => Promise<AuditStore>): AuditStore {
  let opening: Promise<AuditStore> | null = null;
  let closed = false;

  function opened(): Promise<AuditStore> {
    if (closed && opening === null) return Promise.reject(down('it is closed'));
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw waitingFor(error);
    });
    return opening;
  }

  const reading: Omit<AuditReader, 'close'> = {
    answer: async (...args) => (await opened()).answer(...args),
    trail: async (...args) => (await opened()).trail(...args),
    recentRuns: async (...args) => (await opened()).recentRuns(...args),
    stats: async () => (await opened()).stats(),
    countBefore: async (...args) => (await opened()).countBefore(...args),
  };
  return {
    ...reading,
    appendInvocations: async (...args) => (await opened()).appendInvocations(...args),
    keepAnswers: async (...args) => (await opened()).keepAnswers(...args),
    deleteBefore: async (...args) => (await opened()).deleteBefore(...args),
    async close() {
      closed = true;
      await (await opening?.catch(() => null))?.close();
    },
  };
}

/** A line that has started goes on once its tables are there: whoever made none makes them now. */
function waitingFor(error: unknown): ProoflineError {
  const known = postgresError(error);
  return known.retryable ? known : down(known.message, error);
}

function down(problem: string, cause?: unknown): ProoflineError {
  return new ProoflineError('PL_AUDIT_DOWN', { problem }, { cause });
}
