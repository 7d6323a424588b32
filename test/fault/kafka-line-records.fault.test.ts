import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { reviewDecision } from '../../producers/decisions.js';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import { openKafkaBus } from '../../src/bus/kafka/kafka-bus.js';
import type { LookupRequested, RepairRequested } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { limitBytes } from '../support/kafka-line-admin.js';
import {
  ANSWERED_MS,
  answersTo,
  append,
  ask,
  draftOn,
  goesOn,
  handIn,
  runsOf,
} from '../support/kafka-line-asking.js';
import { malformedValues, READERS } from '../support/kafka-line-malformed.js';
import { describeKafkaLine, kafkaLineMissing } from '../support/kafka-line-suite.js';
import type { KafkaTestLine } from '../support/kafka-line.js';
import { waitUntil } from '../support/wait.js';

const SLOW = 180_000;

describeKafkaLine(
  'records of a line in Kafka',
  {},
  (suite) => {
    test(
      'given lookups whose evidence no record can hold, among good ones and again, those are FAILED and the others are answered',
      async () => {
        const line = await suite.line();
        await line.run();
        for (const batch of [1, 2]) {
          const queries = ['problem 1', 'immense 2', 'problem 3', 'swelling 4', 'problem 5', 'immense 6'];
          const lookups = ['a', 'b', 'c'].flatMap((run) =>
            queries.map((query, i) => ask(`run-${batch}-${run}`, `call-${i}`, query)),
          );
          await append(line, lookups);
          for (const answer of await answersTo(line, lookups)) {
            const fails = /^call-[135]$/.test(answer.toolCallId);
            expect(answer).toMatchObject(
              fails ? { state: 'FAILED', failure: { code: 'PL_EVIDENCE_TOO_LARGE' } } : { state: 'READY' },
            );
          }
        }
        const good = [ask('run-2-a', 'call-0', 'problem 1'), ask('run-2-a', 'call-2', 'problem 3')];
        const bad = [ask('run-2-b', 'call-0', 'problem 1'), ask('run-2-b', 'call-1', 'immense 2')];
        await handIn(line, [draftOn(good), draftOn(bad)]);
        await line.rested();
        expect(await verdicts(line)).toEqual([
          ['run-2-a', 'PASSED', []],
          ['run-2-b', 'REJECTED', ['TOOL_CALL_FAILED']],
        ]);
        expect((await line.check()).problems).toEqual([]);
      },
      SLOW,
    );

    test(
      'given a record that the broker refuses, its lane waits and says so; nothing that was sent beside it is lost, and all is answered once it is taken',
      async () => {
        const line = await suite.line();
        const process = await line.run();
        await limitBytes(line, 'raw-hits.v1', 100_000);
        const runs = ['run-1', 'run-2', 'run-3', 'run-4'];
        const lookups = runs.flatMap((runId, i) => [
          ask(runId, 'call-0', 'problem 1'),
          ask(runId, 'call-1', i === 0 ? 'big 2' : 'problem 2'),
          ask(runId, 'call-2', 'problem 3'),
        ]);
        await append(line, lookups);
        const stuck = partitionOf('run-1', line.partitions);
        const others = lookups.filter(({ runId }) => partitionOf(runId, line.partitions) !== stuck);
        await answersTo(line, others);
        await waitUntil('it says so', () => process.incidents().includes('PL_TOPICS_UNUSABLE'), ANSWERED_MS);
        await limitBytes(line, 'raw-hits.v1', null);
        await answersTo(line, lookups);
        await line.rested();
        expect((await line.check()).problems).toEqual([]);
      },
      SLOW,
    );

    test(
      'given two producers that ask at once, the same and not the same under the same ids, each id has one answer: repeats are marked, conflicts refused',
      async () => {
        const line = await suite.line();
        await line.run();
        const other = await openKafkaBus({
          brokers: [suite.kafka.address],
          prefix: line.prefix,
          partitions: null,
        });
        const runs = Array.from({ length: 20 }, (_, i) => `run-${i}`);
        const alike = runs.map((runId) => ask(runId, 'call-0', 'problem 1'));
        const different = (query: string): LookupRequested[] =>
          runs.map((runId) => ask(runId, 'call-1', query));
        const [mine, theirs] = [different('problem 2'), different('problem 3')];
        const from = async (bus: typeof other, lookups: readonly LookupRequested[]): Promise<void> => {
          for (const lookup of lookups) await bus.append([line.record('lookup-requested.v1', lookup)]);
        };
        await Promise.all([from(line.bus, [...alike, ...mine]), from(other, [...alike, ...theirs])]);
        await from(line.bus, alike.slice(0, 5));
        await line.rested();
        await other.close();
        const { problems, counts } = await line.check();
        expect(problems).toEqual([]);
        expect(counts).toMatchObject({ lookups: 40, repeats: 45 });
        const answers = await line.messages('projected.v1');
        const refused = answers.filter(({ state }) => state === 'REFUSED');
        expect(refused).toHaveLength(20);
        expect(new Set(refused.map(({ failure }) => failure?.code))).toEqual(new Set(['PL_REPEAT_CONFLICT']));
        expect(answers.filter(({ repeat }) => repeat)).toHaveLength(25);
      },
      SLOW,
    );

    test(
      'given values that no topic carries, on every topic that a station reads, each station gives each up once, and the line goes on',
      async () => {
        const line = await suite.line();
        await line.run();
        await goesOn(line, ['run-1']);
        const places = Object.entries(READERS) as [TopicName, readonly string[]][];
        const sent: string[] = [];
        for (const [topic, readers] of places) {
          const good = await goodValue(line, topic);
          for (const [, value] of malformedValues(good)) {
            await send(line, topic, value);
            sent.push(...readers.map((station) => nameOf(station, topic, value)));
          }
        }
        // What the ledger has under a name, its view shows as it is: no station gives it up. It waits for a schema.
        const entries = malformedValues(await goodValue(line, 'ledger.v1')).filter(
          ([name]) => name !== 'an unknown schema',
        );
        for (const [, value] of entries) await send(line, 'ledger.v1', value, 'run-1/call-9');
        await goesOn(line, runsOf(line, 'after', 2).flat());
        const { problems, counts } = await line.check({
          expected: ({ code }) => code === 'PL_RECORD_UNDECODABLE' || code === 'PL_SCHEMA_UNKNOWN',
        });
        expect(problems.filter((problem) => !problem.startsWith('ledger.v1/'))).toEqual([]);
        expect(problems).toHaveLength(entries.length);
        expect(counts.deadLetters).toBe(sent.length);
        const letters = await line.messages('dead-letter.v1');
        const given = letters.map(({ station, origin, value }) => nameOf(station, origin.topic, value));
        expect(given.toSorted()).toEqual(sent.toSorted());
      },
      SLOW,
    );

    test(
      'given thousands of records that come to nothing, a station gets past them, does not turn in circles, and goes on',
      async () => {
        const line = await suite.line();
        const process = await line.run();
        await goesOn(line, ['run-1']);
        const [note] = await line.messages('tool-invocation.v1');
        const partition = partitionOf('run-1', line.partitions);
        const began = performance.now();
        for (let i = 0; i < 5; i++)
          await line.bus.append(Array.from({ length: 1000 }, () => line.record('tool-invocation.v1', note!)));
        await abortMany(line, partition);
        await line.bus.exclusively('barriers', async (writer) => {
          for (let i = 0; i < 300; i++) await writer.barrier('lookup-requested.v1', partition);
        });
        await goesOn(line, [runsOf(line, 'later', 1)[partition]![0]!]);
        const took = performance.now() - began;
        const before = await process.cpuMs();
        await pause(4000);
        const idle = ((await process.cpuMs()) - before) / 4000;
        console.log(
          `past 5,000 notes, 100 aborted records and 300 barriers in ${Math.round(took)} ms; idle ${idle}`,
        );
        // Seven stations with three lanes each poll about once a second.
        expect(idle).toBeLessThan(0.5);
      },
      SLOW,
    );
  },
  await kafkaLineMissing(),
);

async function verdicts(line: KafkaTestLine): Promise<[runId: string, status: string, codes: string[]][]> {
  const all = await line.messages('verdict.v1');
  return all
    .map(({ runId, status, violations }): [string, string, string[]] => [
      runId,
      status,
      [...new Set(violations.map(({ code }) => code))].toSorted(),
    ])
    .toSorted(([a], [b]) => a.localeCompare(b));
}

/** A value that the topic has, or could have. */
async function goodValue(line: KafkaTestLine, topic: TopicName): Promise<Buffer> {
  if (topic === 'repair-requested.v1') return line.codec.encode(topic, REPAIR);
  if (topic === 'review-decision.v1') return line.codec.encode(topic, DECISION);
  for (let p = 0; p < line.partitions; p++) {
    const [record] = await line.bus.read(topic, p, 0, 1);
    if (record !== undefined && record.value !== null) return record.value;
  }
  throw new Error(`${topic} is empty`);
}

const DECISION = reviewDecision(
  {
    runId: 'run-1',
    draftId: 'draft-1',
    verdictEventId: '0'.repeat(32),
    decision: 'APPROVE',
    by: 'alice',
    reason: 'as I see it',
  },
  0,
);

const REPAIR: RepairRequested = {
  eventId: '0'.repeat(32),
  causedBy: null,
  runId: 'run-1',
  occurredAt: 0,
  draftId: 'draft-1',
  attempt: 1,
  attemptsLeft: 1,
  findings: [],
  more: 0,
  promptZh: '',
  promptEn: '',
  deadline: null,
  ext: {},
};

/** Who gave up which bytes of which topic. */
function nameOf(station: string, topic: string, value: Buffer | null): string {
  return `${station} ${topic} ${value?.toString('hex') ?? 'nothing'}`;
}

/** As any producer can write it: under a run's key, on that run's partition. */
async function send(
  line: KafkaTestLine,
  topic: TopicName,
  value: Buffer | null,
  key = 'run-1',
): Promise<void> {
  const partition = partitionOf('run-1', line.partitions);
  await line.bus.append([{ topic, partition, key: Buffer.from(key), value, headers: {} }]);
}

/** A producer of each, since one that is used again at once may find its last transaction still being ended. */
async function abortMany(line: KafkaTestLine, partition: number): Promise<void> {
  const topic = `${line.prefix}lookup-requested.v1`;
  for (let i = 0; i < 100; i++) {
    const client = createKafkaClient({ brokers: [line.address] });
    const producer = client.transactionalProducer(`${line.prefix}aborts-${i}`);
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ key: 'run-1', partition, value: 'aborted' }] });
    await transaction.abort();
    await producer.disconnect();
  }
}
