import { ProoflineError } from '../contracts/errors.js';
import { withoutDoc } from '../contracts/freeze.js';
import { avroSchemas } from '../contracts/generated.js';
import { topicNames, type TopicName } from '../contracts/topics.js';
import type { Compatibility } from './compatibility.js';
import type { RegistryClient } from './registry-client.js';

/** What a topic's values are registered under, and its id there. */
export interface Subject {
  readonly topic: TopicName;
  readonly subject: string;
  /** Null where this version's schema is not registered. */
  readonly id: number | null;
}

/** The schema of a topic as it is registered. Docs may change while the schema is frozen, so they are left out. */
export function registeredForm(topic: TopicName): unknown {
  return withoutDoc(avroSchemas[topic]);
}

/** The name that clients of all languages look for by default: the topic's, with its prefix. */
export function subjectOf(topicPrefix: string, topic: TopicName): string {
  return `${topicPrefix}${topic}-value`;
}

/** Looks every topic's schema up. @throws ProoflineError PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED. */
export async function lookUpSubjects(client: RegistryClient, topicPrefix: string): Promise<Subject[]> {
  return Promise.all(
    topicNames.map(async (topic) => {
      const subject = subjectOf(topicPrefix, topic);
      return { topic, subject, id: await client.idOf(subject, registeredForm(topic)) };
    }),
  );
}

/**
 * The ids of all schemas that this version writes. Registers nothing.
 * @throws ProoflineError PL_SCHEMAS_UNREGISTERED listing all that are missing, PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED.
 */
export async function checkSubjects(
  client: RegistryClient,
  topicPrefix: string,
): Promise<ReadonlyMap<TopicName, number>> {
  const subjects = await lookUpSubjects(client, topicPrefix);
  const missing = subjects.filter(({ id }) => id === null).map(({ subject }) => subject);
  if (missing.length > 0)
    throw new ProoflineError('PL_SCHEMAS_UNREGISTERED', { subjects: missing.join(', ') });
  return new Map(subjects.flatMap(({ topic, id }) => (id === null ? [] : [[topic, id] as const])));
}

export interface RegisterOptions {
  readonly dryRun: boolean;
  /** Set on every subject; null leaves each as it is. */
  readonly compatibility: Compatibility | null;
}

/** What became, or with `dryRun` would become, of one subject. */
export interface Registration extends Subject {
  readonly registered: 'before' | 'now' | 'not yet';
  readonly compatibility: string | null;
}

/**
 * Registers what is missing, one after the other. Done again it changes nothing.
 * @throws ProoflineError PL_REGISTRY_DOWN; PL_REGISTRY_REFUSED, where those before stay registered.
 */
export async function registerSchemas(
  client: RegistryClient,
  topicPrefix: string,
  { dryRun, compatibility }: RegisterOptions,
): Promise<Registration[]> {
  const registrations: Registration[] = [];
  for (const found of await lookUpSubjects(client, topicPrefix)) {
    const { subject, topic } = found;
    const isMissing = found.id === null;
    const id = isMissing && !dryRun ? await client.register(subject, registeredForm(topic)) : found.id;
    const registered = isMissing ? (dryRun ? 'not yet' : 'now') : 'before';
    const had = await client.compatibilityOf(subject);
    if (compatibility !== null && had !== compatibility && !dryRun)
      await client.setCompatibility(subject, compatibility);
    registrations.push({ topic, subject, id, registered, compatibility: compatibility ?? had });
  }
  return registrations;
}
