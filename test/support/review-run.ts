import { createCodec } from '../../src/contracts/codec.js';
import type { GuardVerdict, ReviewDecision } from '../../src/contracts/generated.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { decideDecision } from '../../src/review/decide-decision.js';
import { decideReview, defaultReviewPolicy, type ReviewPolicy } from '../../src/review/decide-review.js';
import { noProgress, type RunProgress } from '../../src/review/run-progress.js';
import { encodeEmissions } from '../../src/station/envelope.js';
import type { Emission } from '../../src/station/station.js';
import { VERSION } from '../../src/version.js';
import { scriptedReview } from './review-verdicts.js';

/** A run as review goes through it, one input after the other. */

export type ReviewInput = GuardVerdict | ReviewDecision;

/** A record that review wrote, as a reader gets it. */
export interface Written {
  readonly topic: TopicName;
  readonly eventId: string;
  readonly causedBy: string | null;
  /** Its bytes, hex. */
  readonly value: string;
  readonly body: Emission['body'];
}

export interface ReviewedRun {
  readonly written: readonly Written[];
  readonly progress: RunProgress;
  /** How many records each input led to, notes aside. */
  readonly counts: readonly number[];
}

const codec = createCodec();
const emitter = { station: 'review', codec, partitions: 4, prefix: 'proofline.', now: () => 0 };

export interface RunOptions {
  readonly policy?: Partial<ReviewPolicy>;
  /** True where the lane is opened anew before this input: its state is what it wrote last. */
  readonly restartsBefore?: (index: number) => boolean;
}

export function reviewRun(inputs: readonly ReviewInput[], options: RunOptions = {}): ReviewedRun {
  const policy = { ...defaultReviewPolicy, ...options.policy };
  const written: Written[] = [];
  const counts: number[] = [];
  let progress = noProgress;
  for (const [i, input] of inputs.entries()) {
    if (options.restartsBefore?.(i) === true) progress = rebuilt(written) ?? noProgress;
    const step =
      'verdictEventId' in input
        ? decideDecision(input, progress, policy)
        : decideReview(input, progress, scriptedReview, policy);
    if (step.outcome.kind !== 'emit') throw new Error('review only emits');
    progress = step.progress ?? progress;
    const { records, invocation } = step.outcome;
    counts.push(records.length);
    written.push(...encoded(input, [...records, ...noteOf(invocation)]));
  }
  return { written, progress, counts };
}

type Emitted = Extract<ReturnType<typeof decideReview>['outcome'], { kind: 'emit' }>;

function noteOf(note: Emitted['invocation']): Emission[] {
  if (note === undefined) return [];
  const { outcome } = note;
  const mark = outcome === 'REPEAT' || outcome === 'REFUSED' ? { mark: outcome } : {};
  const measured = { startedAt: 0, finishedAt: 0 };
  const body = { ...note, station: 'review', version: VERSION, measured, ext: {} };
  return [{ topic: 'tool-invocation.v1', body, ...mark } as Emission];
}

function encoded({ eventId, runId, occurredAt }: ReviewInput, emissions: readonly Emission[]): Written[] {
  const records = encodeEmissions(emitter, { eventId, runId, occurredAt, headers: {} }, emissions);
  return records.map(({ topic, value }, i) => {
    const message = codec.decode(topic, value!) as { eventId: string; causedBy: string | null };
    const { body } = emissions[i]!;
    return {
      topic,
      eventId: message.eventId,
      causedBy: message.causedBy,
      value: value!.toString('hex'),
      body,
    };
  });
}

function rebuilt(written: readonly Written[]): RunProgress | null {
  const last = written.findLast(({ topic }) => topic === 'run-outcome.v1');
  if (last === undefined) return null;
  const state = codec.decode('run-outcome.v1', Buffer.from(last.value, 'hex'));
  const { judged, lastAttempt, attempts, limits, outcome, outcomeEventId, held } = state;
  return { judged, lastAttempt, attempts, limits, outcome, outcomeEventId, held };
}

/** The bodies of what was written to a topic, with their ids. */
export function of<T extends Emission['topic']>({ written }: ReviewedRun, topic: T) {
  type Body = Extract<Emission, { topic: T }>['body'];
  return written
    .filter((each) => each.topic === topic)
    .map(({ body, eventId, causedBy }) => ({ ...(body as Body), eventId, causedBy }));
}

export function decisionsOf(run: ReviewedRun): string[] {
  return of(run, 'reviewed.v1').map((reviewed) => reviewed.decision);
}
