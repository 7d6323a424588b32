import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { topicNames } from '../../src/contracts/topics.js';
import { replayRun } from '../../src/replay/replay-run.js';
import { readRuns, runsWithVerdicts } from '../../src/replay/run-from-topics.js';
import { ruleDefaults, rulesOf } from '../../src/replay/settings.js';
import { readAll } from '../support/bus.js';
import { makeKafkaBus, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';

const missing = await kafkaMissing();
const PARTITIONS = 2;

describe.skipIf(missing !== null)(
  `replaying from a real broker${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let made: KafkaBusUnderTest;

    beforeAll(async () => {
      kafka = await startKafka();
      made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS });
    }, 120_000);
    afterEach(closeLines);
    afterAll(async () => {
      await made.dispose();
      await kafka.stop();
    });

    /** Runs of an embedded line, their records copied to the broker byte for byte. */
    async function copiedRuns(): Promise<TestLine> {
      const line = openTestLine({ partitions: PARTITIONS });
      for (const runId of ['run-1', 'run-2', 'run-3']) await line.ask({ runId });
      await line.idle();
      for (const runId of ['run-1', 'run-2', 'run-3'])
        await line.handIn({ runId, draftJson: runId === 'run-2' ? forgedDraft() : trueDraft() });
      await line.idle();
      for (const topic of topicNames) {
        for (let partition = 0; partition < PARTITIONS; partition++) {
          const records = await readAll(line.bus, topic, partition);
          if (records.length === 0) continue;
          await made.bus.append(
            records.map(({ key, value, headers }) => ({ topic, partition, key: key!, value, headers })),
          );
        }
      }
      return line;
    }

    test('given the records of runs, then every one of them is found by its verdicts and is equal', async () => {
      const { codec, audit, keyring } = await copiedRuns();
      const ports = { bus: made.bus, codec, audit, keyring, signal: new AbortController().signal };
      const runs = await runsWithVerdicts(ports, { since: -Infinity, until: Infinity });
      expect([...runs].sort()).toEqual(['run-1', 'run-2', 'run-3']);
      const told: string[] = [];
      for await (const run of readRuns(ports, runs))
        for (const { runId, status, outcome, reviews } of replayRun(run, rulesOf(ruleDefaults)))
          told.push(`${runId} ${status} ${reviews[0]?.decision} ${outcome}`);
      expect(told.sort()).toEqual([
        'run-1 PASSED PUBLISH EQUAL',
        'run-2 REJECTED REPAIR EQUAL',
        'run-3 PASSED PUBLISH EQUAL',
      ]);
    });
  },
);
