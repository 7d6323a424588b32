import { ProoflineError } from '../../contracts/errors.js';

/** Reading what Redis answered. What it never answers to such a question is somebody else's key, or not a Redis. */

export function asList(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw unexpected();
}

export function asBuffer(reply: unknown): Buffer {
  if (Buffer.isBuffer(reply)) return reply;
  throw unexpected();
}

export function asText(reply: unknown): string {
  return asBuffer(reply).toString('utf8');
}

export function textOrNull(reply: unknown): string | null {
  return reply === null || reply === undefined ? null : asText(reply);
}

/** An offset, a count or a size. */
export function asNumber(reply: unknown): number {
  const number = typeof reply === 'number' ? reply : Number(asText(reply));
  if (!Number.isSafeInteger(number) || number < 0) throw unexpected();
  return number;
}

/** Texts in the form `5:hello`, one behind the other: as the scripts keep lists. */
export function textsIn(list: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < list.length;) {
    const colon = list.indexOf(':', at);
    const end = colon + 1 + Number(list.toString('latin1', at, colon));
    if (colon < 0 || !(end > colon && end <= list.length)) throw unexpected();
    found.push(list.toString('utf8', colon + 1, end));
    at = end;
  }
  return found;
}

function unexpected(): ProoflineError {
  return new ProoflineError('PL_VIEW_DOWN', { problem: 'it has something else under the keys of the view' });
}
