import { absolutesOf, certaintyMarkers, strongestMarker } from './certainty.js';
import type { CertaintyPlace } from './certainty.js';
import type { Absolute } from './certainty-words.js';
import { clausesOf } from './clauses.js';
import type { Clause } from './clauses.js';
import { maskCoordinates } from './coordinates.js';
import type { DraftText } from './draft-texts.js';
import { once } from './once.js';
import { namesIn } from './names.js';
import type { NameMention } from './names.js';
import { claimedKeys, extractNumbers } from './numbers.js';
import type { NumberMention } from './numbers.js';
import { scriptsOf } from './scripts.js';
import type { Script } from './scripts.js';
import { contentWords, termsOf } from './words.js';
import type { ContentWords, Term } from './words.js';
import type { Place } from '../../contracts/generated.js';

/** A number that evidence must show, and the terms by one of which it would be found there. */
export interface ClaimedNumber {
  readonly mention: NumberMention;
  readonly terms: readonly string[];
}

/** What a text of the draft says, as far as rules can hold it against evidence. */
export interface Claim extends DraftText {
  readonly numbers: readonly ClaimedNumber[];
  readonly words: ContentWords;
  readonly scripts: ReadonlySet<Script>;
  readonly names: readonly NameMention[];
  /** All that evidence may have of its words, names and numbers. */
  readonly terms: readonly Term[];
  readonly certainty: CertaintyPlace | null;
  readonly absolutes: ReadonlyMap<Absolute, Place>;
  /** What it says, one thing at a time; cut when it is first asked for. */
  readonly clauses: () => readonly Clause[];
}

export function readClaim(draftText: DraftText): Claim {
  const text = maskCoordinates(draftText.text);
  const words = contentWords(text);
  const wordTerms = termsOf(words);
  const markers = certaintyMarkers(text);
  const numbers = extractNumbers(text)
    .map((mention) => ({ mention, terms: claimedKeys(mention) }))
    .filter(({ terms }) => terms.length > 0);
  const names = outside(numbers, namesIn(text));
  const { at, kind, toolCallIds, hasCoordinate } = draftText;
  return {
    at,
    kind,
    text: draftText.text,
    toolCallIds,
    hasCoordinate,
    numbers,
    words,
    scripts: scriptsOf(wordTerms),
    names,
    terms: allTerms(wordTerms, numbers, names),
    certainty: strongestMarker(markers),
    absolutes: absolutesOf(markers),
    clauses: once(() => clausesOf(text)),
  };
}

function allTerms(
  words: readonly Term[],
  numbers: readonly ClaimedNumber[],
  names: readonly NameMention[],
): Term[] {
  const terms = [...words];
  for (const number of numbers) terms.push(...number.terms);
  for (const { ways } of names) for (const way of ways) terms.push(...way);
  return terms;
}

/** A unit is no name. */
function outside(numbers: readonly ClaimedNumber[], names: readonly NameMention[]): readonly NameMention[] {
  if (numbers.length === 0 || names.length === 0) return names;
  return names.filter(
    (name) => !numbers.some(({ mention }) => mention.start <= name.start && name.end <= mention.end),
  );
}
