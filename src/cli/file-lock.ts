import Database from 'better-sqlite3';
import { ProoflineError } from '../contracts/errors.js';

/** How long another process that changes the file is waited for. */
const PATIENCE_MS = 5000;

/**
 * Does what reads a file and writes it anew while no other process does. The lock is an open exclusive transaction on a
 * file beside it: the operating system drops it with the process, so a killed one leaves nothing behind.
 * @throws ProoflineError PL_INPUT_INVALID where the lock cannot be had
 */
export function whileLocked<T>(file: string, work: () => T): T {
  const db = lock(file);
  try {
    return work();
  } finally {
    db.close();
  }
}

function lock(file: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(`${file}.lock`, { timeout: PATIENCE_MS });
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    const { code = '', message } = error as { readonly code?: string; readonly message: string };
    const problem = code.startsWith('SQLITE_BUSY') ? 'another process is changing it' : message;
    throw new ProoflineError('PL_INPUT_INVALID', { problem: `${file}: ${problem}` }, { cause: error });
  }
}
