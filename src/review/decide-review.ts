import { sha256 } from '../contracts/digest.js';
import type { ErrorCode } from '../contracts/errors.js';
import type {
  Finding,
  GuardVerdict,
  ReviewOutcome,
  ReviewStatus,
  RunOutcome,
  VerifiedDraft,
} from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import { fallbackDraft, fallbackLimitation } from '../evidence/fixed-texts.js';
import { invocation } from '../station/invocation.js';
import type { Emission, Envelope, Outcome } from '../station/station.js';
import { isLedgerFault } from './ledger-fault.js';
import type { reviewDraft } from './rules/review.js';

/**
 * What becomes of a verdict: publish, ask for a repair, hold for a person, fall back, or nothing because the run
 * is past it. One run has one outcome, whatever comes again, late or out of order. Pure.
 */

export type RunProgress = Omit<RunOutcome, Envelope>;

/** Reviews a draft that passed the guard. */
export type Reviewer = (
  draft: NonNullable<GuardVerdict['draft']>,
  lookups: GuardVerdict['lookups'],
) => ReturnType<typeof reviewDraft>;

/** A decision and what it rests on. */
interface Decided {
  readonly decision: ReviewOutcome;
  readonly status: ReviewStatus | null;
  readonly findings: readonly Finding[];
  readonly code: ErrorCode | null;
}

/** Most judged drafts that are remembered of a run. */
const REMEMBERED_DRAFTS = 1000;

export const noProgress: RunProgress = {
  judged: [],
  lastAttempt: 0,
  attempts: 0,
  limits: null,
  outcome: null,
  outcomeEventId: null,
  held: null,
};

/** The outcome for the station, and the run's progress after it. Null progress: it stays as it was. */
export function decideReview(
  verdict: GuardVerdict,
  progress: RunProgress,
  review: Reviewer,
): { readonly outcome: Outcome; readonly progress: RunProgress | null } {
  if (progress.judged.some((each) => each.verdictEventId === verdict.eventId)) return repeated(verdict);
  const decided = stale(verdict, progress) ?? judged(verdict, review);
  const after = decided.decision === 'STALE' ? null : progressAfter(verdict, progress, decided);
  const records: Emission[] = [reviewedRecord(verdict, decided)];
  const verified = verifiedRecord(verdict, progress, decided);
  if (verified !== null) records.push(verified);
  if (after !== null) records.push({ topic: 'run-outcome.v1', body: after });
  return { outcome: { kind: 'emit', records, invocation: note(verdict, decided) }, progress: after };
}

/** The same verdict again, as topics may repeat events: it was decided about, and nothing new follows. */
function repeated(verdict: GuardVerdict): { outcome: Outcome; progress: null } {
  const fields = { kind: 'REVIEW', outcome: 'REPEAT', draftId: verdict.draftId, countIn: 1, countOut: 0 };
  return { outcome: { kind: 'emit', records: [], invocation: invocation(fields) }, progress: null };
}

function stale({ draftId, attempt, status }: GuardVerdict, progress: RunProgress): Decided | null {
  const decided = { decision: 'STALE' as const, status: null, findings: [] };
  if (progress.judged.some((each) => each.draftId === draftId))
    return { ...decided, code: 'PL_REPEAT_CONFLICT' };
  if (progress.outcome === 'VERIFIED' || attempt < progress.lastAttempt) return { ...decided, code: null };
  // Giving up a run that has fallen back already changes nothing.
  if (progress.outcome === 'FALLBACK' && status === 'ABANDONED') return { ...decided, code: null };
  return null;
}

function judged(verdict: GuardVerdict, review: Reviewer): Decided {
  const nothing = { status: null, findings: [] };
  if (verdict.status === 'ABANDONED') return { ...nothing, decision: 'FALLBACK', code: null };
  if (verdict.ext['code'] === 'PL_VERDICT_TOO_LARGE')
    return { ...nothing, decision: 'HOLD', code: 'PL_VERDICT_TOO_LARGE' };
  if (verdict.status === 'REJECTED')
    return { ...nothing, decision: isLedgerFault(verdict) ? 'HOLD' : 'REPAIR', code: null };
  if (verdict.draft === null) throw new Error('a PASSED verdict has no draft');
  const { status, findings } = review(verdict.draft, verdict.lookups);
  if (quotesUnchecked(verdict)) return { decision: 'HOLD', status, findings, code: 'PL_QUOTES_UNCHECKED' };
  return { decision: isPublishable(status) ? 'PUBLISH' : 'HOLD', status, findings, code: null };
}

function isPublishable(status: ReviewStatus): boolean {
  return status === 'SUPPORTED' || status === 'ABSTAINED';
}

function quotesUnchecked({ draft, ruleSets }: GuardVerdict): boolean {
  return (
    !ruleSets.includes('quotes-1') && (draft?.analysis ?? []).some((analysis) => analysis.quotes.length > 0)
  );
}

function reviewedRecord(verdict: GuardVerdict, decided: Decided): Emission {
  const { draftId, attempt, eventId } = verdict;
  const about = { draftId, attempt, verdictEventId: eventId };
  return {
    topic: 'reviewed.v1',
    body: { ...about, ...decided, decidedBy: 'RULES', judge: null, person: null, ext: {} },
  };
}

function verifiedRecord(verdict: GuardVerdict, progress: RunProgress, decided: Decided): Emission | null {
  if (decided.decision === 'PUBLISH') {
    const { draft, lookups, analyses, quotes } = verdict;
    const proven = {
      outcome: 'VERIFIED' as const,
      draft,
      lookups,
      analyses,
      quotes,
      findings: decided.findings,
    };
    return {
      topic: 'verified.v1',
      body: { ...verifiedFrame(verdict), ...proven, replaces: progress.outcomeEventId },
    };
  }
  if (decided.decision === 'FALLBACK') {
    const fallback = { reason: 'ABANDONED', zh: fallbackLimitation.zh, en: fallbackLimitation.en };
    return {
      topic: 'verified.v1',
      body: { ...verifiedFrame(verdict), outcome: 'FALLBACK', draft: fallbackDraft('en'), fallback },
    };
  }
  return null;
}

function verifiedFrame({
  draftId,
  attempt,
  eventId,
  prompt,
}: GuardVerdict): Omit<VerifiedDraft, Envelope | 'outcome'> {
  return {
    draftId,
    attempt,
    draft: null,
    lookups: [],
    analyses: [],
    quotes: [],
    findings: [],
    verdictEventId: eventId,
    decidedBy: 'RULES',
    judge: null,
    person: null,
    fallback: null,
    replaces: null,
    prompt,
    ext: {},
  };
}

function progressAfter(verdict: GuardVerdict, progress: RunProgress, decided: Decided): RunProgress {
  const { draftId, draftSha256, eventId, attempt, limits } = verdict;
  const ended = outcomeAfter(verdict, progress, decided);
  const costsAttempt = decided.decision === 'REPAIR' || decided.decision === 'PUBLISH';
  return {
    judged: [...progress.judged, { draftId, draftSha256, verdictEventId: eventId }].slice(-REMEMBERED_DRAFTS),
    lastAttempt: Math.max(progress.lastAttempt, attempt),
    attempts: progress.attempts + (costsAttempt ? 1 : 0),
    limits: progress.limits ?? limits,
    ...ended,
    held: decided.decision === 'HOLD' ? { verdict, findings: decided.findings } : null,
  };
}

function outcomeAfter(
  verdict: GuardVerdict,
  progress: RunProgress,
  { decision }: Decided,
): Pick<RunProgress, 'outcome' | 'outcomeEventId'> {
  const { outcome, outcomeEventId } = progress;
  const publishes = decision === 'PUBLISH' || decision === 'FALLBACK';
  if (!publishes) return { outcome, outcomeEventId };
  const from = {
    station: 'review',
    runId: verdict.runId,
    inputEventId: verdict.eventId,
    topic: 'verified.v1' as const,
  };
  return {
    outcome: decision === 'PUBLISH' ? 'VERIFIED' : 'FALLBACK',
    outcomeEventId: derivedEventId(sha256, { ...from, ordinal: 0 }),
  };
}

function note(verdict: GuardVerdict, { decision, status, findings, code }: Decided) {
  return invocation({
    kind: 'REVIEW',
    outcome: decision,
    code,
    draftId: verdict.draftId,
    countIn: 1,
    countOut: findings.length,
    violationCodes: [...new Set(verdict.violations.map((violation) => violation.code))],
    facts: {
      attempt: verdict.attempt,
      verdict: verdict.status,
      status,
      findings: findings.map(({ path, status: found, reason }) => ({ path, status: found, reason })),
    },
  });
}
