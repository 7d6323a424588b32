import type { Codec } from '../src/contracts/codec.js';
import { sha256 } from '../src/contracts/digest.js';
import type { ErrorCode, ErrorParams } from '../src/contracts/errors.js';
import { isProoflineError, ProoflineError } from '../src/contracts/errors.js';
import type { DraftSubmitted } from '../src/contracts/generated.js';
import { deadlineEventId, draftEventId, GIVEN_UP_DRAFT_ID } from '../src/contracts/ids.js';
import { readDraft } from '../src/guard/draft.js';
import type { EvidenceEntry, GuardTools } from '../src/guard/entries.js';
import type { GuardResult } from '../src/guard/guard.js';
import {
  judgeSubmission,
  withoutLargeParts,
  type SubmissionEvidence,
  type VerdictBody,
} from '../src/guard/judge-submission.js';
import { defaultGuardLimits, type GuardLimits } from '../src/guard/limits.js';
import { cachedViews } from '../src/guard/view-cache.js';
import { createEntryReader, type EntryReader } from '../src/ledger/evidence-entries.js';
import type { Keyring } from '../src/ledger/keyring.js';
import { readEntry } from '../src/ledger/entry-state.js';
import {
  ledgerKey,
  type LedgerView,
  type ViewEntry,
  type ViewQuery,
  type ViewRead,
} from '../src/ledger/ledger-view.js';
import { cachedVerifier } from '../src/ledger/signing.js';
import { invocation } from '../src/station/invocation.js';
import type { LaneContext, Message, Outcome, Station, StationLane } from '../src/station/station.js';

/**
 * Guard: holds a draft against the frozen record of what the model was shown. It never accuses before the ledger
 * view has caught up: what is missing or not ready is read again behind a barrier that was taken after the miss.
 */

type Submission = Message<'draft-submitted.v1'>;

export interface GuardConfig {
  readonly limits: GuardLimits;
  /** How many of a run's entries are read besides those cited, to tell *other call* and *dropped* from *invented*. */
  readonly otherEntries: number;
  /** How long one batch waits for the view before it is tried again later. */
  readonly catchUpMs: number;
}

export const guardDefaults: GuardConfig = { limits: defaultGuardLimits, otherEntries: 256, catchUpMs: 2000 };

export interface GuardPorts {
  readonly ledger: LedgerView;
  readonly keyring: Keyring;
  readonly codec: Codec;
}

/** Evidence by the offset of the submission; or why it cannot be judged yet. */
type Evidence = Map<number, SubmissionEvidence | ProoflineError>;

export function guardStation(
  ports: GuardPorts,
  config: GuardConfig = guardDefaults,
): Station<'draft-submitted.v1', Evidence> {
  const tools: GuardTools = { sha256, limits: config.limits, views: cachedViews(sha256, 5000) };
  const entryReader = createEntryReader(ports.codec, ports.keyring, cachedVerifier(ports.keyring));
  return {
    name: 'guard',
    inputs: ['draft-submitted.v1'],
    maxRecords: 100,
    admit: ({ value }) => admitSubmission(value),
    open: (context) => Promise.resolve(openGuard(ports, entryReader, config, context, tools)),
  };
}

/** Refuses a record whose id is not what it says, or that hands in both a draft and its absence. */
function admitSubmission(value: DraftSubmitted): { code: ErrorCode; params: ErrorParams } | null {
  const { runId, draftId, attempt, draftJson, givenUp, occurredAt } = value;
  const byHarness = givenUp === 'DEADLINE' || givenUp === 'BUDGET';
  const expected = byHarness
    ? deadlineEventId(sha256, {
        station: 'harness',
        runId,
        deadline: occurredAt,
        topic: 'draft-submitted.v1',
        ordinal: 0,
      })
    : draftEventId(sha256, value);
  if (value.eventId !== expected) {
    return { code: 'PL_EVENT_ID', params: { found: value.eventId.slice(0, 64), expected } };
  }
  if ((draftJson === null) === (givenUp === null))
    return broken('exactly one of draft_json and given_up is set');
  if (attempt < 1) return broken(`attempt is ${attempt}`);
  if ((draftId === GIVEN_UP_DRAFT_ID) !== byHarness)
    return broken(`draft_id ${draftId} is for runs given up by the harness`);
  return null;
}

function broken(problem: string): { code: ErrorCode; params: ErrorParams } {
  return { code: 'PL_INVARIANT', params: { problem } };
}

function openGuard(
  { ledger, codec }: GuardPorts,
  entryReader: EntryReader,
  config: GuardConfig,
  { lane }: LaneContext,
  tools: GuardTools,
): StationLane<'draft-submitted.v1', Evidence> {
  const isReady = (entry: ViewEntry): boolean => readEntry(codec, entry.value)?.state === 'READY';

  async function prepare(submissions: readonly Submission[]): Promise<Evidence> {
    const queries = submissions.map((submission) => queryOf(submission, config));
    let read = await readView(queries);
    if (lacksEntries(queries, read, isReady)) {
      // Only a read behind a barrier that was taken after the miss may accuse.
      const barrier = await lane.barrier('ledger.v1');
      if (!(await ledger.whenPast(lane.partition, barrier, config.catchUpMs)))
        throw behind('it is not past the barrier');
      read = await readView(queries);
    }
    const evidence: Evidence = new Map();
    for (const [i, submission] of submissions.entries()) {
      evidence.set(submission.record.offset, await evidenceOf(queries[i] as ViewQuery, read));
    }
    return evidence;
  }

  async function readView(queries: readonly ViewQuery[]): Promise<ViewRead> {
    const read = await ledger.read(lane.partition, queries);
    if (read === null) throw behind('it has no position');
    return read;
  }

  async function evidenceOf(query: ViewQuery, read: ViewRead): Promise<SubmissionEvidence | ProoflineError> {
    const readAt = { partition: lane.partition, offset: read.position };
    try {
      const own = read.entries.filter((entry) => entry.runId === query.runId);
      const entries = own.map((entry) => entryReader.read(entry, readAt));
      return { entries, readAt, foreignCalls: await foreignCalls(query, entries) };
    } catch (error) {
      // A key that is not at hand holds up this draft, and those behind it.
      if (isProoflineError(error, 'PL_KEY_UNKNOWN')) return error;
      throw error;
    }
  }

  async function foreignCalls(
    query: ViewQuery,
    entries: readonly EvidenceEntry[],
  ): Promise<Map<string, string>> {
    const found = new Set(entries.map((entry) => entry.toolCallId));
    const foreign = new Map<string, string>();
    for (const id of query.toolCallIds.filter((call) => !found.has(call))) {
      const run = await ledger.foreignRun(id, query.runId);
      if (run !== null) foreign.set(id, run);
    }
    return foreign;
  }

  return {
    prepare,
    decide: (submission, evidence) => decideGuard(submission, evidence.get(submission.record.offset), tools),
    tooLarge(submission, evidence) {
      const found = evidence.get(submission.record.offset);
      if (found === undefined || found instanceof Error) throw new Error('the submission was not judged');
      const { body, result } = judgeSubmission(submission.value, found, tools);
      return verdictOutcome(submission, withoutLargeParts(body), result);
    },
  };
}

/** The calls that the draft cites; none when it cannot be read, which needs no evidence to be said. */
function queryOf({ value }: Submission, config: GuardConfig): ViewQuery {
  const reading = value.draftJson === null ? null : readDraft(value.draftJson, config.limits);
  const analyses = reading !== null && 'draft' in reading ? reading.draft.analysis : [];
  const toolCallIds = [...new Set(analyses.flatMap((analysis) => analysis.toolCallIds))];
  return { runId: value.runId, toolCallIds, others: toolCallIds.length === 0 ? 0 : config.otherEntries };
}

/** True when a cited call has no entry, or one that is not ready: more may be on its way to the view. */
function lacksEntries(
  queries: readonly ViewQuery[],
  read: ViewRead,
  isReady: (entry: ViewEntry) => boolean,
): boolean {
  const ready = new Set(
    read.entries.filter(isReady).map((entry) => ledgerKey(entry.runId, entry.toolCallId)),
  );
  return queries.some(({ runId, toolCallIds }) => toolCallIds.some((id) => !ready.has(ledgerKey(runId, id))));
}

function behind(problem: string): ProoflineError {
  return new ProoflineError('PL_LEDGER_BEHIND', { problem });
}

/** Pure: the verdict on a submission. */
function decideGuard(
  submission: Submission,
  evidence: SubmissionEvidence | ProoflineError | undefined,
  tools: GuardTools,
): Outcome {
  if (evidence === undefined) throw new Error('the submission was not prepared');
  if (evidence instanceof Error) return { kind: 'not-yet', code: evidence.code, params: evidence.params };
  const { body, result } = judgeSubmission(submission.value, evidence, tools);
  return verdictOutcome(submission, body, result);
}

function verdictOutcome({ value }: Submission, body: VerdictBody, result: GuardResult | null): Outcome {
  return {
    kind: 'emit',
    records: [{ topic: 'verdict.v1', body }],
    invocation: invocation({
      kind: 'GUARD',
      outcome: body.status,
      code: body.ext['code'] ?? null,
      draftId: value.draftId,
      countIn: body.read.length,
      countOut: body.violationCount,
      violationCodes: [...new Set((result?.violations ?? []).map((found) => found.code))],
      facts: {
        attempt: value.attempt,
        draft_sha256: body.draftSha256,
        given_up: value.givenUp,
        cited_calls: body.read.map((read) => read.toolCallId),
        rule_sets: body.ruleSets,
      },
    }),
  };
}
