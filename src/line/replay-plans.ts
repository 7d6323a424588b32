import type { BusReader } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { TopicName } from '../contracts/topics.js';
import { originName, readDeadLetter, type DeadLetterSummary } from './dead-letters.js';
import { planReplay, type ReplayPlan } from './replay.js';

/** What replaying dead letters would do, before anything is written. */

export interface PlannedReplay {
  readonly summary: DeadLetterSummary;
  /** Where its record would go; null when it is not replayed. */
  readonly target: ReplayTarget | null;
  /** Why it is not replayed. */
  readonly problem: string | null;
}

export interface ReplayTarget extends Pick<ReplayPlan, 'partitionBy' | 'fromPartition'> {
  readonly topic: TopicName;
  readonly partition: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly headers: readonly string[];
}

/** In the order in which the records lay. Of two dead letters of one record, one is replayed. */
export async function planReplays(
  bus: BusReader,
  codec: Codec,
  letters: readonly DeadLetterSummary[],
): Promise<PlannedReplay[]> {
  const plans: PlannedReplay[] = [];
  const planned = new Map<string, string>();
  for (const summary of letters.toSorted(byOrigin)) {
    const origin = originName(summary.letter.origin);
    const plan = replayedBefore(summary) ?? alreadyPlanned(planned.get(origin));
    plans.push(plan === null ? await planOne(bus, codec, summary) : { summary, target: null, problem: plan });
    if (plans.at(-1)?.target !== null) planned.set(origin, summary.letter.eventId);
  }
  return plans;
}

async function planOne(bus: BusReader, codec: Codec, summary: DeadLetterSummary): Promise<PlannedReplay> {
  const letter = await readDeadLetter(bus, codec, summary.letter.eventId, summary.at);
  const plan = planReplay(letter, codec, bus.partitions);
  if (plan.kind === 'refused') return { summary, target: null, problem: plan.problem };
  const { record, partitionBy, fromPartition } = plan;
  const { topic, partition, key, value, headers } = record;
  const sizes = { keyBytes: key.length, valueBytes: value?.length ?? 0, headers: Object.keys(headers) };
  return { summary, target: { topic, partition, partitionBy, fromPartition, ...sizes }, problem: null };
}

function replayedBefore({ letter, replay }: DeadLetterSummary): string | null {
  if (replay === null) return null;
  const as = replay.as === letter.eventId ? '' : `, as dead letter ${replay.as} of the same record`;
  return `it was replayed before${as}`;
}

function alreadyPlanned(as: string | undefined): string | null {
  return as === undefined ? null : `its record is replayed as dead letter ${as}`;
}

function byOrigin(a: DeadLetterSummary, b: DeadLetterSummary): number {
  const [left, right] = [a.letter.origin, b.letter.origin];
  if (left.topic !== right.topic) return left.topic < right.topic ? -1 : 1;
  return left.partition - right.partition || left.offset - right.offset;
}
