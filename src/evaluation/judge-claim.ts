import { checkQuote } from '../citation/check-quote.js';
import type { QuoteSource } from '../citation/check-quote.js';
import { prepareQuote } from '../citation/prepared-quote.js';
import { shownText } from '../citation/shown-text.js';
import type { Draft, Finding, LookupSnapshot } from '../contracts/generated.js';
import { reviewDraft } from '../review/rules/review.js';
import { claimKind } from '../spans/claim-kind.js';

/** A passage that a claim names as its source. */
export interface Reference {
  readonly documentId: string;
  readonly excerpt: string;
  readonly title: string | null;
}

export interface QuoteOfClaim {
  readonly documentId: string;
  readonly text: string;
  readonly prefix: string | null;
  readonly suffix: string | null;
}

/** A claim with its sources, and whether a person who reads them would say that they carry it. */
export interface LabelledClaim {
  readonly id: string | null;
  /** How it was made, for figures by kind. */
  readonly kind: string;
  readonly claim: string;
  readonly quotes: readonly QuoteOfClaim[];
  readonly references: readonly Reference[];
  readonly attributable: boolean;
  /** Which part of the set it is in, such as dev or test. */
  readonly split: string | null;
}

/**
 * What the checks that block say of a claim. PASSED: nothing against it. BLOCKED: a quote or a rule is against it.
 * NOT_EVALUATED: nothing to compare it by. ABSTAINED: it says that nothing is known, which is neither right nor wrong.
 */
export type ClaimOutcome = 'PASSED' | 'BLOCKED' | 'NOT_EVALUATED' | 'ABSTAINED';

export interface JudgedClaim {
  readonly outcome: ClaimOutcome;
  /** The code of the rule that decided, null where none had anything to say. */
  readonly code: string | null;
  readonly reason: string | null;
}

const CALL = 'references';

/** The checks that block, on one claim: quotes first, as in the guard, then the deterministic reviewer. */
export function judgeClaim(claim: LabelledClaim): JudgedClaim {
  const broken = brokenQuote(claim);
  if (broken !== null) return { outcome: 'BLOCKED', code: broken, reason: broken };
  if (claimKind(claim.claim) === 'ABSTENTION') return { outcome: 'ABSTAINED', code: null, reason: null };
  const { findings } = reviewDraft({ draft: draftOf(claim), lookups: [lookupOf(claim)] });
  return judged(findings);
}

function judged([finding]: readonly Finding[]): JudgedClaim {
  if (finding === undefined || finding.status === 'SUPPORTED')
    return { outcome: 'PASSED', code: null, reason: finding?.reason ?? null };
  const outcome = finding.status === 'NOT_EVALUATED' ? 'NOT_EVALUATED' : 'BLOCKED';
  return { outcome, code: finding.reason.split(':')[0] ?? null, reason: finding.reason };
}

/** The violation of the first quote that is not as it should be. */
function brokenQuote({ quotes, references }: LabelledClaim): string | null {
  for (const quote of quotes) {
    const own = references.filter(({ documentId }) => documentId === quote.documentId);
    if (own.length === 0) return 'DOCUMENT_NOT_SHOWN';
    const others = references.filter(({ documentId }) => documentId !== quote.documentId);
    const checked = checkQuote(prepareQuote(quote), own.map(sourceOf), others.map(sourceOf), {
      left: Infinity,
    });
    if ('violation' in checked) return checked.violation;
  }
  return null;
}

function sourceOf({ documentId, excerpt }: Reference): QuoteSource {
  return { toolCallId: null, documentId, shown: shownText(excerpt), whole: () => null };
}

function draftOf({ claim, quotes, references }: LabelledClaim): Draft {
  const documentIds = references.map(({ documentId }) => documentId);
  return {
    analysis: [{ id: 'a1', kind: 'NORMAL', text: claim, toolCallIds: [CALL], documentIds, quotes }],
    conclusion: null,
    actionPlan: [],
    limitations: [],
  };
}

/** The references as one precise lookup: a set of claims has no grades of retrieval. */
function lookupOf({ references }: LabelledClaim): LookupSnapshot {
  return {
    toolCallId: CALL,
    query: '',
    evidenceStatus: references.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    relevanceLevel: references.length > 0 ? 'PRECISE' : null,
    truncated: false,
    cuts: [],
    noEvidenceBasis: null,
    agentViewSha256: '',
    items: references.map(({ documentId, excerpt, title }) => ({
      documentId,
      excerpt,
      title,
      source: null,
      breadcrumb: null,
    })),
  };
}
