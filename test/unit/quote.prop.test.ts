import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeFragments } from '../../src/citation/elided.js';
import { searchFor, searchLinearly, type Search } from '../../src/citation/search.js';
import { shownText, type ShownText, type Span } from '../../src/citation/shown-text.js';
import { quoteOf } from '../support/quotes.js';

const numRuns = Number(process.env['PROOFLINE_FUZZ_RUNS'] ?? 500);
const options = { numRuns };
const timeout = 30_000 + numRuns * 20;

const WORDS = [
  'find',
  'the office',
  'file',
  "O'Brien",
  'non-critical',
  'may',
  'not',
  'never',
  '1,500',
  '50%',
  '"quoted"',
];
const HAN = ['网关超时', '先检查', '不得', '连接池耗尽', '无'];

const tokens = fc.array(fc.constantFrom(...WORDS, ...HAN), { minLength: 4, maxLength: 30 });

/** Ways to write a character that a reader takes for the same. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  "'": ['’', '‘', 'ʼ', '＇'],
  '"': ['“', '”', '＂'],
  '-': ['‐', '‑', '－'],
  ' ': ['\n', '  ', '\u3000', ' \u200b\r\n ', '\u00a0'],
  '%': ['％'],
  ',': ['，'],
};
const LIGATURES = [
  ['ffi', 'ﬃ'],
  ['fi', 'ﬁ'],
] as const;

/** The text written otherwise, as a stream of choices decides; its edges stay what they are. */
function noisy(text: string, choices: readonly number[]): string {
  let choice = 0;
  const next = (): number => choices[choice++ % choices.length] ?? 0;
  let joined = text;
  for (const [letters, ligature] of LIGATURES)
    joined = joined.replaceAll(letters, () => (next() % 2 === 0 ? letters : ligature));
  const written = Array.from(joined, (character) => {
    const alike = ALIKE[character];
    const pick = next();
    if (alike !== undefined) return pick % 2 === 0 ? character : (alike[pick % alike.length] ?? character);
    return /[0-9a-zA-Z]/.test(character) && pick % 5 === 0
      ? String.fromCharCode(character.charCodeAt(0) + 0xfee0)
      : character;
  });
  return written.map((each, i) => (i > 0 && next() % 9 === 0 ? `\u00ad${each}` : each)).join('');
}

const choices = fc.array(fc.nat(1000), { minLength: 7, maxLength: 40 });

interface Slice {
  readonly numbered: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** At least three tokens of an excerpt. Each is numbered, so that what holds one stands in one place. */
const slice: fc.Arbitrary<Slice> = fc.tuple(tokens, fc.nat(1000), fc.nat(1000)).map(([words, a, b]) => {
  const numbered = words.map((word, i) => `${word} (${i})`);
  const from = a % (words.length - 2);
  return { numbered, from, to: from + 3 + (b % (words.length - from - 2)) };
});

describe('a true slice', () => {
  it(
    'is found at its place, however both sides are written',
    () => {
      fc.assert(
        fc.property(slice, choices, choices, ({ numbered, from, to }, ofExcerpt, ofQuote) => {
          const before = noisy(numbered.slice(0, from).join(' '), ofExcerpt);
          const words = noisy(numbered.slice(from, to).join(' '), ofExcerpt);
          const after = noisy(numbered.slice(to).join(' '), ofExcerpt);
          const start = before === '' ? 0 : before.length + 1;
          const excerpt = [before, words, after].filter((part) => part !== '').join(' ');
          const quote = noisy(numbered.slice(from, to).join(' '), ofQuote);
          expect(quoteOf({ text: quote }, excerpt)).toMatchObject({ start, end: start + words.length });
        }),
        options,
      );
    },
    timeout,
  );

  it(
    'is not found with a word or a number changed, or a token taken out from inside it',
    () => {
      fc.assert(
        fc.property(
          slice,
          choices,
          fc.nat(1000),
          fc.constantFrom('word', 'number', 'taken out'),
          ({ numbered, from, to }, ofQuote, pick, change) => {
            const quoted = numbered.slice(from, to);
            const at = 1 + (pick % (quoted.length - 2));
            const changed = {
              word: [...quoted.slice(0, at), `other (${from + at})`, ...quoted.slice(at + 1)],
              number: [
                ...quoted.slice(0, at),
                quoted[at]?.replace(/\(\d+\)/, '(977)') ?? '',
                ...quoted.slice(at + 1),
              ],
              'taken out': [...quoted.slice(0, at), ...quoted.slice(at + 1)],
            }[change];
            const found = quoteOf({ text: noisy(changed.join(' '), ofQuote) }, numbered.join(' '));
            expect(found).not.toHaveProperty('rung');
          },
        ),
        options,
      );
    },
    timeout,
  );

  it(
    'is not found with its negation taken out, by an ellipsis neither',
    () => {
      fc.assert(
        fc.property(
          slice,
          fc.constantFrom('not', 'never', "doesn't", '不', '未'),
          fc.constantFrom(' ', ' ... ', '…'),
          (s, negation, gap) => {
            const middle = s.from + 1;
            const numbered = s.numbered.map((word, i) =>
              i === middle ? negation : word.replace(/not|never|[不无]/g, 'x'),
            );
            const left = numbered.slice(s.from, middle).join(' ');
            const right = numbered.slice(middle + 1, s.to).join(' ');
            expect(quoteOf({ text: left + gap + right }, numbered.join(' '))).not.toHaveProperty('rung');
          },
        ),
        options,
      );
    },
    timeout,
  );

  it(
    'always lies inside the excerpt and between its words, whatever the texts are',
    () => {
      const text = fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'binary' }),
        tokens.map((t) => t.join(' ')),
      );
      fc.assert(
        fc.property(text, text, text, fc.nat(40), (before, words, after, cut) => {
          const excerpt = before + words + after;
          const found = quoteOf(
            { text: words.slice(cut % 7), prefix: cut % 3 === 0 ? before : null },
            excerpt.toWellFormed(),
          );
          if (!('rung' in found)) return;
          const { start, end } = found as { start: number; end: number };
          expect(start).toBeLessThan(end);
          expect(excerpt.toWellFormed().slice(start, end).isWellFormed()).toBe(true);
        }),
        options,
      );
    },
    timeout,
  );
});

describe('searching', () => {
  const all = (search: Search): number[] => {
    const places: number[] = [];
    for (let at = search(0); at >= 0; at = search(at + 1)) places.push(at);
    return places;
  };
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 12 });

  it('finds the same places in linear time', () => {
    fc.assert(
      fc.property(letters, fc.array(letters, { maxLength: 8 }), (pattern, parts) => {
        const text = parts.join('');
        expect(all(searchLinearly(pattern, text))).toEqual(all(searchFor(pattern, text)));
      }),
      options,
    );
  });
});

describe('placing fragments', () => {
  const anything = { isPossible: true, precedes: () => true, follows: () => true };

  /** Every placement there is, by trying them all. */
  function everyPlacement(fragments: readonly string[], shown: ShownText): Span[] {
    let reached: Span[] = [];
    for (const [i, fragment] of fragments.entries()) {
      const { starts, ends } = shown.occurrences(fragment);
      const places = starts.map((start, j) => ({ start, end: ends[j] ?? 0 }));
      reached =
        i === 0
          ? places
          : reached.flatMap((before) =>
              places
                .filter(({ start }) => start >= before.end && start - before.end <= 300)
                .filter(({ start }) => !/\bnot\b/.test(shown.text.slice(before.end, start)))
                .map(({ end }) => ({ start: before.start, end })),
            );
    }
    return reached.toSorted((a, b) => a.start - b.start || a.end - b.end);
  }

  const piece = fc.constantFrom('aaaa bbbb', 'bbbb aaaa', 'cccc', 'not', 'x '.repeat(140).trim());

  it(
    'finds the earliest start and then the earliest end of all there are',
    () => {
      fc.assert(
        fc.property(
          fc.array(piece, { minLength: 1, maxLength: 14 }),
          fc.array(fc.constantFrom('aaaa bbbb', 'bbbb aaaa', 'bbbb cccc'), { minLength: 1, maxLength: 4 }),
          (pieces, fragments) => {
            const shown = shownText(pieces.join(' '));
            const elision = { fragments, context: anything, negations: shown.negations() };
            const [first = null] = everyPlacement(fragments, shown);
            expect(placeFragments(elision, shown)).toEqual(first);
          },
        ),
        { numRuns: numRuns * 4 },
      );
    },
    timeout,
  );
});
