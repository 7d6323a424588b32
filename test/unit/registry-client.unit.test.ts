import { afterEach, describe, expect, test } from 'vitest';
import { parseSchema } from '../../src/contracts/codec.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { topicNames } from '../../src/contracts/topics.js';
import { createRegistryClient, type RegistryClient } from '../../src/registry/registry-client.js';
import {
  closeFakeRegistries,
  json,
  schemaAnswer,
  startFakeRegistry,
  text,
  type FakeAnswer,
} from '../support/fake-registry.js';
import { refusal } from '../support/refusal.js';

afterEach(closeFakeRegistries);

const clientOf = (url: string, timeoutMs = 5000): RegistryClient =>
  createRegistryClient({ url, username: null, password: null, timeoutMs });

async function fetchFrom(answer: FakeAnswer, timeoutMs?: number): ReturnType<RegistryClient['fetch']> {
  const fake = await startFakeRegistry(answer);
  return clientOf(fake.url, timeoutMs).fetch(7);
}

describe('a schema by its id', () => {
  test.each(topicNames)('%s comes as it was registered', async (topic) => {
    const fetched = await fetchFrom(schemaAnswer(avroSchemas[topic]));
    if (fetched.kind !== 'schema') throw new Error(fetched.kind);
    const [own, theirs] = [parseSchema(avroSchemas[topic]), parseSchema(fetched.schema)];
    const everything = { exportAttrs: true };
    expect(theirs.schema(everything)).toEqual(own.schema(everything));
  });

  test('comes with what it refers to', async () => {
    const inner = { type: 'record', name: 'Inner', namespace: 'n', fields: [{ name: 'x', type: 'int' }] };
    const outer = { type: 'record', name: 'Outer', namespace: 'n', fields: [{ name: 'i', type: 'n.Inner' }] };
    const references = [{ name: 'n.Inner', subject: 'inner', version: 1 }];
    const fetched = await fetchFrom((request, response) => {
      const isReference = request.url?.includes('/subjects/inner/versions/1') === true;
      const body = isReference
        ? { subject: 'inner', version: 1, id: 6, schema: JSON.stringify(inner) }
        : { schema: JSON.stringify(outer), references };
      json(200, body)(request, response);
    });
    expect(fetched).toMatchObject({
      kind: 'schema',
      schema: { name: 'n.Outer', fields: [{ name: 'i', type: { name: 'n.Inner' } }] },
    });
  });

  test('is unknown only where a registry says so', async () => {
    const answer = json(404, { error_code: 40403, message: 'Schema not found' });
    expect(await fetchFrom(answer)).toEqual({ kind: 'unknown' });
  });

  test.each<[string, FakeAnswer, string]>([
    ['a page that is not found', text(404, '<html>no such page</html>'), '404'],
    ['a proxy that knows no such route', json(404, { message: 'no Route matched' }), 'no Route matched'],
    ['the registry, at another path', json(404, { error_code: 404, message: 'HTTP 404' }), 'HTTP 404'],
    ['a page that says all is well', text(200, '<html>Welcome</html>'), 'not in JSON'],
    ['a list', json(200, []), 'not in JSON'],
    ['another service', json(200, { status: 'ok' }), 'not in JSON'],
    ['null', json(200, null), 'not in JSON'],
    ['an error without a body', text(500, '', 'application/json'), '500'],
    ['an error whose body is null', json(500, null), '500'],
    ['an error whose body is a number', json(503, 7), '503'],
    ['an error of its own', json(500, { error_code: 50001, message: 'the store is gone' }), 'store is gone'],
    ['too many requests', json(429, { error_code: 42901, message: 'slower' }), 'slower'],
    ['another user', json(401, { error_code: 40101, message: 'who are you' }), 'who are you'],
    ['a connection that is cut', (request) => void request.socket.destroy(), 'other side closed'],
  ])('given %s, the registry is down', async (_, answer, problem) => {
    await expect(fetchFrom(answer)).rejects.toThrow(refusal('PL_REGISTRY_DOWN', problem));
  });

  const quick = 300;
  test.each<[string, FakeAnswer]>([
    ['that never answers', () => undefined],
    ['that begins an answer', (_, response) => void response.writeHead(200).write('{"schema":')],
    [
      'that answers a byte at a time',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'that cuts its answer short',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"schema":');
        setTimeout(() => request.socket.destroy(), 20);
      },
    ],
  ])('given one %s, it is down after the timeout', async (_, answer) => {
    const started = performance.now();
    await expect(fetchFrom(answer, quick)).rejects.toThrow(refusal('PL_REGISTRY_DOWN'));
    expect(performance.now() - started).toBeLessThan(10 * quick);
  });

  test('given that nobody listens, it is down', async () => {
    const fake = await startFakeRegistry(json(200, {}));
    await fake.close();
    await expect(clientOf(fake.url).fetch(7)).rejects.toThrow(refusal('PL_REGISTRY_DOWN', 'ECONNREFUSED'));
  });

  const depth = 20_000;
  const nested = `${'{"type":"array","items":'.repeat(depth)}"int"${'}'.repeat(depth)}`;
  test.each<[string, FakeAnswer, string]>([
    ['of another language', json(200, { schemaType: 'PROTOBUF', schema: 'message A {}' }), 'PROTOBUF'],
    ['of JSON', json(200, { schemaType: 'JSON', schema: '{"$ref":"http://127.0.0.1:1"}' }), 'JSON'],
    ['that is no JSON', json(200, { schema: 'nonsense' }), ''],
    ['that is no Avro', schemaAnswer({ type: 'nonsense', name: 'A' }), 'nonsense'],
    ['that is null', json(200, { schema: null }), ''],
    ['of hostile names', schemaAnswer({ type: 'record', name: 'a(){}', fields: [] }), 'name'],
    ['that is nested deeply', json(200, { schema: nested }), ''],
    ['that is huge', schemaAnswer({ type: 'enum', name: 'E', symbols: ['S'.repeat(2_000_000)] }), 'bytes'],
  ])('given one %s, it can never be used', async (_, answer, problem) => {
    const fetched = await fetchFrom(answer);
    expect(fetched).toEqual({ kind: 'unusable', problem: expect.stringContaining(problem) as string });
  });
});

describe('registering', () => {
  const schema = avroSchemas['ledger.v1'];
  const SUBJECT = 'ledger-value';

  test.each([0x7f000000, 0x7f000005, 0x7fffffff, 2 ** 31, -1, 1.5])(
    'given that the registry gives the id %d, which it may not, it is refused',
    async (id) => {
      const client = clientOf((await startFakeRegistry(json(200, { id }))).url);
      await expect(client.idOf(SUBJECT, schema)).rejects.toThrow(refusal('PL_REGISTRY_REFUSED', String(id)));
    },
  );

  test('given a refusal, it says why', async () => {
    const answer = json(409, { error_code: 409, message: 'Incompatible: /fields/3' });
    const client = clientOf((await startFakeRegistry(answer)).url);
    await expect(client.idOf(SUBJECT, schema)).rejects.toThrow(refusal('PL_REGISTRY_REFUSED', '/fields/3'));
  });

  test('sends its user with every question', async () => {
    const seen: (string | undefined)[] = [];
    const fake = await startFakeRegistry((request, response) => {
      seen.push(request.headers.authorization);
      json(200, { id: 3 })(request, response);
    });
    const client = createRegistryClient({ url: fake.url, username: 'me', password: 'söcret' });
    expect(await client.idOf(SUBJECT, schema)).toBe(3);
    expect(seen).toEqual([`Basic ${Buffer.from('me:söcret').toString('base64')}`]);
  });

  test('given a wrong password, it says so at once', async () => {
    const answer = json(401, { error_code: 40101, message: 'Unauthorized' });
    const client = clientOf((await startFakeRegistry(answer)).url);
    await expect(client.idOf(SUBJECT, schema)).rejects.toThrow(
      refusal('PL_REGISTRY_REFUSED', 'Unauthorized'),
    );
  });
});
