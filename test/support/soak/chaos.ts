import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createKafkaClient } from '../../../src/bus/kafka/client.js';
import type { KafkaTestLine } from '../kafka-line.js';
import type { LineServices } from '../kafka-line-services.js';
import type { Service } from '../services/service.js';
import type { ChaosEvent, ChaosKind } from './chaos-plan.js';
import type { Fleet } from './fleet.js';
import type { Span } from './latencies.js';

export interface ChaosTarget {
  readonly line: KafkaTestLine;
  readonly services: LineServices;
  readonly fleet: Fleet;
}

/** What was done, and from when to when. */
export type DoneEvent = ChaosEvent & Span;

export interface Chaos {
  readonly done: readonly DoneEvent[];
  /** Events that could not be done: what was to come back did not. */
  readonly findings: readonly string[];
  /** What happens at the moment; null when nothing does. */
  now(): ChaosEvent | null;
  readonly ended: Promise<void>;
}

/** Does one event after the other, each at its time or, where the one before takes longer, right after it. */
export function startChaos(plan: readonly ChaosEvent[], target: ChaosTarget, signal: AbortSignal): Chaos {
  const done: DoneEvent[] = [];
  const findings: string[] = [];
  const began = performance.now();
  let current: ChaosEvent | null = null;

  async function run(): Promise<void> {
    for (const event of plan) {
      await pause(Math.max(0, began + event.atMs - performance.now()), undefined, { signal });
      current = event;
      const from = performance.now();
      try {
        await DO[event.kind](target, event);
      } catch (error) {
        findings.push(`${event.kind} at ${event.atMs} ms: ${String(error)}`);
      }
      done.push({ ...event, from, to: performance.now() });
      current = null;
    }
  }

  const ended = run().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { done, findings, now: () => current, ended };
}

type Doing = (target: ChaosTarget, event: ChaosEvent) => Promise<void>;

const DO: Readonly<Record<ChaosKind, Doing>> = {
  'stations-killed': ({ fleet }, { target, forMs }) => fleet.kill(target, forMs),
  'stations-paused': ({ fleet }, { target, forMs }) => fleet.pause(target, forMs),
  'stations-left': ({ fleet }, { target, forMs }) => fleet.leave(target, forMs),
  'redis-flushed': ({ services }) => withRedis(services, (redis) => redis.flushall()),
  'redis-scripts-flushed': ({ services }) => withRedis(services, (redis) => redis.script('FLUSH')),
  'redis-restarted': ({ services }, { forMs }) => restart(services.redis, forMs),
  async 'redis-restarted-empty'({ services }, { forMs }) {
    const { redis } = services;
    await redis.kill();
    for (const kept of KEPT_BY_REDIS) rmSync(join(redis.folder, kept), { recursive: true, force: true });
    await pause(forMs);
    await redis.restart();
    // In a container its disk is out of reach.
    await withRedis(services, (client) => client.flushall());
  },
  'broker-paused': ({ services }, { forMs }) => stopFor(services.kafka, forMs),
  'broker-restarted': ({ services }, { forMs }) => restart(services.kafka, forMs),
  // One that keeps its schemas in memory must not be ended: it just does not answer.
  'registry-paused': ({ services }, { forMs }) => stopFor(services.registry, forMs),
  'postgres-restarted': ({ services }, { forMs }) => restart(services.postgres, forMs),
  'foreign-transaction': ({ services, line }, { target, forMs }) =>
    hangOn(services.kafka.address, `${line.prefix}ledger.v1`, target % line.partitions, forMs),
};

const KEPT_BY_REDIS = ['appendonlydir', 'appendonly.aof', 'dump.rdb'];

async function restart(service: Service, forMs: number): Promise<void> {
  await service.kill();
  await pause(forMs);
  await service.restart();
}

async function stopFor(service: Service, forMs: number): Promise<void> {
  await service.signal('SIGSTOP');
  try {
    await pause(forMs);
  } finally {
    await service.signal('SIGCONT');
  }
}

async function withRedis({ redis }: LineServices, work: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(redis.url);
  client.on('error', () => undefined);
  try {
    await work(client);
  } finally {
    client.disconnect();
  }
}

/** Somebody else's transaction on the partition, which holds up all who read committed records; then aborted. */
async function hangOn(broker: string, topic: string, partition: number, forMs: number): Promise<void> {
  const producer = createKafkaClient({ brokers: [broker] }).transactionalProducer(`${topic}-foreign`);
  await producer.connect();
  try {
    const transaction = await producer.transaction();
    const messages = [{ partition, key: 'foreign', value: 'of nobody' }];
    await transaction.send({ topic, messages });
    await pause(forMs);
    await transaction.abort();
  } finally {
    await producer.disconnect();
  }
}
