import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteAuditReader, openSqliteAuditStore } from '../../src/audit/sqlite-audit-store.js';
import { answer, invocation } from '../conformance/audit-store.js';
import { cli as run, type CliOptions, type CliRun } from '../support/cli-run.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

const DAY_MS = 86_400_000;
let data: string;

beforeEach(() => {
  data = tempFolder();
});
afterEach(removeTempFolders);

const file = (): string => join(data, 'audit.db');
const cli = (argv: readonly string[], options?: CliOptions): Promise<CliRun> =>
  run(['--data', data, 'audit', ...argv], options);
const json = async (...argv: readonly string[]): Promise<unknown> =>
  JSON.parse((await cli([...argv, '--json'])).out);

/** 2,500 invocations and an answer of a hundred days ago, and one of each of now. */
async function filled(): Promise<void> {
  const store = openSqliteAuditStore(file());
  const old = Date.now() - 100 * DAY_MS;
  const events = Array.from({ length: 2_500 }, (_, i) =>
    invocation({ eventId: `old-${i}`, occurredAt: old }),
  );
  await store.appendInvocations([...events, invocation({ eventId: 'new', occurredAt: Date.now() })]);
  await store.keepAnswers([answer({ occurredAt: old }), answer({ id: 'new', occurredAt: Date.now() })]);
  await store.close();
}

async function left(): Promise<[number, number]> {
  const reader = openSqliteAuditReader(file());
  const { invocations, answers } = await reader.stats();
  await reader.close();
  return [invocations.rows, answers.rows];
}

describe('proofline audit', () => {
  test('given a data folder, it tells rows, the oldest, the newest and the size', async () => {
    const store = openSqliteAuditStore(file());
    const at = Date.parse('2026-01-02T12:00:00Z');
    await store.appendInvocations([
      invocation({ eventId: '1', occurredAt: at }),
      invocation({ eventId: '2', occurredAt: at + 1 }),
    ]);
    await store.close();
    const { code, out } = await cli([]);
    expect(code).toBe(0);
    expect(out).toMatch(/audit\.db: \d+\.\d kB\n/);
    expect(out).toMatch(/tool invocations +2 +2026-01-02 12:00:00\.000Z +2026-01-02 12:00:00\.001Z\n/);
    expect(out).toMatch(/answers +0\n/);
    expect(await json('stats')).toEqual({
      where: file(),
      bytes: expect.any(Number) as number,
      tool_invocations: {
        rows: 2,
        oldest_at: '2026-01-02T12:00:00.000Z',
        newest_at: '2026-01-02T12:00:00.001Z',
      },
      answers: { rows: 0, oldest_at: null, newest_at: null },
    });
  });

  test('given a folder without one, it says so and makes none', async () => {
    for (const argv of [
      ['stats'],
      ['prune', '--older-than', '1d'],
      ['prune', '--older-than', '1d', '--dry-run'],
    ]) {
      const { code, err } = await cli(argv);
      expect([code, err]).toEqual([3, expect.stringContaining('PL_DATA_FOLDER_UNUSABLE')]);
    }
    expect((await cli(['stats'])).err).toContain('audit.db');
  });

  test('--help teaches by example', async () => {
    const { code, out } = await cli(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('proofline audit prune --older-than 90d --dry-run');
    expect(out).toContain('PROOFLINE_AUDIT_URL');
  });
});

describe('proofline audit prune', () => {
  beforeEach(filled);

  test('given a dry run, it counts and deletes nothing', async () => {
    const { code, out } = await cli(['prune', '--older-than', '90d', '--dry-run']);
    expect(code).toBe(0);
    expect(out).toMatch(/would delete 2501 rows from before .*Nothing was deleted/);
    expect(await left()).toEqual([2_501, 2]);
  });

  test('it deletes what is older, and nothing else', async () => {
    expect(await json('prune', '--older-than', '101d')).toMatchObject({ rows: 0, dry_run: false });
    const { code, out } = await cli(['prune', '--older-than', '90d']);
    expect([code, out]).toEqual([0, expect.stringMatching(/deleted 2501 rows from before /)]);
    expect(await left()).toEqual([1, 1]);
    expect(await json('prune', '--older-than', '12w')).toMatchObject({ rows: 0 });
  });

  test('given a person who watches, it tells how far it is', async () => {
    const { err } = await cli(['prune', '--older-than', '90d'], { interactive: true });
    expect(err).toContain('\r1000 rows deleted\r2000 rows deleted\r2500 rows deleted\r2501 rows deleted');
  });

  test('given that it is stopped, it ends between two steps and says how far it came', async () => {
    const stopping = new AbortController();
    stopping.abort(new Error('stopped'));
    const { code, err } = await cli(['prune', '--older-than', '90d'], { signal: stopping.signal });
    expect([code, err]).toEqual([1, expect.stringContaining('0 rows were deleted before it ended')]);
    expect(await left()).toEqual([2_501, 2]);
  });

  test('given a writer at work on the same file, both go on', async () => {
    const store = openSqliteAuditStore(file());
    const pruning = cli(['prune', '--older-than', '90d']);
    for (let i = 0; i < 200; i++)
      await store.appendInvocations([invocation({ eventId: `more-${i}`, occurredAt: Date.now() })]);
    expect((await pruning).code).toBe(0);
    await store.close();
    expect(await left()).toEqual([201, 1]);
  });

  test('given an age that is none, it is your input', async () => {
    for (const age of ['', '90', '0d', '-1d', '1.5d', '90 d', '1y', '9999999d', 'd']) {
      const { code, err } = await cli(['prune', `--older-than=${age}`]);
      expect([age, code, err]).toEqual([age, 2, expect.stringContaining('PL_INPUT_INVALID')]);
    }
    expect((await cli(['prune'])).code).toBe(2);
    expect(await left()).toEqual([2_501, 2]);
  });
});

describe('proofline audit migrate', () => {
  test('given no address of PostgreSQL, it says that there is nothing to migrate', async () => {
    const { code, err } = await cli(['migrate']);
    expect([code, err]).toEqual([2, expect.stringContaining('PROOFLINE_AUDIT_URL is not set')]);
  });
});
