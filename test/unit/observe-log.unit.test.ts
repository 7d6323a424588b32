import { describe, expect, test } from 'vitest';
import { ProoflineError } from '../../src/contracts/errors.js';
import { errorTraits } from '../../src/observe/error-traits.js';
import { createLog, type Log } from '../../src/observe/log.js';
import { recordIds } from '../../src/observe/record-ids.js';
import { createRepeatLimit } from '../../src/observe/repeats.js';
import { waitUntil } from '../support/wait.js';

function logging(level = 'info'): { log: Log; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(level, (line) => void lines.push(JSON.parse(line) as Record<string, unknown>));
  return { log, lines };
}

const SECRET = 'the text of the evidence';
const incident = { station: 'guard', code: 'PL_PARTITION_WRONG', params: { found: 1 } } as const;

describe('the log', () => {
  test('given an error that was foreseen, says what its table says', async () => {
    const { log, lines } = logging();
    const cause = new ProoflineError('PL_LEDGER_BEHIND', { problem: 'it has no position' });
    log.incident({ station: 'guard', code: cause.code, params: cause.params, cause }, null);
    await waitUntil('it is logged', () => lines.length > 0);
    expect(lines).toMatchObject([
      { level: 40, name: 'proofline', station: 'guard', code: 'PL_LEDGER_BEHIND', error: 'ProoflineError' },
    ]);
    expect(lines[0]!['msg']).toContain('it has no position');
    expect(lines[0]!['solve']).toEqual(expect.any(String));
  });

  test('given one that was not, says its kind, its code and where it was thrown, and nothing of its text', async () => {
    const { log, lines } = logging();
    const cause = Object.assign(new TypeError(`${SECRET}\n    at ${SECRET} (x.ts:1:1)`), {
      code: 'SQLITE_BUSY',
    });
    for (const code of ['PL_INVARIANT', 'PL_LEDGER_BEHIND'] as const)
      log.incident({ station: 'ledger-view', code, params: { problem: cause.message }, cause }, null);
    await waitUntil('both are logged', () => lines.length === 2);
    for (const line of lines) {
      expect(line).toMatchObject({ error: 'TypeError', error_code: 'SQLITE_BUSY' });
      expect((line['at'] as string[])[0]).toMatch(/^at .*observe-log\.unit\.test\.ts:\d+:\d+\)?$/);
      expect(JSON.stringify(line)).not.toContain(SECRET);
    }
  });

  test('given a thousand that are alike, tells five, and how many it left out', async () => {
    const { log, lines } = logging();
    for (let i = 0; i < 1000; i++) log.incident(incident, null);
    log.incident({ ...incident, station: 'review' }, null);
    await waitUntil('they are logged', () => lines.length === 6);
    log.stopped();
    expect(lines.slice(6)).toMatchObject([
      { station: 'guard', code: 'PL_PARTITION_WRONG', left_out: 995, msg: 'more of the same' },
      { msg: 'stopped' },
    ]);
  });

  test('given reasons, names them, and quotes no dependency', () => {
    const { log, lines } = logging();
    const reason = { code: 'PL_LEDGER_BEHIND' as const, station: 'guard', message: SECRET, solve: SECRET };
    log.notReady(Array.from({ length: 50 }, (_, partition) => ({ ...reason, partition })));
    expect(lines[0]!['reasons']).toHaveLength(10);
    expect(lines[0]).toMatchObject({ count: 50 });
    const [first] = lines[0]!['reasons'] as unknown[];
    expect(first).toEqual({ station: 'guard', partition: 0, code: 'PL_LEDGER_BEHIND' });
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  test('given level silent, says nothing', () => {
    const { log, lines } = logging('silent');
    log.ready();
    log.fatal(new Error(SECRET));
    expect(lines).toEqual([]);
  });
});

describe('a limit on repeats', () => {
  test('given a new window, lets through again, and tells what was left out meanwhile', () => {
    let now = 0;
    const limit = createRepeatLimit({ burst: 2, windowMs: 100, now: () => now });
    expect([1, 2, 3, 4].map(() => limit.admit('a'))).toEqual([0, 0, null, null]);
    expect(limit.leftOut()).toEqual(new Map([['a', 2]]));
    now = 100;
    expect(limit.admit('a')).toBe(2);
    expect(limit.leftOut()).toEqual(new Map());
  });

  test('given endless kinds, holds a thousand', () => {
    const limit = createRepeatLimit({ burst: 0, windowMs: 100, now: () => 0 });
    for (let i = 0; i < 5000; i++) limit.admit(`kind ${i}`);
    expect(limit.leftOut().size).toBe(1000);
  });
});

describe('what is told of an error', () => {
  const named = (name: string): Error => Object.assign(new Error('x'), { name });
  test.each([
    [undefined, {}],
    [SECRET, { error: 'string' }],
    [null, { error: 'object' }],
    [named(SECRET), { error: 'Error' }],
    [Object.assign(new Error('x'), { code: SECRET }), { error: 'Error' }],
    [Object.assign(new Error('x'), { stack: `Error: x\n    at ${SECRET}\n` }), { error: 'Error' }],
    [Object.assign(new Error('x'), { stack: SECRET }), { error: 'Error' }],
  ])('given %o', (error, expected) => {
    const { at: _at, ...traits } = errorTraits(error);
    expect(traits).toEqual(expected);
    expect(JSON.stringify(errorTraits(error))).not.toContain(SECRET);
  });

  test('given a text that was changed after it was thrown, nothing of the stack', () => {
    const error = new Error(SECRET);
    expect(error.stack).toContain(SECRET);
    error.message = 'another';
    expect(errorTraits(error)).toEqual({ error: 'Error' });
  });
});

describe('the names of a record', () => {
  test.each([
    ['run-1', 'e1', { run_id: 'run-1', event_id: 'e1' }],
    ['run-1/call-1', undefined, { run_id: 'run-1' }],
    ['~barrier', SECRET, {}],
    ['r'.repeat(10_000), '', {}],
  ])('given key and header number %#', (key, eventId, expected) => {
    const headers: Record<string, string> = eventId === undefined ? {} : { ce_id: eventId };
    expect(recordIds({ key: Buffer.from(key), headers })).toEqual(expected);
  });

  test('given no key, none', () => expect(recordIds({ key: null, headers: {} })).toEqual({}));
});
