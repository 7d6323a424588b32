import type { EvidenceSpan, Place } from '../../contracts/generated.js';
import type { Claim } from './claim.js';
import type { Clause } from './clauses.js';
import { sharedWeight } from './clauses.js';
import { spanIn } from './evidence-text.js';
import type { Evidence, ShownPassage } from './evidence-text.js';

/** A clause of the evidence beside one of the draft, and how much of each the other has, 0 to 1. */
export interface Aligned {
  readonly passage: ShownPassage;
  readonly clause: Clause;
  readonly ofClaim: number;
  readonly ofEvidence: number;
}

/** How many terms may still be compared. Spent, what is left is not looked at: time stays bounded. */
export interface ComparisonBudget {
  left: number;
}

export function comparisonBudget(): ComparisonBudget {
  return { left: 100_000 };
}

/**
 * The clauses of the evidence that share at least `least` of the claim's words, in order. One that is so short or so
 * long that it could not is passed over unread.
 */
export function* alignedWith(
  claim: Clause,
  passages: readonly ShownPassage[],
  least: number,
  budget: ComparisonBudget,
  wanted: (clause: Clause) => boolean = () => true,
): Generator<Aligned> {
  for (const passage of passages) {
    for (const clause of passage.facts.clauses()) {
      if (clause.weight < least * claim.weight || !wanted(clause)) continue;
      if (budget.left <= 0) return;
      budget.left -= claim.terms.size;
      const shared = sharedWeight(claim, clause);
      if (shared === 0 || shared < least * claim.weight) continue;
      yield { passage, clause, ofClaim: shared / claim.weight, ofEvidence: shared / clause.weight };
    }
  }
}

const SPANS_SHOWN = 8;

/** From this share of its words on, a clause of the evidence is about the same matter. */
const LIKE = 0.4;

/**
 * What words of a claim were held against: the clause that is most like the one they stand in, else every excerpt as
 * a whole, 8 at most.
 */
export function heldAgainst(evidence: Evidence, claim?: Claim, place?: Place): EvidenceSpan[] {
  const around =
    place && claim?.clauses().find(({ start, end }) => start <= place.start && place.start < end);
  const nearest = around && nearestTo(around, evidence.passages);
  if (nearest) return [spanIn(nearest.passage, nearest.clause)];
  return evidence.passages
    .filter(({ excerpt }) => excerpt !== '')
    .slice(0, SPANS_SHOWN)
    .map((passage) => spanIn(passage, { start: 0, end: passage.excerpt.length }));
}

function nearestTo(clause: Clause, passages: readonly ShownPassage[]): Aligned | null {
  let best: Aligned | null = null;
  for (const aligned of alignedWith(clause, passages, LIKE, comparisonBudget()))
    if (aligned.ofClaim > (best?.ofClaim ?? 0)) best = aligned;
  return best;
}
