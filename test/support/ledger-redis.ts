import { Redis } from 'ioredis';
import { runLedgerView } from '../../consumers/ledger-view.js';
import type { Bus, Consumption } from '../../src/bus/bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { openRedisLedgerView, type RedisLedgerView } from '../../src/ledger/redis/redis-ledger-view.js';
import { createHealth, type Health } from '../../src/station/health.js';
import type { Incident } from '../../src/station/lane-environment.js';
import { readAll } from './bus.js';

const codec = createCodec();
let made = 0;

/** The ledger-view station over a view in Redis, of its own keys. */
export interface RedisView {
  readonly view: RedisLedgerView;
  readonly prefix: string;
  /** For looking at, and spoiling, what lies in Redis. */
  readonly redis: Redis;
  readonly health: Health;
  readonly incidents: readonly Incident[];
  start(): void;
  stop(): Promise<void>;
  /** Whether every partition's position is the end of what was appended. */
  caughtUp(): Promise<boolean>;
  /** All that the partitions hold, without what each rebuild names differently. */
  dump(): Promise<Dump>;
  close(): Promise<void>;
}

/** By key: the fields of a hash, the scores of a sorted set. */
export type Dump = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function openRedisView(bus: Bus, url: string, prefix = `test-${process.pid}-${++made}:`): RedisView {
  const view = openRedisLedgerView({ connection: url, prefix, epoch: bus.epoch, codec });
  // It is used only while Redis runs.
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  const health = createHealth(Date.now);
  const incidents: Incident[] = [];
  const emitter = {
    station: 'ledger-view',
    codec,
    partitions: bus.partitions,
    prefix: 'test.',
    now: Date.now,
  };
  let running: Consumption | null = null;

  return {
    view,
    prefix,
    redis,
    health,
    incidents,
    start() {
      const onIncident = (incident: Incident): void => void incidents.push(incident);
      running = runLedgerView(bus, { emitter, health, onIncident }, view);
    },
    async stop() {
      await running?.stop();
      running = null;
    },
    async caughtUp() {
      for (let partition = 0; partition < bus.partitions; partition++) {
        const last = (await readAll(bus, 'ledger.v1', partition)).at(-1)?.offset ?? -1;
        const position = await view.position(partition).catch(() => null);
        if (position === null || position <= last) return false;
      }
      return true;
    },
    async dump() {
      const found: Record<string, Record<string, string>> = {};
      for (let partition = 0; partition < bus.partitions; partition++) {
        const key = `${prefix}{p${partition}}/ledger`;
        const { '@source': _, ...fields } = await redis.hgetall(key);
        const members = (await redis.call('ZRANGE', `${key}:expiry`, 0, -1)) as string[];
        const scores = await Promise.all(members.map((member) => redis.zscore(`${key}:expiry`, member)));
        found[`${partition}`] = sorted(fields);
        found[`${partition} expiry`] = Object.fromEntries(
          members.map((member, i) => [member, scores[i] ?? '']),
        );
      }
      return found;
    },
    async close() {
      await running?.stop();
      await view.close();
      redis.disconnect();
    },
  };
}

/** A view of the same topic that nothing has ever happened to. */
export async function freshDump(bus: Bus, url: string): Promise<Dump> {
  const fresh = openRedisView(bus, url);
  try {
    for (let partition = 0; partition < bus.partitions; partition++) {
      const records = await readAll(bus, 'ledger.v1', partition);
      const rebuild = await fresh.view.rebuild(partition, 'fresh');
      const to = (records.at(-1)?.offset ?? -1) + 1;
      await rebuild.apply({ partition, from: 0, to, records });
      await rebuild.finish();
    }
    return await fresh.dump();
  } finally {
    await fresh.close();
  }
}

/** The calls of a run are a list in the order in which they came: a rebuild may find some of them later. */
function sorted(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
