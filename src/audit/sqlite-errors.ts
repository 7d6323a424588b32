import { basename, dirname } from 'node:path';
import { ProoflineError } from '../contracts/errors.js';

/** Does the work at once; what goes wrong rejects with a code of the error table. */
export function answering<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(auditError(error));
  }
}

/** A full disk passes, and so does everything else that a working database says later: the writer tries again. */
export function auditError(error: unknown): ProoflineError {
  if (isFull(error)) return new ProoflineError('PL_DISK_FULL', {}, { cause: error });
  return new ProoflineError('PL_AUDIT_DOWN', { problem: problemOf(error) }, { cause: error });
}

/** Why the file cannot be opened: it is full or busy, which passes, or it is not what it should be. */
export function openError(file: string, error: unknown): ProoflineError {
  if (isFull(error) || codeOf(error).startsWith('SQLITE_BUSY')) return auditError(error);
  const problem = `${basename(file)}: ${problemOf(error)}`;
  return new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder: dirname(file), problem }, { cause: error });
}

function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
