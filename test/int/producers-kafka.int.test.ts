import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  connectKafka,
  eachMessage,
  draftRecord,
  lookupRecord,
  publishVerified,
  type KafkaClient,
} from '../../producers/kafka.js';
import { Kafka, logLevel } from '../../src/bus/kafka/load-kafkajs.js';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import { createCodec } from '../../src/contracts/codec.js';
import type { VerifiedDraft } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { readAll } from '../support/bus.js';
import { makeKafkaBus, TEST_TIMES, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';
import { verifiedDraft } from '../support/verified.js';
import { waitUntil } from '../support/wait.js';

const missing = await kafkaMissing();
const codec = createCodec();
const PARTITIONS = 3;
const SLOW_MS = 60_000;

describe.skipIf(missing !== null)(
  `clients of their own on a real broker${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let made: KafkaBusUnderTest;
    const closing: (() => Promise<unknown>)[] = [];

    beforeAll(async () => void (kafka = await startKafka()), 120_000);
    beforeEach(
      async () => void (made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS })),
      SLOW_MS,
    );
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
      await made.dispose();
    }, SLOW_MS);
    afterAll(() => kafka.stop());

    function foreign(): InstanceType<typeof Kafka> {
      return new Kafka({ brokers: [kafka.address], clientId: 'foreign', logLevel: logLevel.NOTHING });
    }

    async function connect(): Promise<KafkaClient> {
      const client = await connectKafka({
        brokers: [kafka.address],
        topicPrefix: made.prefix,
        times: TEST_TIMES,
      });
      closing.push(() => client.close());
      return client;
    }

    function record(message: VerifiedDraft) {
      const emitter: Emitter = {
        station: 'review',
        codec,
        partitions: PARTITIONS,
        prefix: made.prefix,
        now: Date.now,
      };
      return encodeRecord(emitter, 'verified.v1', message);
    }

    /** Written in a transaction that is rolled back: it never happened. */
    async function abort(message: VerifiedDraft): Promise<void> {
      const producer = createKafkaClient({ brokers: [kafka.address] }).transactionalProducer(
        `${made.prefix}aborts`,
      );
      await producer.connect();
      const { partition, key, value } = record(message);
      const transaction = await producer.transaction();
      await transaction.send({ topic: `${made.prefix}verified.v1`, messages: [{ partition, key, value }] });
      await transaction.abort();
      await producer.disconnect();
    }

    test('given the records of a producer of its own, the line finds them where it looks for the run', async () => {
      const options = { partitions: PARTITIONS, topicPrefix: made.prefix };
      const producer = foreign().producer();
      await producer.connect();
      closing.push(() => producer.disconnect());
      const asked = lookupRecord({ runId: 'run-7', toolCallId: 'call-1', query: '网关' }, options);
      const handed = draftRecord({ runId: 'run-7', draftId: 'draft-1', draftJson: '{}' }, options);
      for (const { topic, ...message } of [asked, handed])
        await producer.send({ topic, messages: [message] });
      const partition = partitionOf('run-7', PARTITIONS);
      for (const [topic, sent] of [
        ['lookup-requested.v1', asked],
        ['draft-submitted.v1', handed],
      ] as const) {
        const [stored] = await readAll(made.bus, topic, partition);
        expect(stored).toMatchObject({ headers: sent.headers });
        expect(stored?.value?.equals(sent.value)).toBe(true);
        expect(stored?.key?.toString()).toBe('run-7');
      }
    });

    test('given no partition, a client with the default partitioner finds the same one', async () => {
      const producer = foreign().producer();
      await producer.connect();
      closing.push(() => producer.disconnect());
      for (const runId of ['run-1', 'run-2', '运', 'a'.repeat(100)]) {
        await producer.send({
          topic: `${made.prefix}lookup-requested.v1`,
          messages: [{ key: runId, value: 'x', headers: { run: encodeURIComponent(runId) } }],
        });
        const there = await readAll(made.bus, 'lookup-requested.v1', partitionOf(runId, PARTITIONS));
        expect(there.at(-1)?.headers['run']).toBe(encodeURIComponent(runId));
      }
    });

    test(
      'given a consumer of kafkajs, eachMessage hands it what was committed, each event once',
      { timeout: SLOW_MS },
      async () => {
        await made.bus.append([record(verifiedDraft('1', 'run-1'))]);
        await abort(verifiedDraft('2', 'run-1'));
        await made.bus.append([record(verifiedDraft('1', 'run-1')), record(verifiedDraft('3', 'run-1'))]);
        const consumer = foreign().consumer({ groupId: `${made.prefix}site`, readUncommitted: false });
        closing.push(() => consumer.disconnect());
        await consumer.connect();
        await consumer.subscribe({ topic: `${made.prefix}verified.v1`, fromBeginning: true });
        const seen: string[] = [];
        await consumer.run({
          eachMessage: eachMessage(
            { 'verified.v1': ({ eventId }) => void seen.push(eventId.slice(-1)) },
            { topicPrefix: made.prefix },
          ),
        });
        await waitUntil('both are there', () => seen.length === 2, SLOW_MS);
        expect(seen).toEqual(['1', '3']);
      },
    );

    test(
      'given a group, a publisher gets every outcome and goes on where the group stopped',
      { timeout: SLOW_MS },
      async () => {
        await made.bus.append([record(verifiedDraft('1', 'run-1'))]);
        await abort(verifiedDraft('2', 'run-1'));
        await made.bus.append([record(verifiedDraft('3', 'run-1'))]);
        const published: string[] = [];
        const options = {
          group: 'site',
          handlers: {
            'verified.v1': publishVerified({
              publish: ({ eventId }) => void published.push(eventId.slice(-1)),
            }),
          },
        };
        const first = await connect();
        const consumption = first.consume(options);
        await waitUntil('both are there', () => published.length === 2, SLOW_MS);
        await consumption.stop();
        await made.bus.append([record(verifiedDraft('4', 'run-1'))]);
        (await connect()).consume(options);
        await waitUntil('the third is there', () => published.length === 3, SLOW_MS);
        expect(published).toEqual(['1', '3', '4']);
      },
    );

    test('given an agent that asks and hands in, the line has both under the ids that it was told', async () => {
      const client = await connect();
      expect(client.partitions).toBe(PARTITIONS);
      const asked = await client.ask({ runId: 'run-7', toolCallId: 'call-1', query: 'q' });
      const handed = await client.handIn({ runId: 'run-7', draftId: 'draft-1', draftJson: null });
      const partition = partitionOf('run-7', PARTITIONS);
      const lookups = await readAll(made.bus, 'lookup-requested.v1', partition);
      const drafts = await readAll(made.bus, 'draft-submitted.v1', partition);
      expect(lookups.map(({ headers }) => headers['ce_id'])).toEqual([asked.eventId]);
      expect(drafts.map(({ headers }) => headers['ce_id'])).toEqual([handed.eventId]);
    });
  },
);
