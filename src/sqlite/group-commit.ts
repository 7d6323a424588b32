import type Database from 'better-sqlite3';
import { ProoflineError } from '../contracts/errors.js';

/**
 * Runs pieces of writing, each atomic, several to a transaction: what has come together by the end of the
 * event loop's turn is made durable by one sync of the disk. A piece that throws is rolled back alone.
 */
export interface Writer {
  /** Resolves after COMMIT. `work` MUST be synchronous and is called once. */
  write<T>(work: (db: Database.Database) => T): Promise<T>;
  /** Reads what is durable: nothing of a transaction that is not committed. `work` MUST be synchronous. */
  read<T>(work: (db: Database.Database) => T): Promise<T>;
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>;
}

interface Piece {
  readonly work: (db: Database.Database) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  result?: { readonly value: unknown } | { readonly error: unknown };
}

export interface WriterOptions {
  /**
   * Called with an error of the disk that leaves it unknown what is durable: the process must end, and whoever
   * waits is never answered. Without it they are told the error.
   */
  readonly onFatal?: (error: unknown) => void;
  /** What writers are told of an error of SQLite's. */
  readonly translate?: (error: unknown) => unknown;
}

export function createWriter(db: Database.Database, options: WriterOptions = {}): Writer {
  const { onFatal, translate = asDiskFull } = options;
  let waiting: Piece[] = [];
  let scheduled: Promise<void> | null = null;

  // A nested transaction is a savepoint.
  const alone = db.transaction((piece: Piece) => piece.work(db));
  const together = db.transaction((pieces: readonly Piece[]) => {
    for (const piece of pieces) {
      try {
        piece.result = { value: alone(piece) };
      } catch (error) {
        // The disk's own errors may have rolled the whole transaction back: nothing in it can be believed.
        if (!db.inTransaction || isDiskError(error)) throw error;
        piece.result = { error };
      }
    }
  });

  function flush(): void {
    const pieces = waiting;
    waiting = [];
    scheduled = null;
    try {
      together.immediate(pieces);
    } catch (error) {
      if (onFatal !== undefined && isFatal(error)) onFatal(error);
      else for (const piece of pieces) piece.reject(translate(error));
      return;
    }
    for (const piece of pieces) settle(piece, translate);
  }

  return {
    write<T>(work: (db: Database.Database) => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
        scheduled ??= new Promise((done) =>
          setImmediate(() => {
            flush();
            done();
          }),
        );
      });
    },
    read: (work) => new Promise((resolve) => resolve(work(db))),
    async idle() {
      while (scheduled !== null) await scheduled;
    },
  };
}

function settle(piece: Piece, translate: (error: unknown) => unknown): void {
  if (piece.result === undefined) piece.reject(new Error('not run'));
  else if ('error' in piece.result) piece.reject(translate(piece.result.error));
  else piece.resolve(piece.result.value);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function isDiskError(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL' || isFatal(error);
}

function isFatal(error: unknown): boolean {
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(codeOf(error));
}

function asDiskFull(error: unknown): unknown {
  if (codeOf(error) === 'SQLITE_FULL') return new ProoflineError('PL_DISK_FULL', {}, { cause: error });
  return error;
}
