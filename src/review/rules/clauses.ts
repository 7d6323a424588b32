import type { Place } from '../../contracts/generated.js';
import { polarityOf, withoutNegations } from './negation.js';
import type { Polarity } from './negation.js';
import { contentWords, termsOf } from './words.js';
import type { Term } from './words.js';

/** A part of a sentence that says one thing. */
export interface Clause extends Place {
  /** Its content words, without negations. */
  readonly terms: ReadonlySet<Term>;
  /** How much they weigh, in half words. */
  readonly weight: number;
  readonly polarity: Polarity;
  /** Whether it only says when something else holds. */
  readonly conditional: boolean;
}

/** A line break inside of prose does not end a clause, one before a list item or a heading does. */
const BREAK =
  /[。！？!?；;，,：:|]|(?<!\.)\.(?=["'”’)\]*_]{0,3}(?:\s|$))|\n(?! {0,8}[a-z\p{Script=Han}])|[ \n](?=(?:but|however|although|though|while|whereas|because|which)[ \n])|(?=但是|但|然而|而不是|而非|因为|所以)/gu;

const CONDITIONAL =
  /^[\s>*•\-\d.()（）]*(?:(?:if|when|whenever|once|in case|unless|after|before|until|provided)\b|如果|若|当|一旦|假如|倘若|要是|除非)|(?:时|的话|之后|之前|以后)\s*$/iu;

/** A text has no more clauses than this that are looked at; what follows them is not compared. */
const MAX_CLAUSES = 2000;

export function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(BREAK)) {
    push(clauses, text, start, index);
    start = index + mark.length;
    if (clauses.length >= MAX_CLAUSES) return clauses;
  }
  push(clauses, text, start, text.length);
  return clauses;
}

/** Longer stretches without a break are no clause that could be compared. */
const LONGEST = 400;

function push(clauses: Clause[], text: string, from: number, to: number): void {
  if (to - from < 2 || to - from > LONGEST) return;
  const raw = text.slice(from, to);
  const start = from + raw.length - raw.trimStart().length;
  const said = raw.trim().replaceAll('\n', ' ');
  if (said === '') return;
  const terms = new Set(termsOf(contentWords(withoutNegations(said))));
  clauses.push({
    start,
    end: start + said.length,
    terms,
    weight: weightOf(terms),
    polarity: polarityOf(said),
    conditional: CONDITIONAL.test(said),
  });
}

/** A pair of characters is about half a word. */
function weightOf(terms: Iterable<Term>): number {
  let weight = 0;
  for (const term of terms) weight += weightOfTerm(term);
  return weight;
}

function weightOfTerm(term: Term): number {
  return typeof term === 'number' ? 1 : 2;
}

/** Weight of the terms that both have. */
export function sharedWeight(one: Clause, other: Clause): number {
  let weight = 0;
  for (const term of one.terms) if (other.terms.has(term)) weight += weightOfTerm(term);
  return weight;
}
