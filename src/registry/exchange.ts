import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { createTransport, type Answer, type RegistryNo } from './transport.js';

/** How the registry is reached. */
export interface RegistrySettings {
  /** The root of a Confluent-compatible API. */
  readonly url: string;
  readonly username: string | null;
  readonly password: string | null;
  /** For a question and its answer, all of it. Default 5 s. */
  readonly timeoutMs?: number;
}

export type Exchanged<T> =
  { readonly kind: 'done'; readonly value: T } | RegistryNo | Extract<Answer, { kind: 'unusable' | 'down' }>;

const TIMEOUT_MS = 5000;

/** Does one piece of work with the registry's client, within bounds. Never rejects. */
export async function exchange<T>(
  settings: RegistrySettings,
  work: (registry: SchemaRegistry) => Promise<T>,
): Promise<Exchanged<T>> {
  const { url, username, password, timeoutMs = TIMEOUT_MS } = settings;
  let last: Answer | null = null;
  const registry = new SchemaRegistry({
    host: url,
    clientId: 'proofline',
    // Whoever asks waits and asks again, and says so meanwhile.
    retry: { retries: 0 },
    middlewares: [createTransport(AbortSignal.timeout(timeoutMs), (answer) => void (last = answer))],
    ...(username === null ? {} : { auth: { username, password: password ?? '' } }),
  });
  try {
    return { kind: 'done', value: await work(registry) };
  } catch (error) {
    const answer = last as Answer | null;
    if (answer !== null && answer.kind !== 'fine') return answer;
    // The registry answered, and the client can make nothing of it.
    return { kind: answer === null ? 'down' : 'unusable', problem: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
