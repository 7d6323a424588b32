/** Numbers in English words: `three hundred`, `twenty-five thousand`, `half a million`, `five minutes`. */

const ONES =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen';
const TENS = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety';
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

const WORD = `(?:${ONES}|${TENS}|hundred|thousand|million|billion|dozen)`;

/** One or more of the words, joined by spaces, hyphens or `and`; at most 12 of them. */
export const ENGLISH_NUMBER = new RegExp(
  `(?<![\\w-])(?:half an? (?:hundred|thousand|million|billion|dozen)|an? (?:hundred|thousand|million|billion|dozen)|(?:${ONES}|${TENS})(?:(?:[ -]|[ -]and )${WORD}){0,11})(?![\\w-])`,
  'gi',
);

/** Only with a scale or a unit do the words count. */
const MAY_HOLD =
  /(?:hundred|thousand|illion|dozen|second|minute|hour|day|week|month|year|percent|byte|[kmg]b|ms)/i;

export function mayHoldEnglishNumber(text: string): boolean {
  return MAY_HOLD.test(text);
}

const values = new Map<string, number>([
  ['a', 1],
  ['an', 1],
  ['half', 0.5],
  ...ONES.split('|').map((word, i): [string, number] => [word, i + 1]),
  ...TENS.split('|').map((word, i): [string, number] => [word, 10 * (i + 2)]),
]);

/** The value of a match; null where the words are no number (`one two`). */
export function englishNumber(words: string): number | null {
  let total = 0;
  let section = 0;
  let last = Infinity;
  for (const word of words.toLowerCase().split(/[ -]+/)) {
    const value = values.get(word);
    if (word === 'and' || (word.startsWith('a') && section === 0.5)) continue;
    if (word === 'hundred' || word === 'dozen') section *= word === 'hundred' ? 100 : 12;
    else if (Object.hasOwn(SCALES, word)) {
      total += section * (SCALES[word] ?? 1);
      section = 0;
    } else if (value !== undefined) {
      // After `twenty` only ones, after ones nothing.
      if (last < 20 || value >= last) return null;
      section += value;
    }
    last = value !== undefined && value >= 1 ? value : Infinity;
  }
  return total + section;
}
