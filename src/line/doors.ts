import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, AuditReader } from '../audit/audit-store.js';
import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { isProoflineError } from '../contracts/errors.js';
import type {
  DraftSubmitted,
  GuardVerdict,
  LookupRequested,
  ProjectedEvidence,
  Reviewed,
  VerifiedDraft,
} from '../contracts/generated.js';
import { derivedEventId } from '../contracts/ids.js';
import type { TopicMessages } from '../contracts/topics.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import type { Answers } from './answers.js';

/** What became of a draft. */
export interface SubmissionAnswer {
  readonly verdict: GuardVerdict;
  readonly reviewed: Reviewed;
  /** Set when this draft ended the run. */
  readonly verified: VerifiedDraft | null;
}

/** The line's doors: they let a question in and wait for its answer. */
export interface Doors {
  /** @throws ProoflineError PL_TIMEOUT when there is no answer in time; the lookup goes on. */
  lookup(request: LookupRequested, timeoutMs: number): Promise<ProjectedEvidence>;
  /** @throws ProoflineError PL_TIMEOUT when there is no answer in time; the draft is still judged. */
  submit(draft: DraftSubmitted, timeoutMs: number): Promise<SubmissionAnswer>;
}

export interface DoorPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly emitter: Emitter;
  readonly answers: Answers;
  readonly audit: AuditReader;
}

/** How often the audit store is asked for an answer that the topics gave before anybody waited. */
const LOOK_MS = 200;

export function openDoors(ports: DoorPorts): Doors {
  const { bus, emitter, answers } = ports;

  async function append<T extends 'lookup-requested.v1' | 'draft-submitted.v1'>(
    topic: T,
    message: TopicMessages[T],
    ...waits: readonly Promise<unknown>[]
  ): Promise<void> {
    // Where appending fails, nobody hears of these waits any more.
    for (const wait of waits) wait.catch(() => undefined);
    await bus.append([encodeRecord(emitter, topic, message)]);
  }

  return {
    // Waiting begins before the question is in the log, so that no answer is missed.
    async lookup(request, timeoutMs) {
      const answer = answers.wait('projected.v1', request.eventId, timeoutMs);
      await append('lookup-requested.v1', request, answer);
      return answer;
    },
    async submit(draft, timeoutMs) {
      const given = await earlierAnswer(ports, draft);
      if (given !== null) return given;
      const verdictEventId = verdictIdOf(draft);
      const verdict = answers.wait('verdict.v1', draft.eventId, timeoutMs);
      const reviewed = answers.wait('reviewed.v1', verdictEventId, timeoutMs);
      const verified = answers.wait('verified.v1', verdictEventId, timeoutMs);
      await append('draft-submitted.v1', draft, verdict, reviewed, verified);
      const judged = await verdict;
      const review = await liveOrKept(reviewed, () => keptReview(ports, judged));
      const outcome = isOutcome(review) ? await liveOrKept(verified, () => keptOutcome(ports, review)) : null;
      return { verdict: judged, reviewed: review, verified: outcome };
    },
  };
}

/** Event ids are derived, so the verdict's is known before there is one. */
function verdictIdOf({ runId, eventId }: DraftSubmitted): string {
  return derivedEventId(sha256, {
    station: 'guard',
    runId,
    inputEventId: eventId,
    topic: 'verdict.v1',
    ordinal: 0,
  });
}

function isOutcome({ decision }: Reviewed): boolean {
  return decision === 'PUBLISH' || decision === 'FALLBACK';
}

/** The answer that the same text got under the same id, so that handing it in again changes nothing. */
async function earlierAnswer(ports: DoorPorts, draft: DraftSubmitted): Promise<SubmissionAnswer | null> {
  const { audit, codec } = ports;
  const kept = await audit.answer(draft.runId, 'VERDICT', draft.draftId);
  const verdict = kept === null ? null : decodeAnswer(codec, 'verdict.v1', kept);
  if (verdict?.eventId !== verdictIdOf(draft)) return null;
  const reviewed = await keptReview(ports, verdict);
  if (reviewed === null) return null;
  const verified = isOutcome(reviewed) ? await keptOutcome(ports, reviewed) : null;
  // The outcome of a draft that has one is still on its way to the audit.
  if (isOutcome(reviewed) && verified === null) return null;
  return { verdict, reviewed, verified };
}

/** From the topics or, where what answers came before anybody waited (a verdict may come twice), as it was kept. */
async function liveOrKept<T>(live: Promise<T>, look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = (await Promise.race([live, pause(LOOK_MS, null)])) ?? (await look());
    if (found !== null) return found;
  }
}

async function keptReview({ audit, codec }: DoorPorts, verdict: GuardVerdict): Promise<Reviewed | null> {
  const kept = await audit.answer(verdict.runId, 'REVIEWED', verdict.draftId);
  const reviewed = kept === null ? null : decodeAnswer(codec, 'reviewed.v1', kept);
  return reviewed?.verdictEventId === verdict.eventId ? reviewed : null;
}

async function keptOutcome({ audit, codec }: DoorPorts, reviewed: Reviewed): Promise<VerifiedDraft | null> {
  const { answers } = await audit.trail(reviewed.runId);
  const outcomes = answers.filter((answer) => answer.kind === 'OUTCOME');
  const decoded = outcomes.map((answer) => decodeAnswer(codec, 'verified.v1', answer));
  return decoded.find((verified) => verified?.verdictEventId === reviewed.verdictEventId) ?? null;
}

function decodeAnswer<T extends 'verdict.v1' | 'reviewed.v1' | 'verified.v1'>(
  codec: Codec,
  topic: T,
  answer: Answer,
): TopicMessages[T] | null {
  try {
    return codec.decode(topic, answer.value);
  } catch (error) {
    if (isProoflineError(error)) return null;
    throw error;
  }
}
