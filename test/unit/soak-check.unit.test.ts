import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BusReader, StoredRecord } from '../../src/bus/bus.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { plannedAnswer } from '../support/kafka-line-plan.js';
import { openTestLine, type TestLine } from '../support/line.js';
import { auditProblems, checkSoakTopics, type CheckedSoakTopics } from '../support/soak/final-check.js';
import { soakRuns } from '../support/soak/runs.js';
import { removeTempFolders } from '../support/temp-folder.js';

const RUNS = 12;

/** What a reader makes of the records that lie on a partition of a topic. */
type Change = (records: readonly StoredRecord[]) => readonly StoredRecord[];

describe('the check at the end of a soak', () => {
  let line: TestLine;

  beforeAll(async () => {
    line = await soakedLine();
  });
  afterAll(async () => {
    await line.close();
    removeTempFolders();
  });

  const check = (topic?: TopicName, change?: Change): Promise<CheckedSoakTopics> =>
    checkSoakTopics({ reader: changed(line.bus, topic, change), codec: line.codec, keyring: line.keyring });
  const findings = async (topic: TopicName, change: Change): Promise<readonly string[]> =>
    (await check(topic, change)).findings;

  test('given a line that nothing happened to, it finds nothing, and counts what there is', async () => {
    const { findings, counts, verdicts } = await check();
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ drafts: RUNS, deadLetters: 0 });
    expect(verdicts).toMatchObject({ PASSED: 4, 'REJECTED DOCUMENT_NOT_SHOWN': 2, ABANDONED: 2 });
  });

  test('given a verdict that is not there, it finds it', async () => {
    expect(await findings('verdict.v1', dropFirst)).toContainEqual(
      expect.stringContaining('0 verdicts on 1 hand-ins'),
    );
  });

  test('given a verdict that is there twice, it finds it', async () => {
    expect(await findings('verdict.v1', doubleFirst)).toContainEqual(
      expect.stringContaining('2 verdicts on 1 hand-ins'),
    );
  });

  test("given another draft's verdict in its place, it finds it", async () => {
    const found = await findings('verdict.v1', ([first, second, ...rest]) => [
      { ...second!, offset: first!.offset },
      second!,
      ...rest,
    ]);
    expect(found.length).toBeGreaterThan(1);
  });

  test('given a projection that is there twice, it finds it', async () => {
    expect(await findings('projected.v1', doubleFirst)).toContainEqual(
      expect.stringContaining('2 first answers, not 1'),
    );
  });

  test.each(['raw-hits.v1', 'postprocessed.v1', 'projected.v1', 'reviewed.v1'] as const)(
    'given that %s lacks a record, it finds it',
    async (topic) => {
      expect(await findings(topic, dropFirst)).not.toEqual([]);
    },
  );

  test('given a lookup whose terminal entry is not there, it finds it', async () => {
    const withoutLast = (records: readonly StoredRecord[]) => records.slice(0, -1);
    expect(await findings('ledger.v1', withoutLast)).toContainEqual(
      expect.stringContaining('0 terminal entries, not 1'),
    );
  });

  test('given an audit that has, lacks or doubles an event, it finds each', () => {
    const wanted = new Set(['a', 'b']);
    expect(auditProblems('event', ['b', 'a'], wanted)).toEqual([]);
    expect(auditProblems('event', ['a', 'a', 'c'], wanted)).toEqual([
      'the audit has the event a twice',
      'the audit has the event c, and the topics do not',
      'the audit lacks the event b',
    ]);
  });
});

/** An embedded line that has done the runs of a soak, each after the other's lookups. */
async function soakedLine(): Promise<TestLine> {
  const made = openTestLine({
    search: {
      name: 'planned',
      search: ({ query }) => Promise.resolve(plannedAnswer(query).outcome),
      close: () => Promise.resolve(),
    },
  });
  const runs = soakRuns(RUNS, Date.now());
  const append = (records: Parameters<TestLine['bus']['append']>[0]) => made.bus.append(records);
  await append(
    runs.flatMap(({ lookups }) => lookups.map((each) => made.record('lookup-requested.v1', each))),
  );
  await made.idle();
  await append(runs.flatMap(({ again }) => again.map((each) => made.record('lookup-requested.v1', each))));
  await made.idle();
  await append(runs.map(({ draft }) => made.record('draft-submitted.v1', draft)));
  await made.idle();
  return made;
}

const dropFirst: Change = (records) => records.slice(1);
/** Under another offset, as a station that does its work twice leaves it. */
const doubleFirst: Change = (records) => {
  const last = records.at(-1)!;
  return [...records, { ...records[0]!, offset: last.offset + 1 }];
};

/** Partition 0 of the topic as the change makes it; all else as it is. */
function changed(bus: BusReader, topic?: TopicName, change: Change = (records) => records): BusReader {
  return {
    ...bus,
    partitions: bus.partitions,
    epoch: bus.epoch,
    async read(name, partition, from, limit) {
      if (name !== topic || partition !== 0) return bus.read(name, partition, from, limit);
      const all = change(await bus.read(name, partition, 0, 100_000));
      return all.filter(({ offset }) => offset >= from).slice(0, limit);
    },
  };
}
