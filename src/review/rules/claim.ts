import { absolutesOf, certaintyMarkers, strongestMarker } from './certainty.js';
import type { CertaintyPlace } from './certainty.js';
import type { Absolute } from './certainty-words.js';
import { maskCoordinates } from './coordinates.js';
import type { DraftText } from './draft-texts.js';
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
  /** All that evidence may have of its words and numbers. */
  readonly terms: readonly Term[];
  readonly certainty: CertaintyPlace | null;
  readonly absolutes: ReadonlyMap<Absolute, Place>;
}

export function readClaim(draftText: DraftText): Claim {
  const text = maskCoordinates(draftText.text);
  const words = contentWords(text);
  const wordTerms = termsOf(words);
  const markers = certaintyMarkers(text);
  const numbers = extractNumbers(text)
    .map((mention) => ({ mention, terms: claimedKeys(mention) }))
    .filter(({ terms }) => terms.length > 0);
  return {
    ...draftText,
    numbers,
    words,
    scripts: scriptsOf(wordTerms),
    terms: wordTerms.concat(numbers.flatMap(({ terms }) => terms)),
    certainty: strongestMarker(markers),
    absolutes: absolutesOf(markers),
  };
}
