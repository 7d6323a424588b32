import { judgeClaim } from './judge-claim.js';
import type { ClaimOutcome, JudgedClaim, LabelledClaim } from './judge-claim.js';

/** A share with what it was counted from; null where there was nothing to count, and never NaN. */
export interface Share {
  readonly value: number | null;
  readonly count: number;
  readonly of: number;
}

/** How the checks that block did on a set of labelled claims. */
export interface CitationFigures {
  readonly claims: number;
  readonly attributable: number;
  /** Of each outcome, how many were attributable and how many not. */
  readonly outcomes: Readonly<Record<ClaimOutcome, { readonly attributable: number; readonly not: number }>>;
  /** Of what passed, the share that is attributable. */
  readonly precision: Share;
  /** Of what is attributable, the share that passed; what was not evaluated did not. */
  readonly recall: Share;
  /** Harmonic mean of precision and recall. */
  readonly f1: number | null;
  /** Share on which nothing was said, of all claims. */
  readonly notEvaluated: Share;
  /** Of what was blocked, the share that is not attributable: how far a block can be trusted. */
  readonly blockPrecision: Share;
  /** Of what is not attributable, the share that was blocked. */
  readonly blockRecall: Share;
}

export interface KindFigures extends CitationFigures {
  readonly kind: string;
}

/** A claim that passed and should not have, or was blocked and should not have been. */
export interface WrongClaim extends JudgedClaim {
  /** In the file, from 1. */
  readonly position: number;
  readonly claim: LabelledClaim;
}

export interface CitationReport {
  readonly all: CitationFigures;
  readonly kinds: readonly KindFigures[];
  readonly splits: readonly (CitationFigures & { readonly split: string })[];
  /** How often each rule blocked, and how often rightly. */
  readonly rules: readonly { readonly code: string; readonly blocked: Share }[];
  readonly wrong: readonly WrongClaim[];
}

interface Judgement extends JudgedClaim {
  readonly position: number;
  readonly claim: LabelledClaim;
}

/** Judges every claim and counts. An abstention is counted as one, and is neither a hit nor a miss. */
export function evaluateCitations(
  claims: readonly LabelledClaim[],
  onProgress: (done: number) => void = () => undefined,
): CitationReport {
  const judgements = claims.map((claim, i) => {
    onProgress(i);
    return { position: i + 1, claim, ...judgeClaim(claim) };
  });
  return {
    all: figures(judgements),
    kinds: grouped(judgements, ({ claim }) => claim.kind).map(([kind, of]) => ({ kind, ...figures(of) })),
    splits: grouped(judgements, ({ claim }) => claim.split).map(([split, of]) => ({
      split,
      ...figures(of),
    })),
    rules: grouped(judgements, ({ outcome, code }) => (outcome === 'BLOCKED' ? code : null)).map(
      ([code, of]) => ({
        code,
        blocked: share(of.filter(({ claim }) => !claim.attributable).length, of.length),
      }),
    ),
    wrong: judgements.filter(isWrong),
  };
}

function isWrong({ outcome, claim }: Judgement): boolean {
  return outcome === (claim.attributable ? 'BLOCKED' : 'PASSED');
}

/** By a name, in the order in which names first come; what has none is left out. */
function grouped(
  judgements: readonly Judgement[],
  nameOf: (judgement: Judgement) => string | null,
): [string, Judgement[]][] {
  const groups = new Map<string, Judgement[]>();
  for (const judgement of judgements) {
    const name = nameOf(judgement);
    if (name === null) continue;
    const group = groups.get(name);
    if (group) group.push(judgement);
    else groups.set(name, [judgement]);
  }
  return [...groups];
}

function figures(judgements: readonly Judgement[]): CitationFigures {
  const count = (outcome: ClaimOutcome) => ({
    attributable: judgements.filter((each) => each.outcome === outcome && each.claim.attributable).length,
    not: judgements.filter((each) => each.outcome === outcome && !each.claim.attributable).length,
  });
  const outcomes = {
    PASSED: count('PASSED'),
    BLOCKED: count('BLOCKED'),
    NOT_EVALUATED: count('NOT_EVALUATED'),
    ABSTAINED: count('ABSTAINED'),
  };
  const { PASSED: passed, BLOCKED: blocked, NOT_EVALUATED: silent } = outcomes;
  const precision = share(passed.attributable, passed.attributable + passed.not);
  const recall = share(passed.attributable, passed.attributable + blocked.attributable + silent.attributable);
  return {
    claims: judgements.length,
    attributable: judgements.filter(({ claim }) => claim.attributable).length,
    outcomes,
    precision,
    recall,
    f1: harmonicMean(precision.value, recall.value),
    notEvaluated: share(silent.attributable + silent.not, judgements.length),
    blockPrecision: share(blocked.not, blocked.not + blocked.attributable),
    blockRecall: share(blocked.not, blocked.not + passed.not + silent.not),
  };
}

function share(count: number, of: number): Share {
  return { value: of === 0 ? null : count / of, count, of };
}

function harmonicMean(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return null;
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
