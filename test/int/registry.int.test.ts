import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { topicNames } from '../../src/contracts/topics.js';
import { registryProblems } from '../../src/registry/compare.js';
import { createRegistryClient, type RegistryClient } from '../../src/registry/registry-client.js';
import { openRegistryCodec } from '../../src/registry/registry-codec.js';
import { registerSchemas, subjectOf } from '../../src/registry/subjects.js';
import { cli } from '../support/cli-run.js';
import { ledgerEntry } from '../support/ledger-entries.js';
import { refusal } from '../support/refusal.js';
import { registryMissing, startRegistry, type RegistryService } from '../support/services/registry.js';

const LEDGER = 'ledger.v1';
const missing = await registryMissing();
const leftOut = missing === null ? '' : ` (left out: ${missing})`;

describe.skipIf(missing !== null)(`on a real schema registry${leftOut}`, () => {
  let registry: RegistryService;
  let client: RegistryClient;
  let failed = false;
  let lines = 0;
  /** A line of its own, with subjects of its own. */
  const newPrefix = (): string => `line-${lines++}.`;
  const settings = (): { url: string; username: null; password: null } => ({
    url: registry.url,
    username: null,
    password: null,
  });
  const open = (topicPrefix: string): ReturnType<typeof openRegistryCodec> =>
    openRegistryCodec({ ...settings(), topicPrefix });

  beforeAll(async () => {
    registry = await startRegistry();
    client = createRegistryClient(settings());
  }, 120_000);
  afterEach((context) => {
    failed ||= context.task.result?.state === 'fail';
  });
  afterAll(() => registry.stop({ keepLogs: failed }));

  async function registered(): Promise<string> {
    const prefix = newPrefix();
    await registerSchemas(client, prefix, { dryRun: false, compatibility: null });
    return prefix;
  }

  interface Schema {
    fields: { name: string; type: unknown; default?: unknown }[];
  }
  const changed = (topic: 'ledger.v1' | 'dead-letter-done.v1', change: (schema: Schema) => void): unknown => {
    const schema = structuredClone(avroSchemas[topic]) as unknown as Schema;
    change(schema);
    return schema;
  };

  describe('registering', () => {
    test('given a dry run, it says what it would do and does nothing', async () => {
      const prefix = newPrefix();
      const planned = await registerSchemas(client, prefix, { dryRun: true, compatibility: 'FULL' });
      expect(planned.map(({ registered: what }) => what)).toEqual(topicNames.map(() => 'not yet'));
      expect(planned[0]).toMatchObject({ subject: `${prefix}lookup-requested.v1-value`, id: null });
      await expect(open(prefix)).rejects.toThrow(refusal('PL_SCHEMAS_UNREGISTERED'));
    });

    test('done again, it changes nothing and finds the same ids', async () => {
      const prefix = newPrefix();
      const options = { dryRun: false, compatibility: 'FULL' } as const;
      const first = await registerSchemas(client, prefix, options);
      const second = await registerSchemas(client, prefix, options);
      expect(first.map(({ registered: what }) => what)).toEqual(topicNames.map(() => 'now'));
      expect(second.map(({ registered: what }) => what)).toEqual(topicNames.map(() => 'before'));
      expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
      expect(await client.compatibilityOf(subjectOf(prefix, LEDGER))).toBe('FULL');
      expect(await registryProblems(client, prefix)).toEqual([]);
    });

    test('without a compatibility, that of the subject stays, and a schema that breaks it is refused', async () => {
      const subject = `${newPrefix()}own`;
      await client.register(subject, avroSchemas['dead-letter-done.v1']);
      await client.setCompatibility(subject, 'FULL');
      const fits = changed('dead-letter-done.v1', ({ fields }) =>
        fields.push({ name: 'more', type: 'string', default: '' }),
      );
      const breaks = changed('dead-letter-done.v1', ({ fields }) => fields.push({ name: 'x', type: 'int' }));
      expect(await client.register(subject, fits)).toBe(await client.idOf(subject, fits));
      await expect(client.register(subject, breaks)).rejects.toThrow(
        refusal('PL_REGISTRY_REFUSED', 'Incompatible'),
      );
      expect(await client.compatibilityOf(subject)).toBe('FULL');
    });
  });

  describe('starting', () => {
    test('given a registry without our subjects, all that are missing are named', async () => {
      const prefix = newPrefix();
      const error: unknown = await open(prefix).catch((reason: unknown) => reason);
      for (const topic of topicNames) expect((error as Error).message).toContain(`${prefix}${topic}-value`);
    });

    test('given another schema in a subject, that one is named', async () => {
      const prefix = newPrefix();
      for (const topic of topicNames) {
        const schema = topic === LEDGER ? changed(LEDGER, (s) => s.fields.pop()) : null;
        if (schema !== null) await client.register(subjectOf(prefix, topic), schema);
      }
      await expect(open(prefix)).rejects.toThrow(refusal('PL_SCHEMAS_UNREGISTERED', `${prefix}${LEDGER}`));
    });
  });

  describe('the codec', () => {
    test('writes the ids of the registry, and another process reads them', async () => {
      const prefix = await registered();
      const [writer, reader] = [await open(prefix), await open(prefix)];
      const value = writer.encode(LEDGER, ledgerEntry());
      expect(value.readUInt32BE(1)).toBe(await client.latestIdOf(subjectOf(prefix, LEDGER)));
      expect(reader.decode(LEDGER, Buffer.from(value))).toEqual(ledgerEntry());
    });

    test('reads what was written without a registry, and the other way only what is local', async () => {
      const codec = await open(await registered());
      const local = createCodec();
      const before = Buffer.from(local.encode(LEDGER, ledgerEntry()));
      const after = Buffer.from(codec.encode(LEDGER, ledgerEntry()));
      expect(codec.decode(LEDGER, before)).toEqual(ledgerEntry());
      expect(() => local.decode(LEDGER, after)).toThrow(refusal('PL_SCHEMA_UNKNOWN'));
    });

    test('reads a later version that somebody else registered', async () => {
      const prefix = await registered();
      const codec = await open(prefix);
      const later = changed('dead-letter-done.v1', ({ fields }) =>
        fields.unshift({ name: 'first', type: 'int', default: 0 }),
      );
      const id = await client.register(subjectOf(prefix, 'dead-letter-done.v1'), later);
      const own = codec.encode('dead-letter-done.v1', {
        ...{ eventId: 'e', causedBy: null, runId: 'r', occurredAt: 1, deadLetterEventId: 'd' },
        ...{ replayedBy: 'p', to: { topic: 't', partition: 3 } },
      });
      const header = Buffer.from([0, 0, 0, 0, 0, 2 * 21]);
      header.writeUInt32BE(id, 1);
      const value = Buffer.concat([header, own.subarray(5)]);
      await codec.learn([value]);
      expect(codec.decode('dead-letter-done.v1', value)).toMatchObject({ eventId: 'e', replayedBy: 'p' });
    });

    test('says of an id that the registry does not know that it is unknown', async () => {
      const codec = await open(await registered());
      const value = Buffer.from([0, 0x00, 0xff, 0xff, 0xff, 1]);
      await codec.learn([value]);
      expect(() => codec.decode(LEDGER, value)).toThrow(refusal('PL_SCHEMA_UNKNOWN', '16777215'));
    });
  });

  describe('the command', () => {
    const run = (prefix: string, ...argv: string[]): ReturnType<typeof cli> =>
      cli(['schemas', ...argv], {
        env: { PROOFLINE_SCHEMA_REGISTRY_URL: registry.url, PROOFLINE_TOPIC_PREFIX: prefix },
      });

    test('shows what it would register, registers it, and check is content', async () => {
      const prefix = newPrefix();
      const planned = await run(prefix, 'register', '--dry-run');
      expect(planned.out).toContain(`${prefix}${LEDGER}-value`);
      expect(planned.out).toContain('not yet');
      const before = await run(prefix, 'check');
      expect(before.code).toBe(1);
      expect(before.out).toContain(`${prefix}${LEDGER}-value has not this version's schema`);
      const done = await run(prefix, 'register', '--compatibility', 'backward');
      expect(done).toMatchObject({ code: 0, err: '' });
      expect(done.out).toMatch(/ledger\.v1-value +\d+ +now +BACKWARD/);
      expect(await run(prefix, 'check')).toMatchObject({
        code: 0,
        out: 'Every schema is what was promised of it.\n',
      });
    });

    test('check tells of a schema in the registry that this version cannot read', async () => {
      const prefix = await registered();
      const broken = changed(LEDGER, ({ fields }) => fields.splice(5, 1));
      await client.register(subjectOf(prefix, LEDGER), broken);
      const checked = await run(prefix, 'check');
      expect(checked.code).toBe(1);
      expect(checked.out).toContain('whose records this version cannot read');
    });

    test('given nonsense for a compatibility, or no registry, it says so', async () => {
      expect(await run(newPrefix(), 'register', '--compatibility', 'SOME')).toMatchObject({ code: 2 });
      const nowhere = await cli(['schemas', 'register']);
      expect(nowhere.code).toBe(3);
      expect(nowhere.err).toContain('PROOFLINE_SCHEMA_REGISTRY_URL is not set');
    });
  });
});
