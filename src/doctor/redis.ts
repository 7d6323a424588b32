import { isProoflineError } from '../contracts/errors.js';
import type { RedisClient } from '../ledger/redis/connection.js';
import { failure, ok, warning, type Check } from './check.js';
import { clockCheck } from './clock.js';

/** The Redis that holds the view of the ledger: what it lost silently would be evidence that was never shown. */

type Asking = Pick<RedisClient, 'call'>;

export interface RedisLooking {
  readonly client: Asking;
  readonly now: () => number;
}

const OLDEST = [6, 2] as const;

/** What `up` needs to know of it. @throws ProoflineError PL_VIEW_DOWN where it does not answer. */
export async function checkRedis({ client }: Pick<RedisLooking, 'client'>): Promise<readonly Check[]> {
  try {
    // The view is written and read by scripts.
    await client.call('EVAL', 'return 1', 0);
  } catch (error) {
    if (!isReply(error, REFUSAL)) throw error;
    const fix =
      "Check the user and password of PROOFLINE_REDIS_URL, and the user's rights: EVAL, EVALSHA, and the commands on hashes, sets and keys.";
    return [failure('redis', `it refuses: ${problemOf(error)}`, fix)];
  }
  const facts = await infoOf(client);
  const policy = (await settingOf(client, 'maxmemory-policy')) ?? facts.get('maxmemory_policy') ?? null;
  const checks = [versionCheck(facts), roleCheck(facts), policyCheck(policy), modeCheck(facts)];
  const found = checks.filter((check) => check !== null);
  if (found.length > 0) return found;
  return [ok('redis', `version ${versionOf(facts)}, a master, with the policy noeviction`)];
}

/** What is only told: what it keeps on its disk, and what its clock says. */
export async function checkRedisMore({ client, now }: RedisLooking): Promise<readonly Check[]> {
  const before = now();
  const time = (await orNull(() => client.call('TIME'))) as readonly Buffer[] | null;
  const after = now();
  const [seconds, micros] = (time ?? []).map((part) => Number(part.toString('utf8')));
  const theirs = (seconds ?? NaN) * 1000 + (micros ?? NaN) / 1000;
  return [await diskCheck(client), clockCheck('Redis', theirs, { before, after })];
}

/** Empty where it is not told. */
async function infoOf(client: Asking): Promise<ReadonlyMap<string, string>> {
  const answer = (await orNull(() => client.call('INFO'))) as Buffer | null;
  const lines = (answer?.toString('utf8') ?? '').split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Null where it is not told: services that others run refuse CONFIG, or do not know it. */
async function settingOf(client: Asking, name: string): Promise<string | null> {
  const answer = (await orNull(() => client.call('CONFIG', 'GET', name))) as readonly Buffer[] | null;
  return answer?.[1]?.toString('utf8') ?? null;
}

async function orNull(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (isReply(error, ANY_NO)) return null;
    throw error;
  }
}

const REFUSAL = /^(?:NOAUTH|WRONGPASS|NOPERM)\b/;
const ANY_NO = /^(?:ERR|NOPERM)\b/;

/** True for an error in Redis's own words, and not one of the connection, or of a server that loads its dump. */
function isReply(error: unknown, words: RegExp): boolean {
  return words.test(problemOf(error));
}

function problemOf(error: unknown): string {
  return isProoflineError(error) ? String(error.params['problem']) : '';
}

function versionOf(facts: ReadonlyMap<string, string>): string {
  return facts.get('redis_version') ?? '';
}

function versionCheck(facts: ReadonlyMap<string, string>): Check | null {
  const [major = NaN, minor = 0] = versionOf(facts)
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  if (Number.isNaN(major))
    return warning('redis', 'it does not say its version', `It must be ${OLDEST.join('.')} or later.`);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return failure(
    'redis',
    `version ${versionOf(facts)} is too old`,
    `Use Redis ${OLDEST.join('.')} or later.`,
  );
}

function roleCheck(facts: ReadonlyMap<string, string>): Check | null {
  if ((facts.get('role') ?? 'master') === 'master') return null;
  return failure('redis', 'it is a replica, and takes no writes', 'Let PROOFLINE_REDIS_URL name the master.');
}

function policyCheck(policy: string | null): Check | null {
  const fix =
    'Set maxmemory-policy to noeviction (CONFIG SET maxmemory-policy noeviction, and redis.conf): another policy throws evidence away silently.';
  if (policy === null) return warning('redis', 'it does not say its maxmemory-policy', fix);
  return policy === 'noeviction' ? null : failure('redis', `maxmemory-policy is ${policy}`, fix);
}

function modeCheck(facts: ReadonlyMap<string, string>): Check | null {
  if (facts.get('redis_mode') !== 'cluster') return null;
  const finding = 'it is a node of a cluster, and the line asks one node only';
  return warning(
    'redis',
    finding,
    'Use a Redis that is no cluster, or one whose only master has every slot.',
  );
}

async function diskCheck(client: Asking): Promise<Check> {
  const appends = (await infoOf(client)).get('aof_enabled') === '1';
  const saves = await settingOf(client, 'save');
  if (appends) return ok('redis', 'it keeps an append-only file');
  if (saves !== null && saves !== '') return ok('redis', `it keeps snapshots (save ${saves})`);
  const finding =
    saves === null ? 'it does not say what it keeps on its disk' : 'it keeps nothing on its disk';
  const fix =
    'Nothing is lost by that: after a restart the view is read again from the ledger topic, which takes its time.';
  return warning('redis', finding, fix);
}
