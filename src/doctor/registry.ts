import type { Config } from '../config/config.js';
import { isJsonObject } from '../contracts/json.js';
import { topicNames } from '../contracts/topics.js';
import { registryProblems } from '../registry/compare.js';
import type { RegistryClient } from '../registry/registry-client.js';
import { lookUpSubjects, subjectOf } from '../registry/subjects.js';
import { failure, ok, warning, type Check } from './check.js';

/** The schema registry: this version's schemas are there, and no schema gets in that it could not read. */

type Access = NonNullable<Config['schemaRegistry']>;

/** @throws ProoflineError PL_REGISTRY_DOWN, PL_REGISTRY_REFUSED. */
export async function checkSubjects(client: RegistryClient, topicPrefix: string): Promise<Check> {
  const subjects = await lookUpSubjects(client, topicPrefix);
  const missing = subjects.filter(({ id }) => id === null).map(({ subject }) => subject);
  if (missing.length === 0) return ok('registry', `it has the schemas of all ${subjects.length} topics`);
  const finding = `not registered: ${missing.join(', ')}`;
  return failure(
    'registry',
    finding,
    '`proofline schemas register` registers them; --dry-run shows what it would do.',
  );
}

/** Whether what others registered can be read. That our own schemas are missing the other check tells. */
export async function checkOtherSchemas(
  client: RegistryClient,
  topicPrefix: string,
): Promise<readonly Check[]> {
  const problems = await registryProblems(client, topicPrefix);
  const unreadable = problems.filter((problem) => !problem.includes(" has not this version's schema"));
  return unreadable.map((problem) =>
    failure('registry', problem, '`proofline schemas check` compares it again, once that is done.'),
  );
}

/** Modes that let in only schemas whose readers can read what was written before. */
const STRICT: ReadonlySet<string> = new Set(['BACKWARD', 'BACKWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE']);

export async function checkCompatibility(
  client: Pick<RegistryClient, 'compatibilityOf'>,
  topicPrefix: string,
  /** The mode of subjects that have none of their own; null where it is not known. */
  general: string | null,
): Promise<Check> {
  const modes = await Promise.all(
    topicNames.map(async (topic) => {
      const subject = subjectOf(topicPrefix, topic);
      return { subject, mode: (await client.compatibilityOf(subject)) ?? general ?? 'unknown' };
    }),
  );
  const lax = modes.filter(({ mode }) => !STRICT.has(mode));
  if (lax.length === 0) return ok('registry', 'every subject is BACKWARD or stricter');
  const found = [...new Set(lax.map(({ mode }) => mode))].join(', ');
  const which = lax.length === modes.length ? 'every subject' : lax.map(({ subject }) => subject).join(', ');
  const fix = '`proofline schemas register --compatibility BACKWARD` sets it.';
  return warning(
    'registry',
    `the compatibility of ${which} is ${found}`,
    `${fix} Else a schema gets in that breaks readers.`,
  );
}

const TIMEOUT_MS = 5000;
const MAX_CHARS = 4096;

/** The registry's own mode; null where it does not tell. The registry's client has no word for it. */
export async function generalCompatibility({ url, username, password }: Access): Promise<string | null> {
  const user = Buffer.from(`${username ?? ''}:${password ?? ''}`, 'utf8').toString('base64');
  const headers: Record<string, string> = username === null ? {} : { authorization: `Basic ${user}` };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${url.replace(/\/+$/, '')}/config`, {
      headers,
      redirect: 'manual',
      signal,
    });
    const length = Number(response.headers.get('content-length') ?? 0);
    if (!response.ok || length > MAX_CHARS) {
      await response.body?.cancel();
      return null;
    }
    const body: unknown = JSON.parse((await response.text()).slice(0, MAX_CHARS));
    const mode = isJsonObject(body) ? (body['compatibilityLevel'] ?? body['compatibility']) : undefined;
    return typeof mode === 'string' ? mode.toUpperCase() : null;
  } catch {
    return null;
  }
}
