import { sha256 } from '../contracts/digest.js';
import type {
  DecidedBy,
  Finding,
  GuardVerdict,
  JudgeRef,
  PersonRef,
  ReviewOutcome,
  ReviewStatus,
  VerifiedDraft,
} from '../contracts/generated.js';
import type { ErrorCode } from '../contracts/errors.js';
import { derivedEventId } from '../contracts/ids.js';
import { fallbackDraft, fallbackLimitation } from '../evidence/fixed-texts.js';
import type { Emission, Envelope } from '../station/station.js';

/** What review publishes. */

/** Why the fixed text goes out in place of a report. */
export type FallbackReason = 'ATTEMPTS' | 'DEADLINE' | 'BUDGET' | 'AGENT';

/** What was decided about a draft, by whom, and on what it rests. */
export interface Decided {
  readonly decision: ReviewOutcome;
  readonly status: ReviewStatus | null;
  readonly findings: readonly Finding[];
  readonly code: ErrorCode | null;
  /** The judge that was asked, whatever came of it. */
  readonly judge: JudgeRef | null;
  /** Who decided, where no person did. */
  readonly by: 'RULES' | 'JUDGE';
  /** Null where no person decided. */
  readonly person: PersonRef | null;
}

/** The draft that a record is about. */
export type About = Pick<GuardVerdict, 'draftId' | 'attempt' | 'eventId'>;

export function reviewedRecord({ draftId, attempt, eventId }: About, decided: Decided): Emission {
  const about = { draftId, attempt, verdictEventId: eventId };
  const { decision, status, findings, code, judge, person } = decided;
  const said = { decision, status, findings, code, decidedBy: decidedByOf(decided), judge, person };
  return { topic: 'reviewed.v1', body: { ...about, ...said, ext: {} } };
}

/** @param replaces event_id of the FALLBACK that went out before */
export function verifiedRecord(verdict: GuardVerdict, decided: Decided, replaces: string | null): Emission {
  const { draft, lookups, analyses, quotes } = verdict;
  const { findings } = decided;
  const proven = { outcome: 'VERIFIED' as const, draft, lookups, analyses, quotes, findings };
  return { topic: 'verified.v1', body: { ...frame(verdict, decided), ...proven, replaces } };
}

export function fallbackRecord(verdict: GuardVerdict, decided: Decided, reason: FallbackReason): Emission {
  const fallback = { reason, zh: fallbackLimitation.zh, en: fallbackLimitation.en };
  const fixed = { outcome: 'FALLBACK' as const, draft: fallbackDraft('en'), fallback };
  return { topic: 'verified.v1', body: { ...frame(verdict, decided), ...fixed } };
}

/** The id of the outcome that follows from the event: each event has one at most. */
export function outcomeEventIdOf({
  runId,
  eventId,
}: {
  readonly runId: string;
  readonly eventId: string;
}): string {
  const from = { station: 'review', runId, inputEventId: eventId, topic: 'verified.v1' as const, ordinal: 0 };
  return derivedEventId(sha256, from);
}

function frame(
  { draftId, attempt, eventId, prompt }: GuardVerdict,
  decided: Decided,
): Omit<VerifiedDraft, Envelope | 'outcome'> {
  return {
    draftId,
    attempt,
    draft: null,
    lookups: [],
    analyses: [],
    quotes: [],
    findings: [],
    verdictEventId: eventId,
    decidedBy: decidedByOf(decided),
    judge: decided.judge,
    person: decided.person,
    fallback: null,
    replaces: null,
    prompt,
    ext: {},
  };
}

function decidedByOf({ by, person }: Decided): DecidedBy {
  return person === null ? by : 'PERSON';
}
