import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { isProoflineError, ProoflineError } from '../../contracts/errors.js';

/**
 * One writing process a data folder. The lock is an open exclusive transaction on a file of its own: the
 * operating system drops it with the process, so a killed one leaves nothing behind. Nobody may open that file
 * (or the bus's) with `fs` while it is held: closing any descriptor of a file drops all of the process's locks.
 */
export interface WriterLock {
  release(): void;
}

/** @throws ProoflineError PL_DATA_FOLDER_LOCKED, PL_DATA_FOLDER_UNUSABLE. */
export function lockForWriting(folder: string): WriterLock {
  const file = join(folder, 'writer.lock');
  if (heldHere.has(file)) throw new ProoflineError('PL_DATA_FOLDER_LOCKED', { folder });
  const db = acquire(folder, file);
  heldHere.add(file);
  return {
    release() {
      heldHere.delete(file);
      db.close();
    },
  };
}

const heldHere = new Set<string>();

function acquire(folder: string, file: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true });
    db = new Database(file, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    if (isProoflineError(error)) throw error;
    const { code, message } = error as { code?: string; message: string };
    if (code?.startsWith('SQLITE_BUSY')) throw new ProoflineError('PL_DATA_FOLDER_LOCKED', { folder });
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem: message });
  }
}
