import { SchemaType, type SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { Type } from 'avsc';
import { ProoflineError } from '../contracts/errors.js';
import { isRegistryId } from '../contracts/schema-ids.js';
import type { Compatibility } from './compatibility.js';
import type { RegistryNo } from './transport.js';
import { exchange, type Exchanged, type RegistrySettings } from './exchange.js';

export type Fetched =
  | { readonly kind: 'schema'; readonly schema: unknown }
  | { readonly kind: 'unknown' }
  /** Too large, no Avro, or of another schema language. */
  | { readonly kind: 'unusable'; readonly problem: string };

/**
 * What is asked of a registry. Each rejects with PL_REGISTRY_DOWN (retryable) when it gives no answer; all but
 * `fetch` with PL_REGISTRY_REFUSED when it refuses.
 */
export interface RegistryClient {
  /** The writer's schema of an id, with what it refers to. */
  fetch(id: number): Promise<Fetched>;
  /** The id of the schema in the subject; null where it is not registered there. */
  idOf(subject: string, schema: unknown): Promise<number | null>;
  /** The id of the subject's latest schema; null where there is none. */
  latestIdOf(subject: string): Promise<number | null>;
  /** Null where the subject has none of its own. */
  compatibilityOf(subject: string): Promise<string | null>;
  register(subject: string, schema: unknown): Promise<number>;
  setCompatibility(subject: string, level: Compatibility): Promise<void>;
}

/** The requests below the client's own methods; its types hide them. */
interface Api {
  readonly Subject: {
    config(args: { subject: string }): Promise<{ data(): { compatibilityLevel?: unknown } }>;
    updateConfig(args: { subject: string; body: { compatibility: string } }): Promise<unknown>;
  };
}

export function createRegistryClient(settings: RegistrySettings): RegistryClient {
  const ask = <T>(work: (registry: SchemaRegistry) => Promise<T>): Promise<Exchanged<T>> =>
    exchange(settings, work);

  async function compatibilityOf(subject: string): Promise<string | null> {
    const level = expectFound(subject, await ask((registry) => apiOf(registry).Subject.config({ subject })));
    return level === null ? null : String(level.data().compatibilityLevel).toUpperCase();
  }

  return {
    async fetch(id) {
      const answer = await ask(async (registry) => wholeSchema((await registry.getSchema(id)) as Type));
      if (answer.kind === 'done') return { kind: 'schema', schema: answer.value };
      if (answer.kind === 'unusable') return answer;
      if (isNotFound(answer)) return { kind: 'unknown' };
      throw new ProoflineError('PL_REGISTRY_DOWN', { problem: answer.problem });
    },
    async idOf(subject, schema) {
      const answer = await ask((registry) => registry.getRegistryIdBySchema(subject, confluent(schema)));
      return checkedId(subject, expectFound(subject, answer));
    },
    async latestIdOf(subject) {
      const answer = await ask((registry) => registry.getLatestSchemaId(subject));
      return checkedId(subject, expectFound(subject, answer));
    },
    compatibilityOf,
    async register(subject, schema) {
      // The client registers only under the compatibility that it is told the subject has.
      const options: unknown = { subject, compatibility: (await compatibilityOf(subject)) ?? undefined };
      const answer = await ask((registry) =>
        registry.register(confluent(schema), options as RegisterOptions),
      );
      return checkedId(subject, expectDone(subject, answer).id) ?? 0;
    },
    async setCompatibility(subject, compatibility) {
      const body = { compatibility };
      expectDone(subject, await ask((registry) => apiOf(registry).Subject.updateConfig({ subject, body })));
    },
  };
}

type RegisterOptions = NonNullable<Parameters<SchemaRegistry['register']>[1]>;

function apiOf(registry: SchemaRegistry): Api {
  return (registry as unknown as { api: Api }).api;
}

function confluent(schema: unknown): { type: SchemaType.AVRO; schema: string } {
  return { type: SchemaType.AVRO, schema: JSON.stringify(schema) };
}

/** With defaults and aliases, and what was registered apart put in its place. */
function wholeSchema(type: Type): unknown {
  return type.schema({ exportAttrs: true });
}

/** Nothing of that name, in the words of a registry: 404 alone may be anybody's. */
function isNotFound(answer: Exchanged<unknown>): answer is RegistryNo {
  return answer.kind === 'no' && answer.status === 404 && Math.trunc(answer.errorCode / 100) === 404;
}

function expectFound<T>(subject: string, answer: Exchanged<T>): T | null {
  return isNotFound(answer) ? null : expectDone(subject, answer);
}

function expectDone<T>(subject: string, answer: Exchanged<T>): T {
  if (answer.kind === 'done') return answer.value;
  if (answer.kind === 'down') throw new ProoflineError('PL_REGISTRY_DOWN', { problem: answer.problem });
  throw new ProoflineError('PL_REGISTRY_REFUSED', { problem: `${subject}: ${answer.problem}` });
}

/** An id of ours would be decoded as our schema, whatever it stands for. */
function checkedId(subject: string, id: number | null): number | null {
  if (id === null || isRegistryId(id)) return id;
  const problem = `${subject} has the id ${String(id)}, which is kept for schemas without a registry`;
  throw new ProoflineError('PL_REGISTRY_REFUSED', { problem });
}
