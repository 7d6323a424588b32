/**
 * What a quote may write in another way than the document: every fold, as code points. Case is kept, and nothing that
 * changes a value is folded: never NFKC, which makes 102 of 10².
 */

export interface Fold {
  readonly name: string;
  /** First and last code point of each range. */
  readonly from: readonly (readonly [number, number])[];
  /** What each of them becomes. */
  readonly to: (codePoint: number) => string;
  /** The same for a reader. */
  readonly becomes: string;
}

const one = (...codePoints: readonly number[]) => codePoints.map((each) => [each, each] as const);

const LIGATURES = ['ff', 'fi', 'fl', 'ffi', 'ffl', 'st', 'st'];
const FIRST_LIGATURE = 0xfb00;
/** From a full-width form down to ASCII. */
const FULL_WIDTH = 0xfee0;

/** The order is that of the documentation; no code point stands twice. */
export const foldTable: readonly Fold[] = [
  {
    name: 'white space, with all that follows it in a run',
    from: [
      [0x09, 0x0d],
      ...one(0x20, 0x85, 0xa0, 0x1680),
      [0x2000, 0x200a],
      ...one(0x2028, 0x2029, 0x202f, 0x205f, 0x3000),
    ],
    to: () => ' ',
    becomes: 'one U+0020',
  },
  {
    name: 'soft hyphen and zero-width characters',
    from: [...one(0xad), [0x200b, 0x200f], ...one(0x2060, 0xfeff)],
    to: () => '',
    becomes: 'nothing',
  },
  {
    name: 'single quotes and apostrophes',
    from: [[0x2018, 0x201b], ...one(0x02bb, 0x02bc)],
    to: () => "'",
    becomes: "U+0027 (')",
  },
  { name: 'double quotes', from: [[0x201c, 0x201f]], to: () => '"', becomes: 'U+0022 (")' },
  {
    name: 'hyphens, dashes and minus signs',
    from: [[0x2010, 0x2015], ...one(0x2212, 0x2e3a, 0x2e3b, 0xfe58, 0xfe63)],
    to: () => '-',
    becomes: 'U+002D (-)',
  },
  {
    name: 'full-width ASCII',
    from: [[0xff01, 0xff5e]],
    to: (codePoint) => String.fromCharCode(codePoint - FULL_WIDTH),
    becomes: 'U+0021 to U+007E',
  },
  {
    name: 'Latin ligatures',
    from: [[FIRST_LIGATURE, FIRST_LIGATURE + LIGATURES.length - 1]],
    to: (codePoint) => LIGATURES[codePoint - FIRST_LIGATURE] ?? '',
    becomes: `their letters: ${LIGATURES.join(', ')}`,
  },
];

/** By code point, all of them below U+10000: what it becomes. White space becomes a space, dropped ones nothing. */
export const folds: ReadonlyMap<number, string> = new Map(
  foldTable.flatMap(({ from, to }) =>
    from.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, i) => [first + i, to(first + i)] as const),
    ),
  ),
);

/** True for what folding drops. */
export function isDropped(codePoint: number): boolean {
  return folds.get(codePoint) === '';
}
