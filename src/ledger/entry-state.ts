import type { Codec } from '../contracts/codec.js';
import { isProoflineError } from '../contracts/errors.js';
import type { LedgerEntry } from '../contracts/generated.js';

/** State of an entry in the view; UNREADABLE where its bytes cannot be decoded. */
export type EntryState = LedgerEntry['state'] | 'UNREADABLE';

/** The entry, or null where its bytes are not an entry. An unknown schema id is thrown: it may become known. */
export function readEntry(codec: Codec, value: Buffer): LedgerEntry | null {
  try {
    return codec.decode('ledger.v1', value);
  } catch (error) {
    if (isProoflineError(error, 'PL_RECORD_UNDECODABLE')) return null;
    throw error;
  }
}

/** A state never goes back: what is terminal, or unreadable, stays as it came first. */
export function mayReplace(before: EntryState | undefined, after: EntryState): boolean {
  return before === undefined || (before === 'PENDING' && after !== 'PENDING');
}
