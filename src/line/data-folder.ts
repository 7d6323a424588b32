import { join } from 'node:path';

/** What lies where in a data folder. */
export interface DataFolder {
  readonly folder: string;
  /** The bus and the ledger view. Never opened with `fs`: that drops SQLite's locks. */
  readonly bus: string;
  readonly audit: string;
  readonly index: string;
  /** Which folder the index is of, and when it was made. */
  readonly indexSource: string;
  readonly keys: string;
  /** The Unix socket of the running line, mode 0600. */
  readonly socket: string;
}

export function dataFolder(folder: string): DataFolder {
  return {
    folder,
    bus: join(folder, 'bus.db'),
    audit: join(folder, 'audit.db'),
    index: join(folder, 'index.db'),
    indexSource: join(folder, 'index.json'),
    keys: join(folder, 'keys'),
    socket: join(folder, 'proofline.sock'),
  };
}
