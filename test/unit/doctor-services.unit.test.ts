import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isProoflineError, ProoflineError } from '../../src/contracts/errors.js';
import { checkAuditServer } from '../../src/doctor/audit.js';
import { failure, looking, ok, type Check } from '../../src/doctor/check.js';
import { clockCheck } from '../../src/doctor/clock.js';
import { checkHttpPort } from '../../src/doctor/http-port.js';
import { checkKeys } from '../../src/doctor/keys.js';
import { judge } from '../../src/doctor/may-start.js';
import { checkRedis, checkRedisMore } from '../../src/doctor/redis.js';
import { checkCompatibility, checkSubjects, generalCompatibility } from '../../src/doctor/registry.js';
import { tempFolder, removeTempFolders } from '../support/temp-folder.js';

const NOW = 1_700_000_000_000;
const now = (): number => NOW;
const notOk = (checks: readonly Check[]): Check[] => checks.filter(({ status }) => status !== 'ok');

interface Redis {
  readonly info?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** What a command is answered with instead. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly aheadMs?: number;
}

/** A Redis in which all is well, but for what is given. */
function redis({ info = {}, settings = {}, errors = {}, aheadMs = 0 }: Redis) {
  const facts = {
    redis_version: '7.0.15',
    role: 'master',
    redis_mode: 'standalone',
    aof_enabled: '0',
    ...info,
  };
  const has: Record<string, string> = { 'maxmemory-policy': 'noeviction', save: '3600 1', ...settings };
  const time = NOW + aheadMs;
  return {
    call(command: string, ...args: readonly unknown[]): Promise<unknown> {
      const problem = errors[command];
      if (problem !== undefined) return Promise.reject(new ProoflineError('PL_VIEW_DOWN', { problem }));
      if (command === 'EVAL') return Promise.resolve(1);
      if (command === 'INFO') {
        const lines = Object.entries(facts).map(([name, value]) => `${name}:${value}\r\n`);
        return Promise.resolve(Buffer.from(`# Server\r\n${lines.join('')}`));
      }
      if (command === 'CONFIG') {
        const value = has[String(args[1])];
        return Promise.resolve(value === undefined ? [] : [Buffer.from(String(args[1])), Buffer.from(value)]);
      }
      return Promise.resolve([
        Buffer.from(String(Math.floor(time / 1000))),
        Buffer.from(String((time % 1000) * 1000)),
      ]);
    },
  };
}

describe('given a Redis', () => {
  it('when all is well, says so', async () => {
    const client = redis({});
    expect(notOk([...(await checkRedis({ client })), ...(await checkRedisMore({ client, now }))])).toEqual(
      [],
    );
  });

  it.each<[string, Redis, string]>([
    ['evicts', { settings: { 'maxmemory-policy': 'allkeys-lru' } }, 'maxmemory-policy is allkeys-lru'],
    [
      'refuses CONFIG and evicts',
      { errors: { CONFIG: 'NOPERM no' }, info: { maxmemory_policy: 'volatile-ttl' } },
      'maxmemory-policy is volatile-ttl',
    ],
    ['is too old', { info: { redis_version: '6.0.16' } }, 'version 6.0.16 is too old'],
    ['is a replica', { info: { role: 'slave' } }, 'it is a replica, and takes no writes'],
    ['refuses the password', { errors: { EVAL: 'WRONGPASS invalid' } }, 'it refuses: WRONGPASS invalid'],
    ['refuses scripts', { errors: { EVAL: 'NOPERM no' } }, 'it refuses: NOPERM no'],
  ])('when it %s, then it blocks', async (_what, given, finding) => {
    expect(await checkRedis({ client: redis(given) })).toMatchObject([{ status: 'fail', finding }]);
  });

  it.each<[string, Redis]>([
    ['does not say its policy', { errors: { CONFIG: 'ERR unknown command' } }],
    ['does not tell anything', { errors: { INFO: 'NOPERM no' } }],
    ['is a node of a cluster', { info: { redis_mode: 'cluster' } }],
  ])('when it %s, then that is told', async (_what, given) => {
    expect(await checkRedis({ client: redis(given) })).toMatchObject([{ status: 'warn' }]);
  });

  it('when it refuses CONFIG, and INFO says noeviction, then all is well', async () => {
    const client = redis({ errors: { CONFIG: 'NOPERM no' }, info: { maxmemory_policy: 'noeviction' } });
    expect(notOk(await checkRedis({ client }))).toEqual([]);
  });

  it('when it does not answer, then it is down', async () => {
    const client = redis({ errors: { EVAL: 'Connection is closed.' } });
    await expect(checkRedis({ client })).rejects.toMatchObject({ code: 'PL_VIEW_DOWN' });
  });

  it.each<[string, Redis, Partial<Check>]>([
    ['keeps nothing', { settings: { save: '' } }, { name: 'redis', status: 'warn' }],
    ['has a clock that is ahead', { aheadMs: 60_000 }, { name: 'clock', status: 'warn' }],
    ['does not say the time', { errors: { TIME: 'NOPERM no' } }, { name: 'clock', status: 'warn' }],
    ['does not say what it keeps', { errors: { CONFIG: 'ERR no' } }, { name: 'redis', status: 'warn' }],
  ])('when it %s, then that is told', async (_what, given, check) => {
    expect(notOk(await checkRedisMore({ client: redis(given), now }))).toMatchObject([check]);
  });
});

describe('given a PostgreSQL', () => {
  const facts = { version: '16.4', number: 160_004, standby: false, writes: true, now: String(NOW) };
  const look = (change: Partial<typeof facts>): Promise<readonly Check[]> => {
    const query = (() => Promise.resolve({ rows: [{ ...facts, ...change }] })) as never;
    return checkAuditServer({ db: { query }, now });
  };

  it('when all is well, says so', async () => {
    expect(notOk(await look({}))).toEqual([]);
  });

  it.each([
    ['is too old', { number: 110_000, version: '11.0' }, 'fail', 'PostgreSQL 11.0 is too old'],
    ['is a standby', { standby: true }, 'fail', 'it is a standby, and takes no writes'],
    ['may not be written', { writes: false }, 'fail', 'this user may not write to the tables of the audit'],
    [
      'has a clock that is behind',
      { now: String(NOW - 60_000) },
      'warn',
      "PostgreSQL is 60 s behind this machine's",
    ],
  ])('when it %s, then that is told', async (_what, change, status, finding) => {
    expect(notOk(await look(change))).toMatchObject([
      { status, finding: expect.stringContaining(finding) as string },
    ]);
  });
});

describe('given a registry', () => {
  const client = (ids: (subject: string) => number | null, mode: string | null) => ({
    idOf: (subject: string) => Promise.resolve(ids(subject)),
    compatibilityOf: () => Promise.resolve(mode),
    fetch: () => Promise.resolve({ kind: 'unknown' as const }),
    latestIdOf: () => Promise.resolve(null),
    register: () => Promise.resolve(1),
    setCompatibility: () => Promise.resolve(),
  });

  it('when a schema is not registered, then it blocks, and the command is named', async () => {
    const check = await checkSubjects(
      client((subject) => (subject === 'p.verdict.v1-value' ? null : 1), null),
      'p.',
    );
    expect(check).toMatchObject({ status: 'fail', finding: 'not registered: p.verdict.v1-value' });
    expect(check.fix).toContain('proofline schemas register');
  });

  it.each([
    ['BACKWARD', null, 'ok'],
    ['FULL_TRANSITIVE', null, 'ok'],
    ['NONE', 'BACKWARD', 'warn'],
    ['FORWARD', null, 'warn'],
    [null, 'BACKWARD', 'ok'],
    [null, 'NONE', 'warn'],
    [null, null, 'warn'],
  ])('when subjects are %s and the registry is %s, then it is %s', async (own, general, status) => {
    const check = await checkCompatibility(
      client(() => 1, own),
      'p.',
      general,
    );
    expect(check.status).toBe(status);
  });
});

const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  removeTempFolders();
});

/** Answers everything with the text; its port. */
async function httpServer(text: string): Promise<number> {
  const server = createServer((_request, response) => response.end(text));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe("given the registry's own mode", () => {
  it.each([
    ['{"compatibilityLevel":"full"}', 'FULL'],
    ['{"compatibility":"NONE"}', 'NONE'],
    ['<html>', null],
    ['x'.repeat(5000), null],
  ])('when it answers %.20s, then it is %s', async (text, mode) => {
    const url = `http://127.0.0.1:${await httpServer(text)}/`;
    expect(await generalCompatibility({ url, username: null, password: null })).toBe(mode);
  });
});

describe('given a port for HTTP', () => {
  it('when a process of ours has it, then all is well', async () => {
    const port = await httpServer('{"status":"alive"}');
    expect((await checkHttpPort({ host: '127.0.0.1', port })).status).toBe('ok');
  });

  it('when another process has it, then it blocks', async () => {
    const port = await httpServer('hello');
    expect((await checkHttpPort({ host: '127.0.0.1', port })).status).toBe('fail');
  });

  it('when it is free, then all is well', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect((await checkHttpPort({ host: '127.0.0.1', port })).status).toBe('ok');
  });

  it('when the address is not of this machine, then it blocks', async () => {
    expect((await checkHttpPort({ host: '192.0.2.1', port: 0 })).status).toBe('fail');
  });
});

describe('given keys', () => {
  it('when there is none, then it blocks a line in Kafka, and not that of a data folder', () => {
    const folder = tempFolder();
    expect(checkKeys(folder, { madeByLine: false })).toMatchObject([{ status: 'fail' }]);
    expect(checkKeys(folder, { madeByLine: true })).toMatchObject([{ status: 'warn' }]);
  });
});

describe('given another clock', () => {
  it.each([
    [NOW + 4000, 'ok'],
    [NOW - 4000, 'ok'],
    [NOW + 500, 'ok'],
    [NOW + 7001, 'warn'],
    [NOW - 5001, 'warn'],
    [NaN, 'warn'],
  ])('when it says %i, then it is %s', (theirs, status) => {
    expect(clockCheck('Redis', theirs, { before: NOW, after: NOW + 2000 }).status).toBe(status);
  });
});

describe('given that something is looked at', () => {
  it('when it does not answer in time, then it is down', async () => {
    const never = (): Promise<Check> => new Promise(() => undefined);
    const checks = await looking('redis', never, { late: 'PL_VIEW_DOWN', timeoutMs: 5 });
    expect(checks).toMatchObject([{ name: 'redis', status: 'fail', down: { code: 'PL_VIEW_DOWN' } }]);
  });

  it('when what it rejects with does not pass, then it is wrong', async () => {
    const error = new ProoflineError('PL_AUDIT_UNUSABLE', { problem: 'no tables' });
    const checks = await looking('audit', () => Promise.reject(error));
    expect(checks).toMatchObject([{ status: 'fail', fix: error.solve }]);
    expect(checks[0]!.down).toBeUndefined();
  });
});

describe('given what a process of `up` found', () => {
  const down = (code: 'PL_BUS_DOWN' | 'PL_AUDIT_DOWN', name: string): Check => {
    const error = new ProoflineError(code, { problem: 'gone' });
    return { ...failure(name, error.message, error.solve), down: error };
  };
  const wrong = failure('redis', 'maxmemory-policy is allkeys-lru', 'Set it.');
  const judged = (...checks: readonly Check[]): string | null => {
    try {
      judge(checks);
      return null;
    } catch (error) {
      return isProoflineError(error) ? error.code : String(error);
    }
  };

  it.each<[string, readonly Check[], string | null]>([
    ['all is well', [ok('redis', 'fine')], null],
    ['one is wrong', [wrong], 'PL_UP_REFUSED'],
    ['one is wrong and another down', [down('PL_BUS_DOWN', 'kafka'), wrong], 'PL_UP_REFUSED'],
    ['one is down', [down('PL_BUS_DOWN', 'kafka')], 'PL_BUS_DOWN'],
    ['the audit is down', [down('PL_AUDIT_DOWN', 'audit')], null],
  ])('when %s, then it is %s', (_what, checks, code) => {
    expect(judged(...checks)).toBe(code);
  });

  it('when several are wrong, then one error lists all, with their cures', () => {
    expect(() => judge([wrong, failure('keys', 'none', 'Make one.')])).toThrow(
      '\n  redis: maxmemory-policy is allkeys-lru\n    → Set it.\n  keys: none\n    → Make one.',
    );
  });
});
