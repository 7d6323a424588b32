import type { AuditReader } from '../audit/audit-store.js';
import type { Bus, Headers } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { ProoflineError } from '../contracts/errors.js';
import type {
  DraftSubmitted,
  GuardVerdict,
  LookupRequested,
  ProjectedEvidence,
  RepairRequested,
  Reviewed,
  VerifiedDraft,
} from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import type { TopicMessages } from '../contracts/topics.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import type { Answers } from './answers.js';
import { isOutcome, keptAnswers, settledAnswer, type KeptAnswers } from './kept-answers.js';
import { createLooking, type Looking } from './looking.js';

/** What became of a draft. */
export interface SubmissionAnswer {
  readonly verdict: GuardVerdict;
  readonly reviewed: Reviewed;
  /** Set when this draft ended the run. */
  readonly verified: VerifiedDraft | null;
  /** Set when a better draft is asked for; a REPAIR that was decided by a version without prompts has none. */
  readonly repair: RepairRequested | null;
}

/** How something is asked. */
export interface Asking {
  /** Ends the waiting; what was handed in goes on. */
  readonly signal?: AbortSignal;
  /** Taken over by the records: the trace that they belong to. */
  readonly headers?: Headers;
}

/** The line's doors: they let a question in and wait for its answer. */
export interface Doors {
  /** @throws ProoflineError PL_TIMEOUT when there is no answer in time; the lookup goes on. */
  lookup(request: LookupRequested, timeoutMs: number, how?: Asking): Promise<ProjectedEvidence>;
  /** @throws ProoflineError PL_TIMEOUT when there is no answer in time; the draft is still judged. */
  submit(draft: DraftSubmitted, timeoutMs: number, how?: Asking): Promise<SubmissionAnswer>;
  /** Waits for the answer to a request that is in the log already. @throws as `lookup` */
  lookupAnswer(request: LookupRef, timeoutMs: number, how?: Asking): Promise<ProjectedEvidence>;
  /** Waits for what becomes of a draft that is in the log already. @throws as `submit` */
  draftAnswer(draft: DraftRef, timeoutMs: number, how?: Asking): Promise<SubmissionAnswer>;
}

export type LookupRef = Pick<LookupRequested, 'runId' | 'eventId'>;
export type DraftRef = Pick<DraftSubmitted, 'runId' | 'draftId' | 'eventId'>;

export interface DoorPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly emitter: Emitter;
  readonly answers: Answers;
  readonly audit: AuditReader;
}

/** How long the repair prompt of a decided draft is waited for: it is written in one step with the decision. */
const REPAIR_MS = 2000;

export function openDoors(ports: DoorPorts): Doors {
  const { bus, emitter } = ports;
  const waiting: WaitingPorts = {
    answers: ports.answers,
    kept: keptAnswers(ports.audit, ports.codec),
    looking: createLooking(),
  };

  function append<T extends 'lookup-requested.v1' | 'draft-submitted.v1'>(
    topic: T,
    message: TopicMessages[T],
    headers: Headers = {},
  ): Promise<unknown> {
    return bus.append([encodeRecord(emitter, topic, message, headers)]);
  }

  return {
    lookup: (request, timeoutMs, how = {}) =>
      awaitLookup(waiting, request, timeoutMs, how, () =>
        append('lookup-requested.v1', request, how.headers),
      ),
    lookupAnswer: (request, timeoutMs, how = {}) => awaitLookup(waiting, request, timeoutMs, how),
    async submit(draft, timeoutMs, how = {}) {
      const given = await earlierAnswer(waiting.kept, draft);
      return (
        given ??
        awaitDraft(waiting, draft, timeoutMs, how, () => append('draft-submitted.v1', draft, how.headers))
      );
    },
    draftAnswer: (draft, timeoutMs, how = {}) => awaitDraft(waiting, draft, timeoutMs, how),
  };
}

interface WaitingPorts {
  readonly answers: Answers;
  readonly kept: KeptAnswers;
  readonly looking: Looking;
}

type Ask = () => Promise<unknown>;

const nothingToAsk: Ask = () => Promise.resolve();

/** How long a record may take into the log, however short the caller waits: it is in there, or the caller is told. */
const ASK_MS = 5000;

/** @throws ProoflineError PL_BUS_DOWN when the log does not take it in time; it may be there all the same */
async function inTime(asked: Promise<unknown>, timeoutMs: number): Promise<void> {
  const ms = Math.max(timeoutMs, ASK_MS);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const problem = `a record was not taken within ${ms / 1000} s`;
    timer = setTimeout(() => reject(new ProoflineError('PL_BUS_DOWN', { problem })), ms);
  });
  await Promise.race([quiet(asked), late]).finally(() => clearTimeout(timer));
}

/** Waiting begins before the question is in the log, so that no answer is missed. */
async function awaitLookup(
  { answers, kept, looking }: WaitingPorts,
  { runId, eventId }: LookupRef,
  timeoutMs: number,
  { signal }: Asking,
  ask: Ask = nothingToAsk,
): Promise<ProjectedEvidence> {
  const ended = endingWith(signal);
  try {
    const live = quiet(answers.wait('projected.v1', eventId, timeoutMs, ended.signal));
    await inTime(ask(), timeoutMs);
    return await looking.liveOrKept(live, () => kept.lookup(runId, eventId));
  } finally {
    ended.end();
  }
}

async function awaitDraft(
  { answers, kept, looking }: WaitingPorts,
  draft: DraftRef,
  timeoutMs: number,
  { signal }: Asking,
  ask: Ask = nothingToAsk,
): Promise<SubmissionAnswer> {
  const ended = endingWith(signal);
  const verdictEventId = verdictIdOf(draft);
  const wait = <T extends Parameters<Answers['wait']>[0]>(topic: T, eventId: string, ms = timeoutMs) =>
    quiet(answers.wait(topic, eventId, ms, ended.signal));
  try {
    const verdict = wait('verdict.v1', draft.eventId);
    const reviewed = wait('reviewed.v1', verdictEventId);
    const verified = wait('verified.v1', verdictEventId);
    const repair = wait('repair-requested.v1', verdictEventId);
    await inTime(ask(), timeoutMs);
    const judged = await looking.liveOrKept(verdict, () => keptVerdict(kept, draft));
    const review = await looking.liveOrKept(reviewed, () => kept.reviewed(judged));
    return {
      verdict: judged,
      reviewed: review,
      verified: isOutcome(review) ? await looking.liveOrKept(verified, () => kept.outcome(review)) : null,
      repair:
        review.decision === 'REPAIR'
          ? await looking.liveOrKept(soon(repair), () => kept.repair(review))
          : null,
    };
  } finally {
    ended.end();
  }
}

/** Nobody hears of it. Made once: an error for each answer would cost more than the rest of waiting for it. */
const ANSWERED = new Error('nobody waits for it any more');

/** Ends with the signal, or by itself once nobody needs what is still waited for. */
function endingWith(signal: AbortSignal | undefined): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    end() {
      signal?.removeEventListener('abort', onAbort);
      controller.abort(ANSWERED);
    },
  };
}

/** Where asking fails, nobody hears of the wait any more. */
function quiet<T>(wait: Promise<T>): Promise<T> {
  wait.catch(() => undefined);
  return wait;
}

/** Null where it is not there soon: what was decided by a version that wrote none waits for nothing. */
function soon<T>(live: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, REPAIR_MS, null)));
  return Promise.race([live, late]).finally(() => clearTimeout(timer));
}

/** Event ids are derived, so the verdict's is known before there is one. */
export function verdictIdOf({ runId, eventId }: Pick<DraftRef, 'runId' | 'eventId'>): string {
  return derivedEventId(sha256, {
    station: 'guard',
    runId,
    inputEventId: eventId,
    topic: 'verdict.v1',
    ordinal: 0,
  });
}

/** The verdict on this very text; another text under the same id has one that is kept in its place. */
async function keptVerdict(kept: KeptAnswers, draft: DraftRef): Promise<GuardVerdict | null> {
  const verdict = await kept.verdict(draft.runId, draft.draftId);
  return verdict?.eventId === verdictIdOf(draft) ? verdict : null;
}

/** The answer that the same text got under the same id, so that handing it in again changes nothing. */
async function earlierAnswer(kept: KeptAnswers, draft: DraftRef): Promise<SubmissionAnswer | null> {
  const verdict = await keptVerdict(kept, draft);
  return verdict === null ? null : settledAnswer(kept, verdict);
}
