import { describe, expect, test } from 'vitest';
import { createCodec, type SchemaIds } from '../../src/contracts/codec.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { avroSchemas } from '../../src/contracts/generated.js';
import { isRegistryId, localSchemaId } from '../../src/contracts/schema-ids.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { createRegistryIds } from '../../src/registry/registry-ids.js';
import type { Fetched } from '../../src/registry/registry-client.js';
import { refusal } from '../support/refusal.js';
import { createGate, waitUntil } from '../support/wait.js';

const UNKNOWN_FOR_MS = 1000;
const DONE = 'dead-letter-done.v1';
const OWN: ReadonlyMap<TopicName, number> = new Map([[DONE, 3]]);
const SCHEMA: Fetched = { kind: 'schema', schema: avroSchemas[DONE] };
const down = new ProoflineError('PL_REGISTRY_DOWN', { problem: 'test' });

interface Asked {
  readonly ids: SchemaIds;
  readonly asked: number[];
  /** Lets time pass. */
  readonly pass: (ms: number) => void;
}

function idsOver(fetch: (id: number) => Fetched | Promise<Fetched>): Asked {
  const asked: number[] = [];
  let now = 0;
  const client = {
    fetch: async (id: number) => {
      asked.push(id);
      return fetch(id);
    },
  };
  const ids = createRegistryIds({ client, own: OWN, unknownForMs: UNKNOWN_FOR_MS, now: () => now });
  return { ids, asked, pass: (ms) => void (now += ms) };
}

const learn = (ids: SchemaIds, ...wanted: number[]): Promise<void> => ids.learn(new Set(wanted));

describe('ids to write', () => {
  test('are those that the registry gave, and else the local ones', () => {
    const { ids } = idsOver(() => SCHEMA);
    expect(ids.idOf(DONE)).toBe(3);
    expect(ids.idOf('draft.v1')).toBe(localSchemaId('draft.v1'));
  });
});

describe('ids to read', () => {
  test('given our own and local ones, the registry is not asked', async () => {
    const { ids, asked } = idsOver(() => SCHEMA);
    const own = [3, localSchemaId(DONE), localSchemaId('ledger.v1')];
    await learn(ids, ...own);
    expect(own.map((id) => ids.schemaOf(id)?.key)).toEqual([DONE, DONE, 'ledger.v1']);
    expect(asked).toEqual([]);
  });

  test.each([0x7f000000 + 99, 0x7fffffff, 0x80000000, 0xffffffff])(
    'given %d, which no registry may give, it is unknown without asking',
    async (id) => {
      const { ids, asked } = idsOver(() => SCHEMA);
      await learn(ids, id);
      expect(ids.schemaOf(id)).toBeUndefined();
      expect(isRegistryId(id)).toBe(false);
      expect(asked).toEqual([]);
    },
  );

  test('given another, it is fetched once, however many ask', async () => {
    const gate = createGate();
    const { ids, asked } = idsOver(async () => {
      await gate.opened;
      return SCHEMA;
    });
    const learning = [learn(ids, 7, 8), learn(ids, 8), learn(ids, 7)];
    gate.open();
    await Promise.all(learning);
    await learn(ids, 7, 8);
    expect(ids.schemaOf(7)).toEqual({ key: 'id 7', schema: avroSchemas[DONE] });
    expect(asked.sort()).toEqual([7, 8]);
  });

  test('given one that the registry does not know, it is asked again after a while, not before', async () => {
    const fetched: Fetched[] = [{ kind: 'unknown' }, SCHEMA];
    const { ids, asked, pass } = idsOver(() => fetched.shift()!);
    await learn(ids, 7);
    await learn(ids, 7);
    pass(UNKNOWN_FOR_MS - 1);
    await learn(ids, 7);
    expect(ids.schemaOf(7)).toBeUndefined();
    expect(asked).toEqual([7]);
    pass(1);
    await learn(ids, 7);
    expect(ids.schemaOf(7)).toMatchObject({ key: 'id 7' });
    expect(asked).toEqual([7, 7]);
  });

  test('given one that stands for no schema, it is undecodable, and asked again after a while', async () => {
    const { ids, asked, pass } = idsOver(() => ({ kind: 'unusable', problem: 'no Avro' }));
    await learn(ids, 7);
    expect(() => ids.schemaOf(7)).toThrow(refusal('PL_RECORD_UNDECODABLE', 'no Avro'));
    pass(UNKNOWN_FOR_MS);
    await learn(ids, 7);
    expect(asked).toEqual([7, 7]);
  });

  test('given that the registry is down, learning fails and nothing is decided', async () => {
    let isDown = true;
    const { ids } = idsOver(() => {
      if (isDown) throw down;
      return SCHEMA;
    });
    await expect(learn(ids, 7)).rejects.toThrow(refusal('PL_REGISTRY_DOWN'));
    expect(() => ids.schemaOf(7)).toThrow(refusal('PL_REGISTRY_DOWN', 'schema id 7 is not fetched yet'));
    isDown = false;
    await waitUntil('it is learned', () =>
      learn(ids, 7).then(
        () => true,
        () => false,
      ),
    );
    expect(ids.schemaOf(7)).toMatchObject({ key: 'id 7' });
  });

  test('given that it is down, a batch of many ids does not ask for all of them', async () => {
    const { ids, asked } = idsOver(() => {
      throw down;
    });
    const many = Array.from({ length: 1000 }, (_, i) => i + 100);
    await expect(learn(ids, ...many)).rejects.toThrow(refusal('PL_REGISTRY_DOWN'));
    expect(asked.length).toBeLessThanOrEqual(8);
  });

  test('given one that nobody has learned, decoding is put off, and it is there the next time', async () => {
    const { ids, asked } = idsOver(() => SCHEMA);
    const codec = createCodec(ids);
    const value = codec.encode(DONE, {
      ...{ eventId: 'e', causedBy: null, runId: 'r', occurredAt: 1, deadLetterEventId: 'd' },
      ...{ replayedBy: 'p', to: { topic: 't', partition: 3 } },
    });
    const foreign = Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), value.subarray(5)]);
    expect(() => codec.decode(DONE, foreign)).toThrow(refusal('PL_REGISTRY_DOWN', 'id 7'));
    await learn(ids, 7);
    expect(codec.decode(DONE, foreign)).toMatchObject({ eventId: 'e' });
    expect(asked).toEqual([7]);
  });

  test('given poison of ever new ids, not all of it is remembered', async () => {
    const { ids, asked } = idsOver(() => ({ kind: 'unknown' }));
    await learn(ids, ...Array.from({ length: 10_001 }, (_, i) => i + 100));
    await learn(ids, 100, 10_100);
    expect(asked).toHaveLength(10_002);
  });

  test('what values need is told from their bytes, whatever they are', async () => {
    const { ids, asked } = idsOver(() => SCHEMA);
    const values = [null, '', '00', '0000000007', '0100000008', '00000000', '000000000900', '007f000001'];
    await createCodec(ids).learn(values.map((hex) => (hex === null ? null : Buffer.from(hex, 'hex'))));
    expect(asked.sort()).toEqual([7, 9]);
  });
});
