/**
 * How a text is cut into what an index keeps. Words come from `Intl.Segmenter`. Han and kana run on without
 * spaces, and where the segmenter sees a word in them depends on what stands around it: so an index keeps
 * every pair of neighbouring characters, and a word of a query is contained where its pairs follow each other,
 * which is where it is a part of the text.
 */

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const IDEOGRAPHIC = '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー]';
const RUNS = new RegExp(`(${IDEOGRAPHIC}+)|[^\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー]+`, 'gu');

/** Characters of a token; what is longer is data, not language. */
const MAX_TOKEN = 64;

/** A run of Han or kana, or a word of any other script. */
export type Piece =
  { readonly kind: 'run'; readonly text: string } | { readonly kind: 'word'; readonly text: string };

/** The runs and words of a text in order, in compatibility form (full-width letters are letters). */
export function* piecesOf(text: string): Generator<Piece> {
  for (const [whole, run] of text.toWellFormed().normalize('NFKC').matchAll(RUNS)) {
    if (run !== undefined) yield { kind: 'run', text: run };
    else for (const word of wordsOf(whole)) yield { kind: 'word', text: word };
  }
}

/** What a word can be made of, also in its middle. */
const STRETCH = /[\p{L}\p{M}\p{N}\p{Pc}'’.:,;·‧]+/gu;
const PLAIN = /^[A-Za-z0-9]\w*$/;

/** The segmenter is asked only where there is something to decide: most text is plain words and punctuation. */
function* wordsOf(text: string): Generator<string> {
  for (const [stretch] of text.matchAll(STRETCH)) {
    if (PLAIN.test(stretch)) yield stretch;
    else yield* segment(stretch);
  }
}

/** The word-like segments of a text. */
export function segment(text: string): string[] {
  return Array.from(segmenter.segment(text))
    .filter((part) => part.isWordLike === true)
    .map((part) => part.segment);
}

/** The tokens of a text in order, separated by spaces: what the index is fed with. */
export function indexTokens(text: string): string {
  const tokens: string[] = [];
  for (const piece of piecesOf(text)) {
    tokens.push(...(piece.kind === 'run' ? runTokens(piece.text) : wordTokens(piece.text)));
  }
  return tokens.join(' ');
}

/** Pairs of neighbouring characters, and the last one alone, so that every character begins a token. */
export function runTokens(run: string): string[] {
  const characters = Array.from(run);
  return characters.map((character, index) => character + (characters[index + 1] ?? ''));
}

/** A word in lower case; of an identifier (`etcdNoLeader`, `wal_fsync`) also its parts. */
export function wordTokens(word: string): string[] {
  const plain = word.replace(/['’]s$/iu, '').replace(/['’]/g, '');
  const parts = plain.match(PARTS) ?? [];
  const whole = parts.length > 0 && /^[\d.,]+$/.test(plain) ? plain.replace(/,/g, '') : plain;
  const token = tokenOf(whole.replace(/[^\p{L}\p{M}\p{N}]+/gu, '_'));
  if (parts.length < 2 || !/\p{L}/u.test(plain)) return token === '' ? [] : [token];
  return [token, ...parts.filter((part) => part.length > 1).map(tokenOf)];
}

/** Lower-case runs with a capital before them, runs of capitals, everything between punctuation. */
const PARTS = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}\p{N}]+/gu;

function tokenOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_TOKEN)
    .toWellFormed();
}
