import { createCodec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import type { DraftSubmitted, GuardVerdict } from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import { toSnakeJson } from '../contracts/json.js';
import { topics } from '../contracts/topics.js';
import type { GuardTools } from '../guard/entries.js';
import { isExplainedByOthers } from '../guard/explained-by-others.js';
import {
  judgeSubmission,
  withoutLargeParts,
  type SubmissionEvidence,
  type VerdictBody,
} from '../guard/judge-submission.js';
import type { GuardLimits } from '../guard/limits.js';
import type { Comparison } from './comparison.js';
import { differencesBetween, type Difference } from './equal.js';
import { citedEvidence, withOthers, type EvidenceAgain } from './evidence-again.js';
import type { RecordedRun } from './recorded-run.js';

/** The guard's part of a replay: the draft is judged again, from what was read then. Pure. */

export interface GuardAgain {
  readonly comparison: Comparison;
  /** What the rules give now; null where too much is gone. */
  readonly verdict: GuardVerdict | null;
}

export interface GuardRules {
  readonly tools: GuardTools;
  /** How many of a run's other entries explain a violation. */
  readonly otherEntries: number;
}

export function judgeAgain(recorded: GuardVerdict, run: RecordedRun, rules: GuardRules): GuardAgain {
  const found = submissionOf(recorded, run);
  const cited = citedEvidence(recorded, run);
  const gone = [...(found === null ? ['the text of the draft'] : []), ...cited.gone];
  if (found === null || gone.length > 0) {
    // What the ledger may not say is a difference, whatever else is gone.
    const comparison: Comparison =
      cited.changed.length > 0 ? { kind: 'DIFFERENT', differences: cited.changed } : { kind: 'GONE', gone };
    return { comparison, verdict: null };
  }
  const { body, evidence } = judged(found, cited, recorded, run, rules);
  const verdict = verdictOf(found.submission, body);
  return { verdict, comparison: comparisonOf(differencesBetween(recorded, verdict), evidence) };
}

function comparisonOf(differences: readonly Difference[], { changed, uncertain }: EvidenceAgain): Comparison {
  if (changed.length > 0) return { kind: 'DIFFERENT', differences: [...changed, ...differences] };
  if (differences.length === 0) return { kind: 'EQUAL' };
  return uncertain.length > 0 ? { kind: 'GONE', gone: uncertain } : { kind: 'DIFFERENT', differences };
}

/** What was handed in, and whether its text is the one that came. */
interface Found {
  readonly submission: DraftSubmitted;
  /** The text is gone; this is the draft as the verdict has it. */
  readonly fromVerdict: boolean;
}

/** Of what was handed in again, the first counts: its time is the verdict's. */
function submissionOf(verdict: GuardVerdict, { drafts }: RecordedRun): Found | null {
  const same = drafts.filter(({ eventId }) => eventId === verdict.causedBy);
  const first = same.find(({ occurredAt }) => occurredAt === verdict.occurredAt) ?? same[0];
  if (first !== undefined) return { submission: first, fromVerdict: false };
  const { draft, draftSha256, ext, causedBy, runId, occurredAt, draftId, attempt } = verdict;
  const isAbandoned = verdict.status === 'ABANDONED' && draftSha256 === null;
  if (draft === null && !isAbandoned) return null;
  const { prompt, generation, limits } = verdict;
  const submission = {
    eventId: causedBy ?? '',
    causedBy: null,
    runId,
    occurredAt,
    draftId,
    attempt,
    draftJson: draft === null ? null : JSON.stringify(toSnakeJson(draft, new Set())),
    givenUp: draft === null ? ((ext['given_up'] ?? 'AGENT') as DraftSubmitted['givenUp']) : null,
    prompt,
    generation,
    limits,
    ext: {},
  };
  return { submission, fromVerdict: true };
}

/** As the guard does: by the cited entries, and by the others only where they can explain something. */
function judged(
  { submission, fromVerdict }: Found,
  again: EvidenceAgain,
  recorded: GuardVerdict,
  run: RecordedRun,
  { tools, otherEntries }: GuardRules,
): { readonly body: VerdictBody; readonly evidence: EvidenceAgain } {
  const limits = fromVerdict ? ofAnyLength(tools.limits) : tools.limits;
  const judge = (evidence: SubmissionEvidence): ReturnType<typeof judgeSubmission> =>
    judgeSubmission(submission, evidence, { ...tools, limits });
  const first = judge(again.evidence);
  const isExplained = first.result?.violations.some(isExplainedByOthers) === true;
  const evidence = isExplained ? withOthers(again, recorded, run, otherEntries) : again;
  const { body } = isExplained ? judge(evidence.evidence) : first;
  return { evidence, body: fromVerdict ? { ...body, draftSha256: recorded.draftSha256 } : body };
}

const lifted = new WeakMap<GuardLimits, GuardLimits>();

/** What is written anew may be longer than what came, and what came was short enough. */
function ofAnyLength(limits: GuardLimits): GuardLimits {
  const known = lifted.get(limits) ?? { ...limits, draftBytes: Infinity };
  lifted.set(limits, known);
  return known;
}

function verdictOf(submission: DraftSubmitted, body: VerdictBody): GuardVerdict {
  const { runId, eventId: causedBy, occurredAt } = submission;
  const from = { station: 'guard', runId, inputEventId: causedBy, topic: 'verdict.v1' as const, ordinal: 0 };
  const envelope = { eventId: derivedEventId(sha256, from), causedBy, runId, occurredAt };
  const verdict = { ...envelope, ...body };
  return isTooLarge(verdict) ? { ...envelope, ...withoutLargeParts(body) } : verdict;
}

const codec = createCodec();
/** More than key and headers of a record take. */
const AROUND_BYTES = 1024;

/** One that no record holds whole goes without its large parts. */
function isTooLarge(verdict: GuardVerdict): boolean {
  return codec.encode('verdict.v1', verdict).length + AROUND_BYTES > topics['verdict.v1'].maxBytes;
}
