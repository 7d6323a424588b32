import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/bus/bus.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { createRegistryClient } from '../../src/registry/registry-client.js';
import { openRegistryCodec, type RegistryCodecOptions } from '../../src/registry/registry-codec.js';
import { registerSchemas, subjectOf } from '../../src/registry/subjects.js';
import { long } from '../support/avro-bytes.js';
import { readAll } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { runEcho, type Echo } from '../support/line-echo.js';
import { refusal } from '../support/refusal.js';
import { registryMissing, startRegistry, type RegistryService } from '../support/services/registry.js';
import { waitUntil } from '../support/wait.js';

const IN = 'lookup-requested.v1';
const OUT = 'review-decision.v1';
const PREFIX = 'fault.';
const missing = await registryMissing();
const leftOut = missing === null ? '' : ` (left out: ${missing})`;

/** Two runs on different partitions of two. */
const [RUN_A = '', RUN_B = ''] = [0, 1].map((partition) =>
  Array.from({ length: 50 }, (_, i) => `run-${i}`).find((run) => partitionOf(run, 2) === partition),
);

/** The way to the registry, which can be shut. */
interface Way {
  readonly port: number;
  open(): Promise<void>;
  shut(): Promise<void>;
}

function wayTo(port: number): Way {
  let own = 0;
  let server: Server | null = null;
  const sockets = new Set<Socket>();
  const pass = (socket: Socket): void => {
    const to = connect({ host: '127.0.0.1', port });
    for (const each of [socket, to]) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        sockets.delete(each);
        (each === socket ? to : socket).destroy();
      });
    }
    socket.pipe(to).pipe(socket);
  };
  return {
    get port() {
      return own;
    },
    async open() {
      server = createServer(pass);
      await new Promise<void>((resolve) => server?.listen(own, '127.0.0.1', resolve));
      own = (server.address() as AddressInfo).port;
    },
    async shut() {
      const closed = new Promise((resolve) => server?.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

describe.skipIf(missing !== null)(`a schema registry that fails${leftOut}`, () => {
  let registry: RegistryService;
  let way: Way;
  let failed = false;

  beforeAll(async () => {
    registry = await startRegistry();
    way = wayTo(registry.port);
    await way.open();
  }, 120_000);
  afterEach((context) => {
    failed ||= context.task.result?.state === 'fail';
  });
  afterEach(closeBuses);
  afterAll(async () => {
    await way.shut();
    await registry.stop({ keepLogs: failed });
  });

  const settings = (): RegistryCodecOptions => ({
    url: `http://127.0.0.1:${way.port}/apis/ccompat/v7`,
    username: null,
    password: null,
    timeoutMs: 500,
    topicPrefix: PREFIX,
  });

  /** All of ours and then a later version of a producer's; always in the same order, so with the same ids. */
  async function fill(): Promise<number> {
    const client = createRegistryClient({ ...settings(), url: registry.url, timeoutMs: 30_000 });
    await registerSchemas(client, PREFIX, { dryRun: false, compatibility: null });
    const later = structuredClone(avroSchemas[IN]) as unknown as { fields: unknown[] };
    later.fields.push({ name: 'more', type: 'long', default: 0 });
    return client.register(subjectOf(PREFIX, IN), later);
  }

  let bus: ReturnType<typeof openBus>;
  let station: Echo;
  let laterId: number;
  beforeEach(async () => {
    laterId = await fill();
    bus = openBus();
    station = runEcho(bus, { codec: await openRegistryCodec(settings()) });
  }, 60_000);

  const own = (runId: string, query: string): NewRecord => station.request({ runId, query });
  function later(runId: string, query: string): NewRecord {
    const record = own(runId, query);
    const header = Buffer.alloc(5);
    header.writeUInt32BE(laterId, 1);
    return { ...record, value: Buffer.concat([header, record.value!.subarray(5), long(7)]) };
  }
  async function answered(): Promise<string[]> {
    const records = (await Promise.all([0, 1].map((p) => readAll(bus, OUT, p)))).flat();
    return records.map(({ value }) => station.codec.decode(OUT, value!).reason);
  }
  async function expectAllAnswered(queries: readonly string[]): Promise<void> {
    await waitUntil('all are answered', async () => (await answered()).length >= queries.length, 30_000);
    expect((await answered()).sort()).toEqual([...queries].sort());
    for (const p of [0, 1]) expect(await readAll(bus, 'dead-letter.v1', p)).toEqual([]);
    await waitUntil('it is well', () => station.health.waiting().length === 0);
  }
  const whenWaiting = (): Promise<unknown> =>
    waitUntil('it waits', () => station.health.waiting()[0]?.code === 'PL_REGISTRY_DOWN');

  test('killed and started again empty, while lookups flow: only what needs it waits, and all is answered', async () => {
    await bus.append([own(RUN_A, 'a before'), own(RUN_B, 'b before')]);
    await way.shut();
    await registry.kill();
    await bus.append([later(RUN_A, 'a later'), own(RUN_A, 'a behind it')]);
    await whenWaiting();
    await bus.append([own(RUN_B, 'b meanwhile')]);
    await waitUntil('the other partition goes on', async () => (await answered()).includes('b meanwhile'));
    expect(await answered()).not.toContain('a later');
    expect(await answered()).not.toContain('a behind it');
    await registry.restart();
    expect(await fill()).toBe(laterId);
    await way.open();
    await expectAllAnswered(['a before', 'b before', 'a later', 'a behind it', 'b meanwhile']);
  }, 120_000);

  test('hanging: it is down after the timeout, and goes on when it answers again', async () => {
    await registry.signal('SIGSTOP');
    try {
      await bus.append([later(RUN_A, 'a later'), own(RUN_B, 'b meanwhile')]);
      await whenWaiting();
      await waitUntil('the other partition goes on', async () => (await answered()).includes('b meanwhile'));
      expect(await answered()).toEqual(['b meanwhile']);
      await expect(openRegistryCodec(settings())).rejects.toThrow(refusal('PL_REGISTRY_DOWN'));
    } finally {
      await registry.signal('SIGCONT');
    }
    await expectAllAnswered(['a later', 'b meanwhile']);
  }, 60_000);

  test('gone at the start: the start is refused', async () => {
    await way.shut();
    try {
      await expect(openRegistryCodec(settings())).rejects.toThrow(refusal('PL_REGISTRY_DOWN'));
    } finally {
      await way.open();
    }
  });
});
