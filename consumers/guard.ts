import type { Codec } from '../src/contracts/codec.js';
import { sha256 } from '../src/contracts/digest.js';
import { isProoflineError, ProoflineError } from '../src/contracts/errors.js';
import { admitSubmission } from '../src/guard/admit-submission.js';
import { readDraft } from '../src/guard/draft.js';
import type { EvidenceEntry, GuardTools } from '../src/guard/entries.js';
import { isExplainedByOthers } from '../src/guard/explained-by-others.js';
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
import type { EntryVerifier } from '../src/ledger/signing.js';
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
  readonly verify: EntryVerifier;
  readonly codec: Codec;
}

/**
 * What a submission comes to. It is judged while it is prepared, since only the judgement tells whether more has to be
 * read; a rule that threw throws again when it is decided, where that becomes a dead letter.
 */
type Prepared =
  | { readonly kind: 'judged'; readonly body: VerdictBody; readonly result: GuardResult | null }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'not-yet'; readonly error: ProoflineError };

/** By the offset of the submission. */
type Judgements = Map<number, Prepared>;

export function guardStation(
  ports: GuardPorts,
  config: GuardConfig = guardDefaults,
): Station<'draft-submitted.v1', Judgements> {
  const tools: GuardTools = { sha256, limits: config.limits, views: cachedViews(sha256, 5000) };
  const entryReader = createEntryReader(ports.codec, ports.keyring, ports.verify);
  return {
    name: 'guard',
    inputs: ['draft-submitted.v1'],
    maxRecords: 500,
    admit: ({ value }) => admitSubmission(value, sha256),
    open: (context) => Promise.resolve(openGuard(ports, entryReader, config, context, tools)),
  };
}

function openGuard(
  { ledger, codec }: GuardPorts,
  entryReader: EntryReader,
  config: GuardConfig,
  { lane, bus }: LaneContext,
  tools: GuardTools,
): StationLane<'draft-submitted.v1', Judgements> {
  const isReady = (entry: ViewEntry): boolean => readEntry(codec, entry.value)?.state === 'READY';
  /** What was read at one position, and what an accusation rests on, no later read may fall behind. */
  let readTo = 0;

  async function prepare(submissions: readonly Submission[]): Promise<Judgements> {
    const queries = submissions.map((submission) => queryOf(submission, config.limits));
    let read = await readView(queries);
    if (lacksEntries(queries, read, isReady)) {
      // Only a read behind a barrier that was taken after the miss may accuse.
      const barrier = await lane.barrier('ledger.v1');
      const caughtUp = await ledger.whenPast(lane.partition, barrier, config.catchUpMs);
      if (!caughtUp) throw behind('it is not past the barrier');
      readTo = Math.max(readTo, barrier + 1);
      read = await readView(queries);
      // A view of a log that was made anew may be further than the log is: it proves nothing about it.
      const { end } = await bus.bounds('ledger.v1', lane.partition);
      if (read.position > end) throw behind('it is further than its log');
    }
    const judgements: Judgements = new Map();
    for (const [i, submission] of submissions.entries()) {
      judgements.set(submission.record.offset, await judged(submission, queries[i] as ViewQuery, read));
    }
    return judgements;
  }

  async function readView(queries: readonly ViewQuery[]): Promise<ViewRead> {
    const read = await ledger.read(lane.partition, queries);
    if (read === null) throw behind('it has no position');
    if (read.position < readTo) throw behind(`it went back to ${read.position}`);
    readTo = read.position;
    return read;
  }

  /** By the cited entries; and by the run's others only where they can explain something: most drafts need none. */
  async function judged(submission: Submission, query: ViewQuery, read: ViewRead): Promise<Prepared> {
    try {
      const first = judge(submission, await evidenceOf(query, read), tools);
      const isExplained = first.kind === 'judged' && first.result?.violations.some(isExplainedByOthers);
      if (isExplained !== true) return first;
      const wider = { ...query, others: config.otherEntries };
      return judge(submission, await evidenceOf(wider, await readView([wider])), tools);
    } catch (error) {
      // A key that is not at hand holds up this draft, and those behind it.
      if (isProoflineError(error, 'PL_KEY_UNKNOWN')) return { kind: 'not-yet', error };
      throw error;
    }
  }

  async function evidenceOf(query: ViewQuery, read: ViewRead): Promise<SubmissionEvidence> {
    const readAt = { partition: lane.partition, offset: read.position };
    const wanted = new Set(query.toolCallIds);
    const own = read.entries.filter((entry) => entry.runId === query.runId);
    const entries = own
      .filter((entry) => query.others > 0 || wanted.has(entry.toolCallId))
      .map((entry) => entryReader.read(entry, readAt));
    return { entries, readAt, foreignCalls: await foreignCalls(query, entries) };
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
    decide: (submission, judgements) => decideGuard(submission, judgements.get(submission.record.offset)),
    tooLarge(submission, judgements) {
      const found = judgements.get(submission.record.offset);
      if (found?.kind !== 'judged') throw new Error('the submission was not judged');
      return verdictOutcome(submission, withoutLargeParts(found.body), found.result);
    },
  };
}

/** Pure. */
function judge({ value }: Submission, evidence: SubmissionEvidence, tools: GuardTools): Prepared {
  try {
    return { kind: 'judged', ...judgeSubmission(value, evidence, tools) };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

/** The calls that the draft cites; none when it cannot be read, which needs no evidence to be said. */
function queryOf({ value }: Submission, limits: GuardLimits): ViewQuery {
  const reading = value.draftJson === null ? null : readDraft(value.draftJson, limits);
  const analyses = reading !== null && 'draft' in reading ? reading.draft.analysis : [];
  const toolCallIds = [...new Set(analyses.flatMap((analysis) => analysis.toolCallIds))];
  return { runId: value.runId, toolCallIds, others: 0 };
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
function decideGuard(submission: Submission, prepared: Prepared | undefined): Outcome {
  switch (prepared?.kind) {
    case 'judged':
      return verdictOutcome(submission, prepared.body, prepared.result);
    case 'not-yet':
      return { kind: 'not-yet', code: prepared.error.code, params: prepared.error.params };
    case 'threw':
      throw prepared.error;
    case undefined:
      throw new Error('the submission was not prepared');
  }
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
