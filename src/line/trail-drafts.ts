import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import type {
  Draft,
  Finding,
  GivenUp,
  GuardVerdict,
  PersonRef,
  QuoteOutcome,
  ReviewDecision,
  ToolInvocation,
  VerifiedDraft,
} from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import { readDraft } from '../guard/draft.js';
import { defaultGuardLimits } from '../guard/limits.js';
import { isCounted } from '../review/decision-counted.js';
import { factsOf, numberIn, objectsIn, textIn } from '../trace/facts.js';
import { firstOfEach, seenMessages, type Seen } from './run-messages.js';
import type { Kept, RunData } from './run-snapshot.js';

/** The story of each draft of a run: what it cites, what the guard and review said, what became of it. */

export interface DraftTrail {
  /** event_id of what was handed in. */
  readonly eventId: string;
  /** Null where nothing tells any more. */
  readonly draftId: string | null;
  readonly attempt: number | null;
  /** Set when the run was given up instead. */
  readonly givenUp: GivenUp | null;
  /** Wall clock, epoch milliseconds; null where nothing tells. */
  readonly submittedAt: number | null;
  readonly judgedAt: number | null;
  readonly guardTook: number | null;
  /** How often the same was handed in again. */
  readonly repeats: number;
  /** The draft as it was read; null where it could not be read, or where its text is gone. */
  readonly draft: Draft | null;
  /** Where the draft's text is: with the topics or the audit; null where it is gone. */
  readonly textFrom: 'TOPIC' | 'AUDIT' | null;
  /** The guard gave it up: it lies with the dead letters, and has no verdict. */
  readonly lost: boolean;
  /** Null while the guard has not judged. */
  readonly verdict: VerdictTrail | null;
  /** In order: the rules' or the judge's first, a person's later. */
  readonly reviews: readonly ReviewTrail[];
  readonly repair: { readonly attemptsLeft: number; readonly findings: number } | null;
  /** What people decided about it, in order; empty where its topic forgot them. What counted is in `reviews` too. */
  readonly decisions: readonly DecisionTrail[];
  readonly outcome: OutcomeTrail | null;
}

export interface DecisionTrail extends Pick<ReviewDecision, 'decision' | 'by' | 'reason'> {
  readonly at: number | null;
  /** False where it changed nothing: another one came first, or the draft was not held. */
  readonly counted: boolean;
}

export interface OutcomeTrail extends Pick<VerifiedDraft, 'eventId' | 'outcome' | 'replaces'> {
  /** Why there is no verified draft; null where there is one. */
  readonly fallbackReason: string | null;
}

export interface VerdictTrail {
  readonly eventId: string;
  readonly status: string;
  readonly code: string | null;
  readonly ruleSets: readonly string[];
  readonly draftSha256: string | null;
  readonly violations: readonly ViolationTrail[];
  readonly violationCount: number;
  /** Where its quotes stand; empty where only the audit is left. */
  readonly quotes: readonly QuoteOutcome[];
}

/** Path and message are null where only the audit is left. */
export interface ViolationTrail {
  readonly code: string;
  readonly path: string | null;
  readonly message: string | null;
}

export interface ReviewTrail {
  readonly at: number | null;
  readonly status: string | null;
  readonly decision: string;
  readonly decidedBy: string | null;
  readonly person: PersonRef | null;
  readonly code: string | null;
  readonly findings: readonly Pick<Finding, 'path' | 'status' | 'reason'>[];
}

/** All that was said of the run's drafts. */
interface Said {
  readonly data: RunData;
  readonly verdicts: readonly Seen<'verdict.v1'>[];
  readonly reviewed: readonly Seen<'reviewed.v1'>[];
  readonly repairs: readonly Seen<'repair-requested.v1'>[];
  readonly verified: readonly Seen<'verified.v1'>[];
}

/** The run's drafts in the order in which they were handed in. */
export function draftTrails(data: RunData, codec: Codec): DraftTrail[] {
  const said: Said = {
    data,
    verdicts: seenMessages(data, codec, 'verdict.v1'),
    reviewed: seenMessages(data, codec, 'reviewed.v1'),
    repairs: seenMessages(data, codec, 'repair-requested.v1'),
    verified: seenMessages(data, codec, 'verified.v1'),
  };
  const submissions = data.records['draft-submitted.v1'].map(({ message }) => message.eventId);
  const judged = said.verdicts.flatMap(({ message }) => message.causedBy ?? []);
  const noted = data.audit.invocations.flatMap((note) =>
    note.kind === 'GUARD' && note.causedBy !== null ? [note.causedBy] : [],
  );
  // What only the audit has lies before what the topics still keep.
  return [...new Set([...noted, ...judged, ...submissions])].map((eventId) => draftTrail(said, eventId));
}

function draftTrail(said: Said, eventId: string): DraftTrail {
  const { data } = said;
  const handedIn = data.records['draft-submitted.v1'].filter(({ message }) => message.eventId === eventId);
  const [first] = handedIn;
  const note = data.audit.invocations.find((each) => each.kind === 'GUARD' && each.causedBy === eventId);
  const verdict = said.verdicts.find(({ message }) => message.causedBy === eventId);
  const verdictEventId = verdict?.message.eventId ?? verdictIdOf(data.runId, eventId);
  const about = first?.message ?? verdict?.message;
  return {
    eventId,
    draftId: about?.draftId ?? note?.draftId ?? null,
    attempt: about?.attempt ?? numberIn(factsOf(note)['attempt']),
    givenUp: first?.message.givenUp ?? (textIn(factsOf(note)['given_up']) as GivenUp | null),
    submittedAt: first?.timestamp ?? note?.measured.startedAt ?? null,
    judgedAt: verdict?.timestamp ?? note?.measured.finishedAt ?? null,
    guardTook: note === undefined ? null : note.measured.finishedAt - note.measured.startedAt,
    repeats: Math.max(0, handedIn.length - 1),
    lost: verdict === undefined && wasGivenUp(data, eventId, about?.draftId ?? null),
    ...textOf(first, verdict),
    verdict: verdictTrail(verdict?.message, note, verdictEventId),
    reviews: reviewTrails(said, verdictEventId),
    decisions: decisionTrails(said, verdictEventId),
    repair: repairTrail(said, verdictEventId),
    outcome: outcomeOf(said, verdictEventId),
  };
}

function wasGivenUp({ audit, deadLetters }: RunData, eventId: string, draftId: string | null): boolean {
  if (deadLetters.some(({ message }) => message.causedBy === eventId)) return true;
  return audit.invocations.some(
    (note) => note.kind === 'DEAD_LETTER' && note.draftId === draftId && draftId !== null,
  );
}

/** Event ids are derived, so the verdict's is known also where the verdict is gone. */
function verdictIdOf(runId: string, inputEventId: string): string {
  return derivedEventId(sha256, { station: 'guard', runId, inputEventId, topic: 'verdict.v1', ordinal: 0 });
}

/** The draft as the verdict has it, else as the text reads. */
function textOf(
  submission: Kept<'draft-submitted.v1'> | undefined,
  verdict: Seen<'verdict.v1'> | undefined,
): Pick<DraftTrail, 'draft' | 'textFrom'> {
  const draftJson = submission?.message.draftJson ?? null;
  const judged = verdict?.message.draft ?? null;
  if (draftJson !== null) return { draft: judged ?? readOrNull(draftJson), textFrom: 'TOPIC' };
  if (judged === null) return { draft: null, textFrom: null };
  return { draft: judged, textFrom: verdict?.timestamp === null ? 'AUDIT' : 'TOPIC' };
}

function readOrNull(draftJson: string): Draft | null {
  const reading = readDraft(draftJson, defaultGuardLimits);
  return 'draft' in reading ? reading.draft : null;
}

function verdictTrail(
  verdict: GuardVerdict | undefined,
  note: ToolInvocation | undefined,
  eventId: string,
): VerdictTrail | null {
  if (verdict === undefined) return note === undefined ? null : verdictNoted(note, eventId);
  const { status, ruleSets, draftSha256, violations, violationCount, quotes, ext } = verdict;
  return {
    eventId,
    status,
    code: ext['code'] ?? null,
    ruleSets,
    draftSha256,
    violations: violations.map(({ code, path, message }) => ({ code, path, message })),
    violationCount,
    quotes,
  };
}

/** The audit keeps which violations there were, without their places. */
function verdictNoted(note: ToolInvocation, eventId: string): VerdictTrail {
  const facts = factsOf(note);
  const ruleSets = Array.isArray(facts['rule_sets']) ? facts['rule_sets'] : [];
  return {
    eventId,
    status: note.outcome,
    code: note.code,
    ruleSets: ruleSets.filter((each) => typeof each === 'string'),
    draftSha256: textIn(facts['draft_sha256']),
    violations: note.violationCodes.map((code) => ({ code, path: null, message: null })),
    violationCount: note.countOut,
    quotes: [],
  };
}

function reviewTrails({ data, reviewed }: Said, verdictEventId: string): ReviewTrail[] {
  const known = reviewed.filter(({ message }) => message.verdictEventId === verdictEventId);
  if (known.length > 0)
    return known.map(({ timestamp, message }) => {
      const { status, decision, decidedBy, person, code } = message;
      const findings = message.findings.map(({ path, status: found, reason }) => ({
        path,
        status: found,
        reason,
      }));
      return { at: timestamp, status, decision, decidedBy, person, code, findings };
    });
  return data.audit.invocations
    .filter((note) => note.kind === 'REVIEW' && note.causedBy === verdictEventId)
    .map(reviewNoted);
}

function reviewNoted(note: ToolInvocation): ReviewTrail {
  const facts = factsOf(note);
  return {
    at: note.measured.finishedAt,
    status: textIn(facts['status']),
    decision: note.outcome,
    decidedBy: null,
    person: null,
    code: note.code,
    findings: objectsIn(facts['findings']).map((finding) => ({
      path: textIn(finding['path']) ?? '',
      status: textIn(finding['status']) as Finding['status'],
      reason: textIn(finding['reason']) ?? '',
    })),
  };
}

function decisionTrails(said: Said, verdictEventId: string): DecisionTrail[] {
  const answered = reviewTrails(said, verdictEventId).filter(({ decision }) => decision !== 'STALE');
  // All decisions about a verdict have one event id, and may say different things: each is told.
  return said.data.records['review-decision.v1']
    .filter(({ message }) => message.verdictEventId === verdictEventId)
    .map(({ timestamp, message: { decision, by, reason } }) => {
      const counted = answered.some((review) => isCounted({ decision, by, reason }, review));
      return { at: timestamp, decision, by, reason, counted };
    });
}

/** A repair follows from the verdict, or from what a person decided about it. */
function repairTrail({ data, repairs }: Said, verdictEventId: string): DraftTrail['repair'] {
  const decisions = data.records['review-decision.v1'].filter(
    ({ message }) => message.verdictEventId === verdictEventId,
  );
  const causes = new Set([verdictEventId, ...decisions.map(({ message }) => message.eventId)]);
  const repair = repairs.find(({ message }) => message.causedBy !== null && causes.has(message.causedBy));
  if (repair === undefined) return null;
  const { attemptsLeft, findings, more } = repair.message;
  return { attemptsLeft, findings: findings.length + more };
}

function outcomeOf({ verified }: Said, verdictEventId: string): DraftTrail['outcome'] {
  const found = verified.find(({ message }) => message.verdictEventId === verdictEventId);
  if (found === undefined) return null;
  const { eventId, outcome, replaces, fallback } = found.message;
  return { eventId, outcome, replaces, fallbackReason: fallback?.reason ?? null };
}

/** How a run ended, or where it stands. */
export interface RunOutcomeTrail {
  /** HELD: a person must decide. OPEN: nothing was decided yet. */
  readonly kind: VerifiedDraft['outcome'] | 'HELD' | 'OPEN';
  readonly eventId: string | null;
  readonly at: number | null;
  readonly draftId: string | null;
  readonly decidedBy: string | null;
  /** event_id of the FALLBACK that was published before. */
  readonly replaces: string | null;
}

/** The last outcome counts: a verified draft may replace a fallback. */
export function runOutcome(data: RunData, codec: Codec, drafts: readonly DraftTrail[]): RunOutcomeTrail {
  const verified = firstOfEach(seenMessages(data, codec, 'verified.v1'), ({ message }) => message.eventId);
  const last = verified.at(-1);
  if (last !== undefined) {
    const { eventId, outcome, draftId, decidedBy, replaces } = last.message;
    return { kind: outcome, eventId, at: last.timestamp, draftId, decidedBy, replaces };
  }
  const undecided = { eventId: null, at: null, decidedBy: null, replaces: null };
  const held = drafts.findLast(({ reviews }) => reviews.at(-1)?.decision === 'HOLD');
  const later = held === undefined ? [] : drafts.slice(drafts.indexOf(held) + 1);
  const stands = held !== undefined && later.every(({ reviews }) => reviews.at(-1)?.decision === 'STALE');
  return { ...undecided, kind: stands ? 'HELD' : 'OPEN', draftId: stands ? held.draftId : null };
}
