import { setTimeout as pause } from 'node:timers/promises';
import { reviewDecision, type DecisionHandIn } from '../../producers/decisions.js';
import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { ReviewDecision } from '../contracts/generated.js';
import { partitionOf } from '../contracts/partition.js';
import { recordToJson } from '../contracts/record-json.js';
import type { TopicMessages } from '../contracts/topics.js';
import { canBeApproved } from '../review/appraise.js';
import { isCounted } from '../review/decision-counted.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { heldOf } from './held-drafts.js';
import type { DecisionAnswer } from './line-client.js';
import { readMessage, scanPartition } from './scan.js';

/** A person's decision about a held draft, handed in and waited for. */

/** What a person decides; the verdict is that of the draft as it is held. */
export type DecisionRequest = Omit<DecisionHandIn, 'verdictEventId'>;

export interface DecisionPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly emitter: Emitter;
}

const LOOK_MS = 100;

/** Where the answers to a decision are looked for: behind what was there before it was handed in. */
const ANSWER_TOPICS = ['reviewed.v1', 'repair-requested.v1', 'verified.v1'] as const;
type AnswerTopic = (typeof ANSWER_TOPICS)[number];

/**
 * Hands the decision in and waits until review has answered it. Where somebody decides at the same time, the first
 * decision counts, and the answer is that one's.
 * @throws ProoflineError PL_REVIEW_REFUSED where the draft is not held, or cannot be approved; PL_INPUT_INVALID,
 *   PL_ID_INVALID; PL_TIMEOUT, after which it still counts
 */
export async function decideHeld(
  ports: DecisionPorts,
  request: DecisionRequest,
  timeoutMs: number,
): Promise<DecisionAnswer> {
  const { bus, codec, emitter } = ports;
  const partition = partitionOf(request.runId, bus.partitions);
  // Before it is looked at whether the draft is held, so that no answer lies before it.
  const ends = await endsOf(bus, partition);
  const decision = reviewDecision(
    { ...request, verdictEventId: await verdictOf(ports, request) },
    emitter.now(),
  );
  await bus.append([encodeRecord(emitter, 'review-decision.v1', decision)]);
  const answer = <T extends AnswerTopic>(topic: T): Promise<TopicMessages[T] | null> =>
    answerIn(bus, codec, { topic, partition, from: ends[topic] }, decision);
  const reviewed = await untilThere(() => answer('reviewed.v1'), timeoutMs, decision);
  // They were written in the same step, and are there.
  const [repair, verified] = await Promise.all([answer('repair-requested.v1'), answer('verified.v1')]);
  return {
    reviewed: recordToJson('reviewed.v1', reviewed),
    repair: repair === null ? null : recordToJson('repair-requested.v1', repair),
    verified: verified === null ? null : recordToJson('verified.v1', verified),
    counted: isCounted(decision, reviewed),
  };
}

async function endsOf(bus: Bus, partition: number): Promise<Record<AnswerTopic, number>> {
  const ends = await Promise.all(
    ANSWER_TOPICS.map(async (topic) => [topic, (await bus.bounds(topic, partition)).end] as const),
  );
  return Object.fromEntries(ends) as Record<AnswerTopic, number>;
}

async function verdictOf({ bus, codec }: DecisionPorts, request: DecisionRequest): Promise<string> {
  const { runId, draftId, decision } = request;
  const refused = (problem: string): ProoflineError =>
    new ProoflineError('PL_REVIEW_REFUSED', { run_id: runId, draft_id: draftId, problem });
  const entry = await heldOf(bus, codec, runId);
  if (entry?.held.verdict.draftId !== draftId) throw refused('it is not held');
  if (decision === 'APPROVE' && !canBeApproved(entry.held))
    throw refused('what would be published is not proven, so that it can only be rejected');
  return entry.held.verdict.eventId;
}

async function answerIn<T extends AnswerTopic>(
  bus: Bus,
  codec: Codec,
  { topic, partition, from }: { readonly topic: T; readonly partition: number; readonly from: number },
  { eventId }: ReviewDecision,
): Promise<TopicMessages[T] | null> {
  for await (const { value } of scanPartition(bus, topic, partition, from)) {
    const { message } = readMessage(codec, topic, value);
    if (message?.causedBy === eventId) return message;
  }
  return null;
}

async function untilThere<T>(
  look: () => Promise<T | null>,
  timeoutMs: number,
  { draftId }: ReviewDecision,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline)
      throw new ProoflineError('PL_TIMEOUT', {
        seconds: timeoutMs / 1000,
        what: `what comes of the decision about draft ${draftId}`,
      });
    await pause(LOOK_MS);
  }
}
