import { isOneEditApart } from './edits.js';

/** Longer names are nobody's slip of the pen. */
const LONGEST = 40;

/**
 * Guesses which of the `known` fields was probably meant by a name: the same letters in another style
 * (`toolCallIds`), one slip away (`limitation`), or most of it (`tool_calls`, `actions`). Undefined when
 * none is near.
 */
export function fieldGuesser(known: readonly string[]): (name: string) => string | undefined {
  const fields = known.map((field) => ({ field, letters: letters(field) }));
  return (name) => {
    const meant = name.length > LONGEST ? '' : letters(name);
    if (meant.length < 2) return undefined;
    for (const isNear of [sameLetters, isOneEditApart, shareMost]) {
      const found = fields.find((candidate) => isNear(meant, candidate.letters));
      if (found !== undefined) return found.field;
    }
    return undefined;
  };
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
