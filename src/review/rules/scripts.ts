import type { Term } from './words.js';

/** A writing system, coarse enough to tell whether two texts could share words at all. */
export type Script =
  | 'LATIN'
  | 'GREEK'
  | 'CYRILLIC'
  | 'HEBREW'
  | 'ARABIC'
  | 'INDIC'
  | 'SOUTH_EAST_ASIAN'
  | 'HANGUL'
  | 'KANA'
  | 'HAN'
  | 'OTHER';

/** Last UTF-16 unit of each block, ascending. */
const BLOCKS: readonly (readonly [number, Script])[] = [
  [0x036f, 'LATIN'],
  [0x03ff, 'GREEK'],
  [0x052f, 'CYRILLIC'],
  [0x058f, 'OTHER'],
  [0x05ff, 'HEBREW'],
  [0x08ff, 'ARABIC'],
  [0x0dff, 'INDIC'],
  [0x10ff, 'SOUTH_EAST_ASIAN'],
  [0x11ff, 'HANGUL'],
  [0x1dff, 'OTHER'],
  [0x1eff, 'LATIN'],
  [0x2dff, 'OTHER'],
  [0x303f, 'HAN'],
  [0x30ff, 'KANA'],
  [0x33ff, 'OTHER'],
  [0x9fff, 'HAN'],
  [0xabff, 'OTHER'],
  [0xd7ff, 'HANGUL'],
  // High surrogates of the supplementary ideographic planes.
  [0xd83f, 'OTHER'],
  [0xd88f, 'HAN'],
  [0xf8ff, 'OTHER'],
  [0xfaff, 'HAN'],
];

/** Shares of a text from which it counts as written in a script. */
const LATIN_SHARE = 0.5;
const OTHER_SHARE = 0.2;

/**
 * The scripts that a text is written in, by its distinct terms. Latin counts from half on: Latin words inside Chinese
 * text are names, and a text that shares only names with another shares no language with it.
 */
export function scriptsOf(terms: Iterable<Term>): ReadonlySet<Script> {
  const weights = new Map<Script, number>();
  let total = 0;
  for (const term of terms) {
    // A pair of characters is about half a word.
    const weight = typeof term === 'number' ? 1 : 2;
    const script = scriptOf(typeof term === 'number' ? term >>> 16 : term.charCodeAt(0));
    weights.set(script, (weights.get(script) ?? 0) + weight);
    total += weight;
  }
  const scripts = new Set<Script>();
  for (const [script, weight] of weights)
    if (weight / total >= (script === 'LATIN' ? LATIN_SHARE : OTHER_SHARE)) scripts.add(script);
  return scripts;
}

function scriptOf(unit: number): Script {
  return BLOCKS.find(([last]) => unit <= last)?.[1] ?? 'OTHER';
}
