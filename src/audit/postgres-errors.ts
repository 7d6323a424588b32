import { isProoflineError, ProoflineError } from '../contracts/errors.js';

const LONGEST_PROBLEM = 300;

/** A full disk passes, and so does everything else that goes wrong in a database that worked: the caller tries again. */
export function postgresError(error: unknown): ProoflineError {
  if (isProoflineError(error)) return error;
  if (sqlState(error) === DISK_FULL) return new ProoflineError('PL_DISK_FULL', {}, { cause: error });
  return new ProoflineError('PL_AUDIT_DOWN', { problem: problemOf(error) }, { cause: error });
}

/** On opening, what only a person can put right does not pass: who may come in, and what is there. */
export function postgresOpenError(error: unknown): ProoflineError {
  const known = postgresError(error);
  if (!NEEDS_A_PERSON.test(sqlState(known.cause))) return known;
  return auditUnusable(problemOf(known.cause), known.cause);
}

export function auditUnusable(problem: string, cause?: unknown): ProoflineError {
  return new ProoflineError('PL_AUDIT_UNUSABLE', { problem }, { cause });
}

const DISK_FULL = '53100';

/** Classes of SQLSTATE: wrong user or password, no such database, no such schema; and no right to do this. */
const NEEDS_A_PERSON = /^(28|3D|3F)...$|^42501$/;

function sqlState(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) ? code : '';
}

/** A name with several addresses fails with an error for each of them, and no words of its own. */
function problemOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(problemOf).join('; ').slice(0, LONGEST_PROBLEM);
  const words = error instanceof Error ? error.message : String(error);
  return words.slice(0, LONGEST_PROBLEM).toWellFormed();
}
