import { parseSchema } from '../contracts/codec.js';
import { avroSchemas } from '../contracts/generated.js';
import type { RegistryClient } from './registry-client.js';
import { lookUpSubjects, type Subject } from './subjects.js';

/**
 * What in the registry does not go with the schemas of this version, each with what to do; empty when all does.
 * @throws ProoflineError PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED.
 */
export async function registryProblems(client: RegistryClient, topicPrefix: string): Promise<string[]> {
  const subjects = await lookUpSubjects(client, topicPrefix);
  return (await Promise.all(subjects.map((subject) => problemsOf(client, subject)))).flat();
}

async function problemsOf(client: RegistryClient, { topic, subject, id }: Subject): Promise<string[]> {
  const missing =
    id === null ? [`${subject} has not this version's schema: proofline schemas register registers it.`] : [];
  const latest = await client.latestIdOf(subject);
  if (latest === null || latest === id) return missing;
  const fetched = await client.fetch(latest);
  if (fetched.kind !== 'schema')
    return [...missing, `${subject} has a schema, id ${latest}, that cannot be read: ${reasonOf(fetched)}`];
  const reason = unreadable(avroSchemas[topic], fetched.schema);
  if (reason === null) return missing;
  return [
    ...missing,
    `${subject} has a schema, id ${latest}, whose records this version cannot read: ${reason}. ` +
      'Find out who registered it, and delete it before it is used.',
  ];
}

function reasonOf(fetched: { kind: 'unknown' } | { kind: 'unusable'; problem: string }): string {
  return fetched.kind === 'unknown' ? 'the registry does not know it' : fetched.problem;
}

/** Why values of one schema cannot be read with another; null where they can. */
function unreadable(reading: unknown, written: unknown): string | null {
  try {
    parseSchema(reading).createResolver(parseSchema(written));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
