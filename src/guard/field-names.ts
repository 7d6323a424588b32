import { isOneEditApart } from './edits.js';

/** Longer names are nobody's slip of the pen. */
const LONGEST = 40;

/**
 * The field of `known` that was probably meant by `name`: the same letters in another style
 * (`toolCallIds`), one slip away (`limitation`), or most of it (`tool_calls`, `actions`). Undefined when
 * none is near.
 */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const meant = letters(name);
  if (meant.length < 2) return undefined;
  const candidates = known.map((field) => ({ field, letters: letters(field) }));
  for (const isNear of [sameLetters, isOneEditApart, shareMost]) {
    const found = candidates.find((candidate) => isNear(meant, candidate.letters));
    if (found !== undefined) return found.field;
  }
  return undefined;
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function sameLetters(a: string, b: string): boolean {
  return a === b;
}

/** One holds the other, or they begin alike for most of the shorter one. */
function shareMost(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  if (a.includes(b) || b.includes(a)) return true;
  let alike = 0;
  while (alike < shorter && a[alike] === b[alike]) alike += 1;
  return alike >= 4 && alike * 4 >= shorter * 3;
}
