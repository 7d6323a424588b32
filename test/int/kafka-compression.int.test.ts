import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StoredRecord } from '../../src/bus/bus.js';
import { MOST_BATCH_BYTES } from '../../src/bus/kafka/compression.js';
import { createKafkaNames } from '../../src/bus/kafka/topic-names.js';
import { topicConfig } from '../../src/bus/kafka/topics.js';
import { ConfigResourceTypes } from '../../src/bus/kafka/load-kafkajs.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { consume, newRecord, readAll, textsOf } from '../support/bus.js';
import { makeKafkaBus, withAdmin, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { kafkaTool } from '../support/kafka-tool.js';
import { refusal } from '../support/refusal.js';
import { kafkaMissingLocally, startKafkaLocally } from '../support/services/kafka-local.js';
import type { Service } from '../support/services/service.js';
import { waitUntil } from '../support/wait.js';

const IN = 'raw-hits.v1';
const missing = await kafkaMissingLocally();
const leftOut = missing === null ? '' : ` (left out: ${missing})`;

describe.skipIf(missing !== null)(`batches that a Java producer compressed${leftOut}`, () => {
  let kafka: Service;
  let made: KafkaBusUnderTest;
  let failed = false;
  const address = (): string => `127.0.0.1:${kafka.port}`;

  beforeAll(async () => {
    kafka = await startKafkaLocally({});
  }, 120_000);
  beforeEach(async () => {
    made = await makeKafkaBus(address(), { partitions: 1 });
  });
  afterEach(async (context) => {
    failed ||= context.task.result?.state === 'fail';
    await made.dispose();
  });
  afterAll(() => kafka.stop({ keepLogs: failed }));

  /** Topics that others made: the broker keeps what is compressed as it is. */
  async function keepCompressed(topic: TopicName): Promise<void> {
    const settings = { ...topicConfig(topic), 'compression.type': 'producer' };
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    await withAdmin(address(), (admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name: made.prefix + topic, configEntries }],
      }),
    );
  }

  /** Each record a key and a value of one line. */
  async function produce(
    topic: TopicName,
    codec: string,
    records: readonly (readonly [string, string])[],
    settings: readonly string[] = [],
  ): Promise<void> {
    await keepCompressed(topic);
    await kafkaTool(
      'org.apache.kafka.tools.ConsoleProducer',
      [
        ...['--bootstrap-server', address(), '--topic', made.prefix + topic, '--compression-codec', codec],
        ...['--property', 'parse.key=true', '--property', 'key.separator=|'],
        ...['batch.size=500000', 'linger.ms=1000', ...settings].flatMap((each) => [
          '--producer-property',
          each,
        ]),
      ],
      records.map(([key, value]) => `${key}|${value}\n`).join(''),
    );
  }

  /** The codec in the attributes of the first batch on the broker's disk. */
  function codecOnDisk(topic: TopicName): number {
    const log = join(kafka.folder, 'data', `${made.prefix}${topic}-0`, '00000000000000000000.log');
    return readFileSync(log).readInt16BE(21) & 7;
  }

  const pairs = (records: readonly StoredRecord[]): [string, string][] =>
    records.map(({ key, value }) => [key!.toString(), value!.toString()]);

  const records = Array.from(
    { length: 3000 },
    (_, i) => [`run-${i % 7}`, `${'证据 and evidence '.repeat(i % 40)}${Math.sin(i)}`] as const,
  );

  test.each<[string, number]>([
    ['gzip', 1],
    ['snappy', 2],
    ['lz4', 3],
    ['zstd', 4],
  ])('%s: all are read, in order, by readers and by lanes', async (codec, number) => {
    await produce(IN, codec, records);
    expect(codecOnDisk(IN)).toBe(number);
    expect(pairs(await readAll(made.bus, IN, 0))).toEqual(records);
    const group = consume(made.bus, { group: 'g', topics: [IN], maxRecords: 700 });
    await waitUntil('all have come', () => group.records().length >= records.length);
    await group.consumption.stop();
    expect(pairs(group.records())).toEqual(records);
  });

  test('given our own topics as we make them, the broker unpacks: nothing compressed lies in them', async () => {
    await kafkaTool(
      'org.apache.kafka.tools.ConsoleProducer',
      ['--bootstrap-server', address(), '--topic', made.prefix + IN, '--compression-codec', 'zstd'],
      'one\ntwo\n',
    );
    expect(codecOnDisk(IN)).toBe(0);
    expect(textsOf(await readAll(made.bus, IN, 0))).toEqual(['one', 'two']);
  });

  test('strong zstd, which asks for a window of 128 MiB, is read', async () => {
    await produce(IN, 'zstd', records, ['compression.zstd.level=22']);
    expect(pairs(await readAll(made.bus, IN, 0))).toEqual(records);
  });

  describe('given a bomb of a few kilobytes', () => {
    /** One batch of records that are nothing but one letter. */
    async function plantBomb(codec: string): Promise<void> {
      const value = 'a'.repeat(1_000_000);
      const many = Array.from({ length: MOST_BATCH_BYTES / 1_000_000 + 4 }, () => ['k', value] as const);
      const large = ['batch.size=60000000', 'buffer.memory=90000000', 'linger.ms=20000'];
      await produce(IN, codec, many, [...large, 'max.request.size=90000000']);
    }

    test.each(['gzip', 'zstd'])(
      '%s: readers are refused, the lane waits and says where, followers go on; past it nothing is lost',
      async (codec) => {
        const followed: StoredRecord[] = [];
        const following = made.bus.follow([IN], (seen) => void followed.push(...seen));
        await made.bus.append([newRecord(IN, 0, 'before')]);
        await plantBomb(codec);
        expect(codecOnDisk(IN)).toBe(0);
        await made.bus.append([newRecord(IN, 0, 'behind')]);
        await waitUntil('followers go on', () => textsOf(followed).includes('behind'));
        await following.stop();

        const group = consume(made.bus, { group: 'g', topics: [IN] });
        const { error } = await waitUntil('the lane waits', () => group.errors[0]);
        await waitUntil('it tries again', () => group.errors.length > 1);
        await group.consumption.stop();
        expect(error).toEqual(refusal('PL_BATCH_UNREADABLE', `it is over ${MOST_BATCH_BYTES} bytes`));
        expect(textsOf(group.records())).toEqual(['before']);
        await expect(readAll(made.bus, IN, 0)).rejects.toThrow(refusal('PL_BATCH_UNREADABLE', `${IN}/0`));

        // As its solution says: the group is set behind what the error names.
        const { to } = (error as { params: { to: string } }).params;
        await withAdmin(address(), (admin) =>
          admin.setOffsets({
            groupId: createKafkaNames(made.prefix).group('g'),
            topic: made.prefix + IN,
            partitions: [{ partition: 0, offset: String(Number(to) + 1) }],
          }),
        );
        const after = consume(made.bus, { group: 'g', topics: [IN] });
        await waitUntil('it goes on', () => after.records().length > 0);
        await after.consumption.stop();
        expect(textsOf(after.records())).toEqual(['behind']);
      },
      60_000,
    );
  });
});
