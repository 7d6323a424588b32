import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Lane, StoredRecord } from '../../src/bus/bus.js';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import { isFenced } from '../../src/bus/kafka/kafka-errors.js';
import { openKafkaBus, openKafkaReader } from '../../src/bus/kafka/kafka-bus.js';
import { ConfigResourceTypes } from '../../src/bus/kafka/load-kafkajs.js';
import { createKafkaNames } from '../../src/bus/kafka/topic-names.js';
import { openTransactionalWriter } from '../../src/bus/kafka/transactional-writer.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { busConformance } from '../conformance/bus.js';
import { consume, copyTo, newRecord, newRecords, readAll, textsOf } from '../support/bus.js';
import { endChildren, startChild } from '../support/child.js';
import { makeKafkaBus, withAdmin, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';
import { waitUntil } from '../support/wait.js';

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';
const PARTITIONS = 2;

const missing = await kafkaMissing();

describe.skipIf(missing !== null)(
  `on a real broker${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let failed = false;
    beforeAll(async () => {
      kafka = await startKafka();
    }, 120_000);
    afterEach((context) => {
      failed ||= context.task.result?.state === 'fail';
    });
    afterAll(() => kafka.stop({ keepLogs: failed }));

    busConformance('the Kafka bus', (options) => makeKafkaBus(kafka.address, options));

    describe('the Kafka bus', () => {
      let made: KafkaBusUnderTest;
      beforeEach(async () => {
        made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS, idleCommitMs: 300 });
      });
      afterEach(endChildren);
      afterEach(() => made.dispose());

      const client = (): ReturnType<typeof createKafkaClient> =>
        createKafkaClient({ brokers: [kafka.address] });
      const nameOf = (topic: TopicName): string => made.prefix + topic;

      async function setTopic(topic: TopicName, settings: Record<string, string>): Promise<void> {
        const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
        await withAdmin(kafka.address, (admin) =>
          admin.alterConfigs({
            validateOnly: false,
            resources: [{ type: ConfigResourceTypes.TOPIC, name: nameOf(topic), configEntries }],
          }),
        );
      }

      test('given aborted transactions that overlap, nothing of them is read', async () => {
        const [a, b] = [client().transactionalProducer('a'), client().transactionalProducer('b')];
        await Promise.all([a.connect(), b.connect()]);
        const send = (
          transaction: Awaited<ReturnType<typeof a.transaction>>,
          value: string,
        ): Promise<unknown> =>
          transaction.send({ topic: nameOf(IN), messages: [{ key: 'k', partition: 0, value }] });
        const first = await a.transaction();
        await send(first, 'aborted by a');
        const second = await b.transaction();
        await send(second, 'aborted by b');
        await send(first, 'aborted by a, too');
        await second.abort();
        await first.abort();
        await Promise.all([a.disconnect(), b.disconnect()]);
        await made.bus.append([newRecord(IN, 0, 'committed')]);

        expect(textsOf(await readAll(made.bus, IN, 0))).toEqual(['committed']);
        const group = consume(made.bus, { group: 'g', topics: [IN] });
        await waitUntil('it has come', () => group.records().length > 0);
        await group.consumption.stop();
        expect(textsOf(group.records())).toEqual(['committed']);
      });

      test('given a batch that compaction emptied, readers and lanes get past it', async () => {
        const topic = 'run-state.v1';
        const settings = {
          'cleanup.policy': 'compact',
          'segment.bytes': '1048576',
          'min.cleanable.dirty.ratio': '0.001',
          'delete.retention.ms': '100',
          'max.compaction.lag.ms': '100',
        };
        // The last batch of a producer stays, emptied, so that its sequence numbers are remembered. A fetch ends with
        // its segment: where that ends with an emptied batch, one is all that the next fetch gets.
        const segmentMs = 1500;
        await setTopic(topic, { ...settings, 'segment.ms': String(segmentMs) });
        const producers = ['old', 'new'].map((id) => client().transactionalProducer(made.prefix + id));
        await Promise.all(producers.map((producer) => producer.connect()));
        const [oldOnes, newOnes] = await Promise.all(producers.map((producer) => producer.transaction()));
        const send = (transaction: typeof oldOnes, value: string): Promise<unknown> => {
          const messages = Array.from({ length: 50 }, (_, i) => ({ key: `k${i}`, partition: 0, value }));
          return transaction!.send({ topic: nameOf(topic), messages });
        };
        const fill = (name: string): Promise<unknown> => {
          const key = (i: number): Buffer => Buffer.from(`${name}${i}`);
          const value = Buffer.alloc(30_000, 97);
          return made.bus.append(
            Array.from({ length: 33 }, (_, i) => newRecord(topic, 0, value, { key: key(i) })),
          );
        };
        await fill('a');
        await send(oldOnes, 'old');
        const sent = performance.now();
        await waitUntil('the next record begins a segment', () => performance.now() - sent > segmentMs);
        await oldOnes!.commit();
        await send(newOnes, 'new');
        await newOnes!.commit();
        await fill('b');
        await fill('c');
        await Promise.all(producers.map((producer) => producer.disconnect()));
        await setTopic(topic, { ...settings, 'segment.ms': '100' });
        const texts = await waitUntil('it is compacted', async () => {
          await made.bus.append([newRecord(topic, 0, 'rolls the segment', { key: Buffer.from('roll') })]);
          const all = textsOf(await readAll(made.bus, topic, 0));
          return all.includes('old') ? null : all;
        });
        expect(texts.filter((text) => text === 'new')).toHaveLength(50);
        const group = consume(made.bus, { group: 'g', topics: [topic] });
        await waitUntil('it is past', () => textsOf(group.records()).includes('new'));
        await group.consumption.stop();
      });

      test('given records that are larger than what a lane asks for at once, it is given them all', async () => {
        const large = [0, 1, 2].map((i) => newRecord(IN, 0, Buffer.alloc(300_000, 97 + i)));
        await made.bus.append(large);
        const group = consume(made.bus, { group: 'g', topics: [IN], maxRecords: 2 });
        await waitUntil('they have come', () => group.records().length >= large.length);
        await group.consumption.stop();
        expect(group.records().map(({ value }) => value!.length)).toEqual([300_000, 300_000, 300_000]);
      });

      test('given a send that the broker refused in part, what is written next is there', async () => {
        await setTopic(OUT, { 'max.message.bytes': '2000' });
        const refused = [newRecord(IN, 0, 'refused'), newRecord(OUT, 1, Buffer.alloc(5000))];
        await expect(made.bus.append(refused)).rejects.toThrow();
        await made.bus.append([newRecord(IN, 0, 'acknowledged')]);
        expect(textsOf(await readAll(made.bus, IN, 0))).toEqual(['acknowledged']);
        expect(await readAll(made.bus, OUT, 1)).toEqual([]);
      });

      test('given that somebody takes its transactional id, a lane writes nothing, reads again, and nothing is doubled', async () => {
        const names = createKafkaNames(made.prefix);
        await made.bus.append(newRecords(IN, 0, 4));
        let stolen = false;
        const group = consume(made.bus, {
          group: 'copy',
          topics: [IN],
          maxRecords: 2,
          async work(batch, lane) {
            if (!stolen && String(batch[0]!.value) === 'r-2') {
              stolen = true;
              const id = names.laneTransactionalId('copy', 0);
              await (await openTransactionalWriter(client().transactionalProducer(id), names)).close();
            }
            return copyTo(OUT)(batch, lane);
          },
        });
        await waitUntil('all is copied', async () => (await readAll(made.bus, OUT, 0)).length >= 4);
        await group.consumption.stop();
        expect(textsOf(await readAll(made.bus, OUT, 0))).toEqual(['r-0', 'r-1', 'r-2', 'r-3']);
        expect(group.errors).toHaveLength(1);
        expect(isFenced(group.errors[0]!.error)).toBe(true);
      });

      test("given another station's open transaction, a barrier is passed only once it has ended", async () => {
        const ledger = 'ledger.v1';
        const seen: StoredRecord[] = [];
        const view = consume(made.bus, {
          group: 'view',
          topics: [ledger],
          opened: () => ({ startAt: { [ledger]: 0 } }),
          work(batch) {
            seen.push(...batch);
            return Promise.resolve({ kind: 'done' });
          },
        });
        const guard = consume(made.bus, { group: 'guard', topics: [IN] });
        const lane: Lane = await waitUntil('the lane is open', () =>
          guard.lanes.find(({ partition }) => partition === 0),
        );
        const other = client().transactionalProducer('other');
        await other.connect();
        const open = await other.transaction();
        await open.send({
          topic: nameOf(ledger),
          messages: [{ key: 'run/open', partition: 0, value: 'open' }],
        });
        await made.bus.append([newRecord(ledger, 0, 'hidden'), newRecord(ledger, 1, 'witness')]);
        const barrier = await lane.barrier(ledger);
        await waitUntil('the other partition goes on', () => textsOf(seen).includes('witness'));
        expect(seen.filter(({ partition }) => partition === 0)).toEqual([]);
        await open.commit();
        await waitUntil('the barrier is passed', () =>
          seen.some(({ partition, offset }) => partition === 0 && offset >= barrier),
        );
        expect(textsOf(seen.filter(({ partition, value }) => partition === 0 && value !== null))).toEqual([
          'open',
          'hidden',
        ]);
        await other.disconnect();
        await Promise.all([view.consumption.stop(), guard.consumption.stop()]);
      });

      test('barriers are shown to those who keep their own position, and to nobody else', async () => {
        const guard = consume(made.bus, { group: 'guard', topics: [OUT] });
        const lane = await waitUntil('the lane is open', () =>
          guard.lanes.find(({ partition }) => partition === 0),
        );
        const followed: StoredRecord[] = [];
        const following = made.bus.follow([IN], (records) => followed.push(...records));
        for (let i = 0; i < 3; i++) {
          await lane.barrier(IN);
          await made.bus.append([newRecord(IN, 0, `r-${i}`)]);
        }
        const texts = ['r-0', 'r-1', 'r-2'];
        expect(textsOf(await readAll(made.bus, IN, 0))).toEqual(texts);
        const station = consume(made.bus, { group: 'station', topics: [IN] });
        await waitUntil('all has come', () => station.records().length === 3 && followed.length === 3);
        expect([textsOf(station.records()), textsOf(followed)]).toEqual([texts, texts]);
        await Promise.all([guard.consumption.stop(), station.consumption.stop(), following.stop()]);
      });

      test('given that what a group was to read is gone, it stops there and says so', async () => {
        await made.bus.append(newRecords(IN, 0, 2));
        const first = consume(made.bus, { group: 'g', topics: [IN] });
        await waitUntil('the group is at the end', () => first.records().length === 2);
        await first.consumption.stop();
        await made.bus.append(newRecords(IN, 0, 2, 'gone'));
        await made.empty(IN, 0);
        await made.bus.append(newRecords(IN, 0, 2, 'kept'));
        const second = consume(made.bus, { group: 'g', topics: [IN] });
        await waitUntil('it says so', () => second.errors.length > 0);
        await second.consumption.stop();
        expect(second.errors[0]).toMatchObject({ error: { code: 'PL_OFFSET_LOST' }, partition: 0 });
        expect(second.records()).toEqual([]);
        expect(await made.bus.committed('g', IN, 0)).toBeLessThan((await made.bus.bounds(IN, 0)).low);
      });

      test('an idle lane moves its offset past the marker behind the last record, so that retention finds nothing unread', async () => {
        await made.bus.append(newRecords(IN, 0, 2));
        const { end } = await made.bus.bounds(IN, 0);
        const first = consume(made.bus, { group: 'g', topics: [IN] });
        await waitUntil('it has moved', async () => (await made.bus.committed('g', IN, 0)) === end);
        await first.consumption.stop();
        await made.empty(IN, 0);
        await made.bus.append(newRecords(IN, 0, 1, 'kept'));
        const second = consume(made.bus, { group: 'g', topics: [IN] });
        await waitUntil('it goes on', () => second.records().length > 0);
        await second.consumption.stop();
        expect(textsOf(second.records())).toEqual(['kept-0']);
        expect([...first.errors, ...second.errors]).toEqual([]);
      });

      test('given two processes and two inputs, a lane has the same partition of both', async () => {
        const other = await made.openAnother();
        const topics = [IN, 'run-state.v1'] as const;
        const groups = [made.bus, other].map((bus) =>
          consume(bus, { group: 'g', topics, work: copyTo(OUT) }),
        );
        const latest = (i: number): number[] => [
          ...new Set(
            groups[i]!.lanes.filter(({ signal }) => !signal.aborted).map(({ partition }) => partition),
          ),
        ];
        await waitUntil('each has a lane', () => latest(0).length === 1 && latest(1).length === 1);
        await made.bus.append(
          [0, 1].flatMap((p) => topics.map((topic) => newRecord(topic, p, `${topic} ${p}`))),
        );
        await waitUntil('all has come', () => groups.every((group) => group.records().length >= 2));
        await Promise.all(groups.map((group) => group.consumption.stop()));
        for (const group of groups) {
          expect(new Set(group.records().map(({ topic }) => topic)).size).toBe(2);
          expect(new Set(group.records().map(({ partition }) => partition)).size).toBe(1);
        }
      });

      test('given a coordinator that forgot what was committed, a process that has just joined goes no more back than the others', async () => {
        await made.bus.append([...newRecords(IN, 0, 4), ...newRecords(IN, 1, 4)]);
        const old = consume(made.bus, { group: 'g', topics: [IN], work: copyTo(OUT) });
        await waitUntil('all is copied', () => old.records().length === 8);
        const names = createKafkaNames(made.prefix);
        const forgetful = await openTransactionalWriter(client().transactionalProducer('forgetful'), names);
        for (const partition of [0, 1])
          await forgetful.write([], { group: 'g', partition, next: { [IN]: 1 } });
        await forgetful.close();
        const joining = consume(await made.openAnother(), { group: 'g', topics: [IN], work: copyTo(OUT) });
        await waitUntil('both refuse', () => [old, joining].every(({ errors }) => errors.length > 0));
        await Promise.all([old, joining].map(({ consumption }) => consumption.stop()));
        for (const { error } of [...old.errors, ...joining.errors])
          expect(error).toMatchObject({ code: 'PL_OFFSET_LOST', params: { offset: 1 } });
        expect([...old.records(), ...joining.records()]).toHaveLength(8);
      });

      test('given topics that are there, they are checked and never changed', async () => {
        const options = { brokers: [kafka.address], prefix: made.prefix };
        await expect(openKafkaBus({ ...options, partitions: 5 })).rejects.toMatchObject({
          code: 'PL_PARTITIONS_CHANGED',
          params: { found: PARTITIONS, expected: 5 },
        });
        const reader = await openKafkaReader(options);
        expect(reader).toMatchObject({ partitions: PARTITIONS, epoch: made.bus.epoch });
        await reader.close();
        await setTopic('ledger.v1', { 'cleanup.policy': 'delete' });
        for (let i = 0; i < 2; i++) {
          await expect(openKafkaBus({ ...options, partitions: PARTITIONS })).rejects.toMatchObject({
            code: 'PL_TOPICS_UNUSABLE',
            message: expect.stringContaining('cleanup.policy=delete') as string,
          });
        }
        await expect(openKafkaReader({ ...options, prefix: 'nobody.' })).rejects.toMatchObject({
          code: 'PL_TOPICS_UNUSABLE',
        });
      });

      test('given a bus that was closed, when its process has nothing else to do, then it ends by itself', async () => {
        const child = startChild('bus-kafka-child.ts', [kafka.address, made.prefix, String(PARTITIONS)]);
        await child.line('open');
        child.kill('SIGTERM');
        expect(await child.exited).toBe(0);
      }, 60_000);

      test.each(['SIGSTOP', 'SIGKILL'] as const)(
        'given processes of one group and %s in the middle, others take over and nothing is lost or doubled',
        async (signal) => {
          const total = 600;
          const children = [1, 2].map(() =>
            startChild('bus-kafka-child.ts', [kafka.address, made.prefix, String(PARTITIONS)]),
          );
          await Promise.all(children.map((child) => child.line('ready')));
          await waitUntil('lanes are open', () =>
            children.every(({ lines }) => lines.some((line) => line.startsWith('open'))),
          );
          let fed = 0;
          const feed = async (until: number): Promise<void> => {
            while (fed < until)
              await made.bus.append(
                Array.from({ length: 10 }, () => newRecord(IN, fed % PARTITIONS, `r-${fed++}`)),
              );
          };
          const copied = async (): Promise<string[]> => {
            const pages = await Promise.all(
              Array.from({ length: PARTITIONS }, (_, p) => readAll(made.bus, OUT, p)),
            );
            return pages.flatMap((page) => textsOf(page).map(String));
          };
          await feed(200);
          children[0]!.kill(signal);
          await feed(400);
          await waitUntil('the other has taken over', async () => (await copied()).length >= 400, 30_000);
          if (signal === 'SIGSTOP') children[0]!.kill('SIGCONT');
          await feed(total);
          await waitUntil('all is copied', async () => (await copied()).length >= total, 30_000);
          for (const child of children) child.kill('SIGTERM');
          await Promise.all(children.map(({ exited }) => exited));
          const all = await copied();
          expect(all.toSorted()).toEqual(Array.from({ length: total }, (_, i) => `r-${i}`).toSorted());
        },
        90_000,
      );

      test('given that the broker is killed and comes back, the line goes on and nothing is lost or doubled', async () => {
        const group = consume(made.bus, { group: 'copy', topics: [IN], work: copyTo(OUT) });
        await made.bus.append(newRecords(IN, 0, 3, 'before'));
        await waitUntil('all is copied', async () => (await readAll(made.bus, OUT, 0)).length === 3);
        await kafka.restart();
        const after = newRecords(IN, 0, 3, 'after');
        await waitUntil('appending works again', () => made.bus.append(after).catch(() => null), 60_000);
        const inputs = await readAll(made.bus, IN, 0);
        await waitUntil(
          'all is copied',
          async () => (await readAll(made.bus, OUT, 0)).length >= inputs.length,
          60_000,
        );
        await group.consumption.stop();
        expect(textsOf(await readAll(made.bus, OUT, 0))).toEqual(textsOf(inputs));
      }, 150_000);
    });

    test('given that the broker is gone, appending says so', async () => {
      const gone = await startKafka();
      const made = await makeKafkaBus(gone.address, { partitions: 1 });
      try {
        await gone.kill();
        for (const count of [1, 2])
          await expect(made.bus.append(newRecords(IN, 0, count))).rejects.toMatchObject({
            code: 'PL_BUS_DOWN',
          });
      } finally {
        await made.bus.close();
        await gone.stop();
      }
    }, 120_000);

    test('given no broker, opening says so', async () => {
      await expect(openKafkaBus({ brokers: ['127.0.0.1:9'], partitions: 1 })).rejects.toMatchObject({
        code: 'PL_BUS_DOWN',
      });
    }, 60_000);
  },
);
