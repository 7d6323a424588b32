import type { BusReader } from '../../src/bus/bus.js';
import type { Codec } from '../../src/contracts/codec.js';
import type { DeadLetter } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { topicNames, type TopicName } from '../../src/contracts/topics.js';
import type { Keyring } from '../../src/ledger/keyring.js';
import { ledgerKey } from '../../src/ledger/ledger-view.js';
import { stationInputs, stationNames } from '../../src/line/station-names.js';
import { addEvents, type ComparableEvent, type Events } from './kafka-line-compare.js';
import { draftProblems } from './kafka-line-check-drafts.js';
import { lookupProblems } from './kafka-line-check-lookups.js';
import { reviewProblems } from './kafka-line-check-reviews.js';
import { runProblems } from './kafka-line-check-runs.js';
import { readPartition, type PartitionContents } from './kafka-line-topics.js';

/**
 * What the topics alone say about a line that has come to rest. Of each lookup that lies in lookup-requested there is
 * one first answer and one terminal ledger entry, and of each draft the one verdict that the pure rules give from the
 * frozen entries, with what review makes of it; each run is counted by the harness; nothing lies in two places, on a wrong partition, or in the dead letters.
 */

export interface CheckOptions {
  readonly reader: BusReader;
  readonly codec: Codec;
  /** Knows the keys that the line signs with. */
  readonly keyring: Keyring;
  /** True for a dead letter that belongs there; none does without it. */
  readonly expected?: (letter: DeadLetter) => boolean;
  /** False where no harness runs: nobody counts what the runs spend. */
  readonly harness?: boolean;
  /** False leaves `events` empty, for lines whose events are too many to hold. */
  readonly keepEvents?: boolean;
}

export interface CheckedTopics {
  /** Nothing is the only right answer. */
  readonly problems: readonly string[];
  readonly counts: Counts;
  /** All but the dead letters, to be compared with another line's. */
  readonly events: Events;
}

export interface Counts {
  /** Lookups that were accepted. */
  lookups: number;
  /** Lookups that came again, or as another question under a used id. */
  repeats: number;
  drafts: number;
  repairs: number;
  /** Drafts that were held for a person, and decisions of people that were answered. */
  held: number;
  decided: number;
  /** Fallbacks that a draft took the place of. */
  replaced: number;
  /** Runs that must stop, lookups that were refused for it, and drafts that give a run up. */
  stopped: number;
  refused: number;
  givenUp: number;
  deadLetters: number;
}

/** Reads one partition number at a time: no more than that is held in memory, besides the events. */
export async function checkTopics(options: CheckOptions): Promise<CheckedTopics> {
  const { reader, codec, keyring, harness = true, keepEvents = true } = options;
  const problems: string[] = [];
  const counts = noCounts();
  const events = new Map<string, ComparableEvent>();
  for (let partition = 0; partition < reader.partitions; partition++) {
    const contents = await readPartition(reader, codec, partition);
    const refused = refusedRecords(contents);
    const admitted = withoutRefused(contents, refused);
    problems.push(
      ...addEvents(events, contents),
      ...placeProblems(admitted, reader.partitions),
      ...deadLetterProblems(contents, refused, options),
      ...lookupProblems(admitted, keyring, counts),
      ...draftProblems(admitted, keyring, counts),
      ...reviewProblems(admitted, counts),
      ...(harness ? await runProblems(admitted, counts, Date.now()) : []),
    );
    counts.deadLetters += contents['dead-letter.v1'].length;
    // An id that lay on two partitions would be on a wrong one on either.
    if (!keepEvents) events.clear();
  }
  return { problems, counts, events };
}

function noCounts(): Counts {
  return {
    lookups: 0,
    repeats: 0,
    drafts: 0,
    repairs: 0,
    held: 0,
    decided: 0,
    replaced: 0,
    stopped: 0,
    refused: 0,
    givenUp: 0,
    deadLetters: 0,
  };
}

/** Of these, the dead letter lies beside the answer. */
const ANSWERED_ALL_THE_SAME = /^PL_PROJECTION_/;

/** Stations by the record, `topic/partition/offset`, that each has given up. */
type Refused = ReadonlyMap<string, readonly string[]>;

function refusedRecords(contents: PartitionContents): Refused {
  const refused = new Map<string, string[]>();
  for (const { message } of contents['dead-letter.v1']) {
    if (message === null || ANSWERED_ALL_THE_SAME.test(message.code)) continue;
    const { topic, partition, offset } = message.origin;
    const name = `${topic}/${partition}/${offset}`;
    refused.set(name, [...(refused.get(name) ?? []), message.station]);
  }
  return refused;
}

/** What a station gave up is nothing that the line owes an answer to. */
function withoutRefused(contents: PartitionContents, refused: Refused): PartitionContents {
  const admitted = topicNames.map((topic) => [
    topic,
    contents[topic].filter(({ partition, offset }) => !refused.has(`${topic}/${partition}/${offset}`)),
  ]);
  return Object.fromEntries(admitted) as PartitionContents;
}

/** A record lies under its run's key, on its run's partition. */
function placeProblems(contents: PartitionContents, partitions: number): string[] {
  const problems: string[] = [];
  for (const topic of topicNames.filter((name) => name !== 'dead-letter.v1')) {
    for (const { partition, offset, key, message } of contents[topic]) {
      const where = `${topic}/${partition}@${offset}`;
      if (message === null) {
        problems.push(`${where} cannot be read, and nobody has given it up`);
        continue;
      }
      if (partitionOf(message.runId, partitions) !== partition)
        problems.push(`${where} is of ${message.runId}, which belongs elsewhere`);
      if (key !== keyOf(topic, message)) problems.push(`${where} has the key ${key}`);
    }
  }
  return problems;
}

function keyOf(topic: TopicName, message: { runId: string; toolCallId?: string | null }): string {
  return topic === 'ledger.v1' ? ledgerKey(message.runId, message.toolCallId ?? '') : message.runId;
}

/**
 * Every dead letter is expected, and of what cannot be decoded each station that reads it has made one; the harness
 * leaves that to the others.
 */
function deadLetterProblems(
  contents: PartitionContents,
  refused: Refused,
  { expected = () => false }: CheckOptions,
): string[] {
  const problems: string[] = [];
  for (const { message, code, offset, partition } of contents['dead-letter.v1']) {
    if (message === null) problems.push(`dead-letter.v1/${partition}@${offset} cannot be read: ${code}`);
    else if (!expected(message))
      problems.push(`${message.station} gave up ${JSON.stringify(message.origin)}: ${message.message}`);
  }
  for (const [name, stations] of refused)
    if (new Set(stations).size !== stations.length)
      problems.push(`${name} was given up by ${stations.join()}`);
  for (const topic of topicNames.filter((each) => each !== 'ledger.v1')) {
    const readers = stationNames.filter(
      (name) => name !== 'harness' && (stationInputs[name] as readonly TopicName[]).includes(topic),
    );
    for (const { partition, offset, code } of contents[topic].filter((each) => each.code !== null)) {
      const given = refused.get(`${topic}/${partition}/${offset}`) ?? [];
      if (given.toSorted().join() !== readers.toSorted().join())
        problems.push(`${topic}/${partition}@${offset} (${code}) was given up by ${given.join()}`);
    }
  }
  return problems;
}
