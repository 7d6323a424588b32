import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { DraftSubmitted, LookupRequested, ProjectedEvidence } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import type { StationName } from '../../src/line/station-names.js';
import type { KafkaTestLine } from './kafka-line.js';
import { trueDraft } from './line-drafts.js';
import { waitUntil } from './wait.js';

/** Single lookups and drafts on a line in Kafka, and waiting for what becomes of them. */

export const ANSWERED_MS = 60_000;
const NOW = Date.now();
const QUERY = 'problem 1';

export function ask(runId: string, toolCallId = 'call-0', query = QUERY): LookupRequested {
  return lookupRequested({ runId, toolCallId, query }, NOW);
}

/** A true draft that cites these lookups. */
export function draftOn(lookups: readonly LookupRequested[]): DraftSubmitted {
  const { runId } = lookups[0]!;
  return draftSubmitted({ runId, draftId: 'draft-1', draftJson: trueDraft(lookups) }, NOW + 60_000);
}

/** So many runs of each partition. */
export function runsOf(line: KafkaTestLine, name: string, count: number): string[][] {
  const runs = Array.from({ length: line.partitions }, (): string[] => []);
  for (let i = 0; runs.some((each) => each.length < count); i++) {
    const ofPartition = runs[partitionOf(`${name}-${i}`, line.partitions)]!;
    if (ofPartition.length < count) ofPartition.push(`${name}-${i}`);
  }
  return runs;
}

/** In one step. */
export async function append(line: KafkaTestLine, lookups: readonly LookupRequested[]): Promise<void> {
  await line.bus.append(lookups.map((lookup) => line.record('lookup-requested.v1', lookup)));
}

/** In one step. */
export async function handIn(line: KafkaTestLine, drafts: readonly DraftSubmitted[]): Promise<void> {
  await line.bus.append(drafts.map((draft) => line.record('draft-submitted.v1', draft)));
}

export async function answersTo(
  line: KafkaTestLine,
  lookups: readonly LookupRequested[],
): Promise<ProjectedEvidence[]> {
  const wanted = new Set(lookups.map(({ eventId }) => eventId));
  return waitUntil(
    'they are answered',
    async () => {
      const all = await line.messages('projected.v1');
      const found = all.filter(({ requestEventId }) => wanted.has(requestEventId));
      return found.length >= lookups.length ? found : null;
    },
    ANSWERED_MS,
  );
}

/** Of each run a lookup is answered, a true draft passes, and the stations (all without a list) come to rest. */
export async function goesOn(
  line: KafkaTestLine,
  runs: readonly string[],
  stations: readonly StationName[] = [],
): Promise<void> {
  const lookups = runs.map((runId) => ask(runId));
  await append(line, lookups);
  await answersTo(line, lookups);
  await handIn(
    line,
    lookups.map((lookup) => draftOn([lookup])),
  );
  await waitUntil(
    'their drafts pass',
    async () => {
      const passed = (await line.messages('verdict.v1')).filter(({ status }) => status === 'PASSED');
      return runs.every((run) => passed.some(({ runId }) => runId === run));
    },
    ANSWERED_MS,
  );
  await line.rested(...stations);
}

/** What is said of the drafts of these runs. */
export async function judged(line: KafkaTestLine, name: string): Promise<string[]> {
  const verdicts = await line.messages('verdict.v1');
  return verdicts.filter(({ runId }) => runId.startsWith(name)).map(({ status }) => status);
}
