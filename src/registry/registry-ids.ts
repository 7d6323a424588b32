import type { SchemaIds, WriterSchema } from '../contracts/codec.js';
import { localSchemaIds } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import { avroSchemas } from '../contracts/generated.js';
import { isRegistryId, localSchemaId } from '../contracts/schema-ids.js';
import { isTopicName, type TopicName } from '../contracts/topics.js';
import type { Fetched, RegistryClient } from './registry-client.js';

export interface RegistryIdsOptions {
  readonly client: Pick<RegistryClient, 'fetch'>;
  /** The ids that this version writes. */
  readonly own: ReadonlyMap<TopicName, number>;
  /** How long an id that the registry does not know, or that stands for no schema, is not asked about again. */
  readonly unknownForMs: number;
  /** Milliseconds that never go back. */
  now(): number;
}

/** What came of asking about an id that cannot be read. */
interface Unreadable {
  readonly until: number;
  /** Null where the registry does not know it. */
  readonly problem: string | null;
}

const AT_A_TIME = 8;
/** Poison may name any id: the oldest are forgotten, and asked about again. */
const MOST_REMEMBERED = 10_000;

/** The local ids, and those of a registry. What an id stands for never changes, so it is fetched once. */
export function createRegistryIds(options: RegistryIdsOptions): SchemaIds {
  const { client, own, unknownForMs } = options;
  const known = new Map<number, WriterSchema>(
    [...own].map(([topic, id]) => [id, { key: topic, schema: avroSchemas[topic] }]),
  );
  const unreadable = new Map<number, Unreadable>();
  const asking = new Map<number, Promise<void>>();

  function ask(id: number): Promise<void> {
    const under = asking.get(id);
    if (under !== undefined) return under;
    const asked = client
      .fetch(id)
      .then((fetched) => keep(id, fetched))
      .finally(() => asking.delete(id));
    asking.set(id, asked);
    return asked;
  }

  function keep(id: number, fetched: Fetched): void {
    unreadable.delete(id);
    if (fetched.kind === 'schema') {
      known.set(id, { key: `id ${id}`, schema: fetched.schema });
      return;
    }
    const problem = fetched.kind === 'unusable' ? fetched.problem : null;
    unreadable.set(id, { until: options.now() + unknownForMs, problem });
    const oldest = unreadable.keys().next().value;
    if (unreadable.size > MOST_REMEMBERED && oldest !== undefined) unreadable.delete(oldest);
  }

  function isOpen(id: number): boolean {
    return isRegistryId(id) && !known.has(id) && options.now() >= (unreadable.get(id)?.until ?? -Infinity);
  }

  return {
    idOf: (name) => (isTopicName(name) ? own.get(name) : undefined) ?? localSchemaId(name),
    schemaOf(id) {
      if (!isRegistryId(id)) return localSchemaIds.schemaOf(id);
      const schema = known.get(id);
      if (schema !== undefined) return schema;
      // Whoever decodes again later may find it.
      if (isOpen(id)) void ask(id).catch(() => undefined);
      const found = unreadable.get(id);
      if (found === undefined)
        throw new ProoflineError('PL_REGISTRY_DOWN', { problem: `schema id ${id} is not fetched yet` });
      if (found.problem === null) return undefined;
      throw new ProoflineError('PL_RECORD_UNDECODABLE', {
        problem: `its schema id ${id} cannot be used: ${found.problem}`,
      });
    },
    learn: (ids) => forEachBounded([...ids].filter(isOpen), ask),
  };
}

/** Stops at the first that fails: while the registry is down, there is no use in asking it about the others. */
async function forEachBounded<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      try {
        await work(items[next++] as T);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, items.length) }, worker));
}
