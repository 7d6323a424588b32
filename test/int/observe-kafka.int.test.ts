import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Bus } from '../../src/bus/bus.js';
import { createKafkaClient } from '../../src/bus/kafka/client.js';
import { openKafkaBus } from '../../src/bus/kafka/kafka-bus.js';
import { createKafkaNames } from '../../src/bus/kafka/topic-names.js';
import { openTransactionalWriter } from '../../src/bus/kafka/transactional-writer.js';
import { createHealth } from '../../src/station/health.js';
import { TEST_TIMES } from '../support/kafka-bus.js';
import { runEcho, type Echo } from '../support/line-echo.js';
import { observe, seriesOf, stopObserving, type Observed } from '../support/observe.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';
import { waitUntil } from '../support/wait.js';

const missing = await kafkaMissing();

describe.skipIf(missing !== null)(
  `on a real broker${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    const buses: Bus[] = [];
    beforeAll(async () => {
      kafka = await startKafka();
    }, 120_000);
    afterEach(async () => {
      for (const bus of buses.splice(0)) await bus.close();
      await stopObserving();
    });
    afterAll(() => kafka.stop());

    /** A process of its own, as far as Kafka can tell, with one station. */
    async function join(prefix: string): Promise<{ bus: Bus; observed: Observed; echo: Echo }> {
      const observed = await observe();
      const bus = await openKafkaBus({
        brokers: [kafka.address],
        prefix,
        partitions: 2,
        replicationFactor: 1,
        times: TEST_TIMES,
        idleCommitMs: 100,
        events: observed.kafkaEvents,
      });
      buses.push(bus);
      observed.attach({ bus, ledger: null, health: createHealth(Date.now) });
      return { bus, observed, echo: runEcho(bus, { observer: observed.observer }) };
    }

    const prefixOf = (): string => `test-${randomUUID().slice(0, 8)}.`;
    const series = async ({ observed }: { observed: Observed }, name: string): Promise<number | null> =>
      seriesOf(await observed.metrics(), name);

    test('given work, a fence and an idle log, the metrics tell of each', async () => {
      const prefix = prefixOf();
      const process = await join(prefix);
      const { bus, observed, echo } = process;
      await waitUntil('it is ready', () => observed.readiness().ready);
      await bus.append([echo.request({})]);
      const committed = 'proofline_kafka_transactions_total{group="echo",outcome="committed"}';
      await waitUntil('it has worked', async () => ((await series(process, committed)) ?? 0) > 0);
      expect(await series(process, 'proofline_kafka_rejoins_total{group="echo"}')).toBe(1);
      expect(await series(process, 'proofline_bus_up')).toBe(1);
      await waitUntil('nothing is left', async () => {
        const text = await observed.metrics();
        return !/^proofline_station_lag_records\{.*\} [1-9]/m.test(text) && text.includes('_lag_records{');
      });

      // Somebody takes the lanes over, as a successor does.
      const client = createKafkaClient({ brokers: [kafka.address] });
      const names = createKafkaNames(prefix);
      for (const partition of [0, 1]) {
        const id = names.laneTransactionalId('echo', partition);
        await (await openTransactionalWriter(client.transactionalProducer(id), names)).close();
      }
      await bus.append([echo.request({ toolCallId: 'call-2' })]);
      await waitUntil(
        'the fence is seen',
        async () => (await series(process, 'proofline_kafka_fenced_total{group="echo"}')) === 1,
      );
      const aborted = 'proofline_kafka_transactions_total{group="echo",outcome="aborted"}';
      expect(await series(process, aborted)).toBe(1);
      await waitUntil(
        'it works again',
        async () => (await series(process, 'proofline_records_in_total{station="echo"}')) === 2,
      );
      await waitUntil('it is ready again', () => observed.readiness().ready);
    });

    test('given another process in the group, partitions and what they waited for go with them', async () => {
      const prefix = prefixOf();
      const one = await join(prefix);
      const lanesOf = (process: typeof one): Promise<number | null> =>
        series(process, 'proofline_station_lanes{station="echo"}');
      const told = (msg: string): boolean => one.observed.logged.some((line) => line['msg'] === msg);
      await waitUntil('one has both', async () => (await lanesOf(one)) === 2);
      await waitUntil('it is told', () => told('partitions gained'));
      for (const partition of [0, 1])
        one.echo.health.waits('echo', partition, 'PL_RETRIEVAL_DOWN', { problem: 'x' });
      const other = await join(prefix);
      await waitUntil('each has one', async () => (await lanesOf(one)) === 1 && (await lanesOf(other)) === 1);
      expect(one.echo.health.waiting()).toEqual([]);
      await waitUntil('that is told', () => told('partitions lost'));
    });
  },
);
