import { alignedWith, comparisonBudget, heldAgainst } from './alignment.js';
import type { Aligned, ComparisonBudget } from './alignment.js';
import { placeOf, quoted, result, said, wholeOf } from './check-result.js';
import type { Check, CheckResult } from './check-result.js';
import type { Claim } from './claim.js';
import type { Clause } from './clauses.js';
import { spanIn } from './evidence-text.js';
import type { Evidence } from './evidence-text.js';
import type { NameMention } from './names.js';
import { holdsNegation } from './negation.js';

/**
 * What a text says of what: names that no evidence has, and the contrary of what the evidence says. Only clauses that
 * are otherwise almost the same are compared, because a rule that rejects must not guess.
 */

/** A clause says the same of the same things from so much of the words of each on. */
const SAME_OF_CLAIM = 0.8;
const SAME_OF_EVIDENCE = 0.7;
/** A clause with fewer words than this, in halves, is like too many others. */
const LEAST_WEIGHT = 5;
/** What says as much within this of another one, the other way round, contradicts it. */
const AS_GOOD = 0.2;

/** Denies what the evidence says, or says what it denies. */
export const checkNegation: Check = (claim, evidence) => {
  if (!holdsNegation(claim.text) && !evidence.passages.some(({ facts }) => facts.negated)) return null;
  const budget = comparisonBudget();
  for (const clause of claim.clauses()) {
    if (clause.weight < LEAST_WEIGHT || clause.polarity === 'UNCLEAR') continue;
    const contrary = contraryTo(clause, evidence, budget);
    if (budget.left <= 0) return tooMuch(claim, evidence);
    if (contrary) return denial(claim, clause, contrary);
  }
  return null;
};

function denial(claim: Claim, clause: Clause, contrary: Aligned): CheckResult {
  const words = `${said(claim, clause)} says the contrary of ${quoted(contrary.passage.excerpt, contrary.clause)}`;
  return result('UNSUPPORTED', 'NEGATION_FLIPPED', words, {
    draftSpan: placeOf(clause),
    evidenceSpans: [spanIn(contrary.passage, contrary.clause)],
  });
}

/** Nobody's draft is like this; what was not compared must not pass. */
function tooMuch(claim: Claim, evidence: Evidence): CheckResult {
  return result('NOT_EVALUATED', 'TOO_MUCH_TO_COMPARE', 'too many clauses to compare with the evidence', {
    draftSpan: wholeOf(claim),
    evidenceSpans: heldAgainst(evidence),
  });
}

/** The clause that says the contrary, unless another one says about as much of the same. */
function contraryTo(clause: Clause, { passages }: Evidence, budget: ComparisonBudget): Aligned | null {
  const opposite = clause.polarity === 'YES' ? 'NO' : 'YES';
  let best: Aligned | null = null;
  const isOpposite = (other: Clause): boolean =>
    other.polarity === opposite && other.conditional === clause.conditional;
  for (const aligned of alignedWith(clause, passages, SAME_OF_CLAIM, budget, isOpposite))
    if (aligned.ofEvidence >= SAME_OF_EVIDENCE && aligned.ofClaim > (best?.ofClaim ?? 0)) best = aligned;
  if (best === null) return null;
  const isOther = (other: Clause): boolean => other.polarity !== opposite;
  const agreeing = alignedWith(clause, passages, best.ofClaim - AS_GOOD, budget, isOther);
  return agreeing.next().done === true ? best : null;
}

/** An identifier that no evidence has, or a name in the place of another one. */
export const checkNames: Check = (claim, evidence) => {
  const unseen = unseenNames(claim, evidence);
  if (unseen.length === 0) return null;
  const invented = unseen.find(({ kind }) => kind === 'IDENTIFIER');
  if (invented) return notShown(claim, invented, heldAgainst(evidence, claim, invented));
  const budget = comparisonBudget();
  for (const name of unseen) {
    const instead = clauseWithAnother(claim, name, evidence, budget);
    if (instead) return notShown(claim, name, [spanIn(instead.passage, instead.clause)]);
  }
  return null;
};

function notShown(claim: Claim, name: NameMention, evidenceSpans: CheckResult['evidenceSpans']): CheckResult {
  return result('UNSUPPORTED', 'NAME_NOT_SHOWN', `${said(claim, name)} is in no evidence`, {
    draftSpan: placeOf(name),
    evidenceSpans,
  });
}

/** Names that are not in the evidence but may be the writer's own word. */
export const warnOfNames: Check = (claim, evidence) => {
  const [first] = unseenNames(claim, evidence);
  if (!first) return null;
  const words = `${said(claim, first)} is in no evidence; it may be another word for something that is`;
  return result('SUPPORTED', 'WARN_NAME', words, {
    draftSpan: placeOf(first),
    evidenceSpans: heldAgainst(evidence, claim, first),
  });
};

function unseenNames({ names }: Claim, evidence: Evidence): NameMention[] {
  return names.filter(({ ways }) => !ways.some((way) => way.every((term) => evidence.shows(term))));
}

/** The clause of the evidence that is the claim's but for the name, and has a word of its own in its place. */
function clauseWithAnother(
  claim: Claim,
  name: NameMention,
  { passages }: Evidence,
  budget: ComparisonBudget,
): Aligned | null {
  const clause = claim.clauses().find(({ start, end }) => start <= name.start && name.end <= end);
  if (!clause || clause.weight < LEAST_WEIGHT + 2) return null;
  // All but the name itself, which weighs two halves.
  const least = Math.max((clause.weight - 2) / clause.weight - 0.001, SAME_OF_CLAIM - 0.1);
  for (const aligned of alignedWith(clause, passages, least, budget))
    if (aligned.ofEvidence >= SAME_OF_EVIDENCE && aligned.ofEvidence < 1) return aligned;
  return null;
}
