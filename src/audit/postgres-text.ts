import { sha256 } from '../contracts/digest.js';

/**
 * Text in columns of PostgreSQL, which hold no U+0000. It is written as U+0001 U+0001, and U+0001 as U+0001 U+0002:
 * so both come back, all other text stands there as it is, and the order by code point stays.
 */
export function storedText(text: string): string {
  const whole = text.toWellFormed();
  if (!/[\u0000\u0001]/.test(whole)) return whole;
  return whole.replace(/[\u0000\u0001]/g, (char) => (char === '\u0000' ? '\u0001\u0001' : '\u0001\u0002'));
}

export function textOfStored(stored: string): string {
  if (!stored.includes('\u0001')) return stored;
  return stored.replace(/\u0001([\u0001\u0002])/g, (_pair, mark: string) =>
    mark === '\u0001' ? '\u0000' : '\u0001',
  );
}

/** UTF-8 bytes of a key as it is: an entry of an index holds about 2,700, and three keys at most. */
const KEY_BYTES = 600;

/** What no `storedText` begins with. */
export const DIGEST_MARK = '\u0001\u0003';

/** Text in a column that has an index: of a longer one the digest, which is as good for finding and telling apart. */
export function storedKey(text: string): string {
  const stored = storedText(text);
  return Buffer.byteLength(stored) <= KEY_BYTES ? stored : DIGEST_MARK + sha256(stored);
}
