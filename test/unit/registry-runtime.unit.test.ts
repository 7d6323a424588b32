import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/bus/bus.js';
import { createCodec, type Codec } from '../../src/contracts/codec.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { topicNames, type TopicName } from '../../src/contracts/topics.js';
import { createRegistryClient } from '../../src/registry/registry-client.js';
import { createRegistryIds } from '../../src/registry/registry-ids.js';
import { long } from '../support/avro-bytes.js';
import { readAll } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import {
  closeFakeRegistries,
  json,
  schemaAnswer,
  startFakeRegistry,
  type FakeAnswer,
  type FakeRegistry,
} from '../support/fake-registry.js';
import { runEcho } from '../support/line-echo.js';
import { waitUntil } from '../support/wait.js';

const IN = 'lookup-requested.v1';
const FOREIGN = 700;
const TIMEOUT_MS = 300;
/** A codec without a registry decodes what stations write with local ids. */
const local = createCodec();

type OpenBus = ReturnType<typeof openBus>;
let bus: OpenBus;
beforeEach(() => {
  bus = openBus();
});
afterEach(closeBuses);
afterEach(closeFakeRegistries);

function codecOver(fake: FakeRegistry): Codec {
  const client = createRegistryClient({
    url: fake.url,
    username: null,
    password: null,
    timeoutMs: TIMEOUT_MS,
  });
  const own = new Map<TopicName, number>(topicNames.map((topic, i) => [topic, i + 1]));
  return createCodec(createRegistryIds({ client, own, unknownForMs: 60_000, now: () => performance.now() }));
}

/** As a producer of another version writes it. */
function withId(record: NewRecord, id: number, more: readonly Buffer[] = []): NewRecord {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(id, 1);
  return { ...record, value: Buffer.concat([header, record.value!.subarray(5), ...more]) };
}

async function decoded(topic: TopicName, codec: Codec): Promise<ReturnType<Codec['decode']>[]> {
  const records = (await Promise.all([0, 1].map((p) => readAll(bus, topic, p)))).flat();
  return records.map(({ value }) => codec.decode(topic, value!));
}

const queries = async (codec: Codec): Promise<string[]> =>
  (await decoded('review-decision.v1', codec)).map((each) => (each as { reason: string }).reason);

const letters = async (codec: Codec): Promise<{ code: string; message: string }[]> =>
  (await decoded('dead-letter.v1', codec)) as { code: string; message: string }[];

interface Field {
  name: string;
  type: unknown;
}
const evolved = (change: (fields: Field[]) => void): unknown => {
  const schema = structuredClone(avroSchemas[IN]) as unknown as { fields: Field[] };
  change(schema.fields);
  return schema;
};

describe('a record of a schema that only the registry knows', () => {
  test('is worked on, and the registry is asked once', async () => {
    const schema = evolved((fields) => fields.push({ name: 'more', type: 'long' }));
    const fake = await startFakeRegistry(schemaAnswer(schema));
    const station = runEcho(bus, { codec: codecOver(fake) });
    const foreign = withId(station.request({ query: 'foreign' }), FOREIGN, [long(5)]);
    await bus.append([foreign, station.request({ query: 'own' }), foreign]);
    await waitUntil('all are done', async () => (await queries(station.codec)).length === 3);
    expect((await queries(station.codec)).sort()).toEqual(['foreign', 'foreign', 'own']);
    expect(fake.requests).toEqual([`GET /api/schemas/ids/${FOREIGN}`]);
  });

  const unreadable: [string, FakeAnswer, string][] = [
    ['is not known to it', json(404, { error_code: 40403, message: 'not found' }), 'PL_SCHEMA_UNKNOWN'],
    ['is no Avro', json(200, { schemaType: 'PROTOBUF', schema: 'x' }), 'PL_RECORD_UNDECODABLE'],
    ['is nonsense', json(200, { schema: 'nonsense' }), 'PL_RECORD_UNDECODABLE'],
    ['is huge', schemaAnswer('x'.repeat(2_000_000)), 'PL_RECORD_UNDECODABLE'],
    [
      'lacks a field that we need',
      schemaAnswer(evolved((fields) => fields.splice(2, 1))),
      'PL_RECORD_UNDECODABLE',
    ],
    [
      'holds a list of nothing',
      schemaAnswer(evolved((fields) => fields.push({ name: 'n', type: { type: 'array', items: 'null' } }))),
      'PL_RECORD_UNDECODABLE',
    ],
  ];
  test.each(unreadable)(
    'given that it %s, goes to the dead letters and the line goes on; poison asks once',
    async (_, answer, code) => {
      const fake = await startFakeRegistry(answer);
      const station = runEcho(bus, { codec: codecOver(fake), maxRecords: 1 });
      const poison = withId(station.request({ query: 'poison' }), FOREIGN, [long(2n ** 40n), long(0)]);
      await bus.append([poison, poison, poison, station.request({ query: 'own' })]);
      await waitUntil('the line has gone on', async () => (await queries(station.codec)).includes('own'));
      await waitUntil('all are given up', async () => (await letters(station.codec)).length === 3);
      expect(new Set((await letters(station.codec)).map((letter) => letter.code))).toEqual(new Set([code]));
      expect(fake.requests).toHaveLength(1);
    },
  );

  test.each<[string, FakeAnswer]>([
    ['hangs', () => undefined],
    ['answers 500', json(500, { error_code: 50001, message: 'the store is gone' })],
    ['is not the registry', json(404, { message: 'no such route' })],
    ['does not let us in', json(401, { error_code: 40101, message: 'who are you' })],
    ['cuts the connection', (request) => void request.socket.destroy()],
  ])('given that it %s, the partition waits, says why, and loses nothing', async (_, ill) => {
    const fake = await startFakeRegistry(ill);
    const station = runEcho(bus, { codec: codecOver(fake) });
    await bus.append([withId(station.request({ query: 'foreign' }), FOREIGN)]);
    await waitUntil('it waits', () => station.health.waiting()[0]?.code === 'PL_REGISTRY_DOWN');
    await waitUntil('it has asked again', () => fake.requests.length > 1);
    expect(await letters(station.codec)).toEqual([]);
    expect(await queries(station.codec)).toEqual([]);
    fake.answerWith(schemaAnswer(avroSchemas[IN]));
    await waitUntil('it goes on', async () => (await queries(station.codec)).length === 1);
    await waitUntil('it is well', () => station.health.waiting().length === 0);
    expect(await letters(station.codec)).toEqual([]);
  });

  test('while the registry is down, what needs it not goes on: local ids and our own', async () => {
    const fake = await startFakeRegistry(json(500, {}));
    const station = runEcho(bus, { codec: codecOver(fake) });
    const own = station.request({ query: 'own' });
    const old = { ...own, value: local.encode(IN, station.codec.decode(IN, own.value!)) };
    await bus.append([own, old]);
    await waitUntil('both are done', async () => (await queries(station.codec)).length === 2);
    expect(fake.requests).toEqual([]);
  });
});
