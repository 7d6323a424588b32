import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isProoflineError } from '../../src/contracts/errors.js';
import { areEqual, differencesBetween } from '../../src/replay/equal.js';
import type { RecordedRun } from '../../src/replay/recorded-run.js';
import { replayRun, replayUnderRules } from '../../src/replay/replay-run.js';
import { runFromSnapshot } from '../../src/replay/run-from-snapshot.js';
import { readRuns } from '../../src/replay/run-from-topics.js';
import {
  changesFromText,
  ruleDefaults,
  ruleSettings,
  rulesOf,
  withChanges,
} from '../../src/replay/settings.js';
import { cli } from '../support/cli-run.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { recordedRuns } from '../support/recorded-runs.js';
import { tempFolder } from '../support/temp-folder.js';

afterEach(closeLines);

const rules = rulesOf(ruleDefaults);

function recorded(runId: string): RecordedRun {
  return runFromSnapshot(snapshot(runId), null);
}

function snapshot(runId: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`test/data/runs/${runId}.json`, 'utf8')) as Record<string, unknown>;
}

const outcomesOf = (run: RecordedRun): string[] => replayRun(run, rules).map(({ outcome }) => outcome);

describe('two events', () => {
  const verdict = {
    occurredAt: 1,
    violations: [{ code: 'TOOL_CALL_UNKNOWN', path: '/a', message: 'm', detailJson: '{}' }],
    read: [{ toolCallId: 'c', foundRunId: null, state: null, partition: 1, offset: 2 }],
    ext: {},
  };

  test('are equal whenever it was measured and wherever the ledger was read', () => {
    const other = { ...verdict, read: [{ ...verdict.read[0], partition: 7, offset: 9 }] };
    expect(areEqual(verdict, other)).toBe(true);
    expect(areEqual({ measured: { startedAt: 1 } }, { measured: { startedAt: 2 } })).toBe(true);
    expect(areEqual({ requestOffset: 1 }, { requestOffset: 2 })).toBe(true);
    expect(areEqual({ partition: 1 }, { partition: 2 })).toBe(false);
  });

  test('are equal where one says B2 for the other’s B1, with other words and another run', () => {
    const foreign = { code: 'TOOL_CALL_FOREIGN_RUN', path: '/a', message: 'n', detailJson: '{"x":1}' };
    const read = [{ ...verdict.read[0], foundRunId: 'r9' }];
    expect(areEqual(verdict, { ...verdict, violations: [foreign], read })).toBe(true);
    expect(areEqual(verdict, { ...verdict, violations: [{ ...foreign, path: '/b' }], read })).toBe(false);
    const [first] = verdict.violations;
    expect(areEqual(verdict, { ...verdict, violations: [{ ...first, message: 'n' }] })).toBe(false);
    const codes = { violationCodes: ['TOOL_CALL_UNKNOWN'] };
    expect(areEqual(codes, { violationCodes: ['TOOL_CALL_FOREIGN_RUN'] })).toBe(true);
    expect(areEqual(codes, { violationCodes: ['TOOL_CALL_FAILED'] })).toBe(false);
    const request = { findings: verdict.violations, promptEn: 'there is no c' };
    expect(areEqual(request, { findings: [foreign], promptEn: 'c is of another run' })).toBe(true);
    expect(areEqual(request, { ...request, promptEn: 'something else' })).toBe(false);
  });

  test('may differ in time and ext only where a producer repeated one of them', () => {
    const again = { ...verdict, occurredAt: 2, ext: { more: 'x' } };
    expect(differencesBetween(verdict, again).map(({ path }) => path)).toEqual(['/occurredAt', '/ext/more']);
    expect(areEqual(verdict, again, { repeated: true })).toBe(true);
  });

  test('differ in what one has and the other has not, and in order', () => {
    expect(differencesBetween({ a: [1, 2] }, { a: [2] })).toEqual([
      { path: '/a/0', recorded: 1, replayed: 2 },
      { path: '/a/1', recorded: 2, replayed: undefined },
    ]);
    expect(areEqual({ a: null }, {})).toBe(false);
    expect(areEqual({ a: Buffer.from('x') }, { a: Buffer.from('x') })).toBe(true);
    expect(areEqual({ a: Buffer.from('x') }, { a: Buffer.from('y') })).toBe(false);
  });
});

describe('what is gone', () => {
  test('given a passed draft without its text, ledger and answers, then the verdict itself has all that it takes', () => {
    const run = recorded('demo-gpu');
    expect(outcomesOf({ ...run, drafts: [], entries: [], answers: [] })).toEqual(['EQUAL']);
  });

  test('given a malformed draft without its text, then it is gone and no difference', () => {
    const [first] = replayRun({ ...recorded('malformed'), drafts: [] }, rules);
    expect(first).toMatchObject({
      outcome: 'GONE',
      guard: { kind: 'GONE', gone: ['the text of the draft'] },
    });
  });

  test('given a rejected draft without the texts it was held against, then it is gone and no difference', () => {
    const run = recorded('kinds');
    expect(outcomesOf({ ...run, entries: [] })).toEqual(['EQUAL']);
    const [told] = replayRun({ ...run, entries: [], answers: [] }, rules);
    expect(told?.guard).toMatchObject({
      kind: 'GONE',
      gone: ['the agent view of call-1', 'the agent view of call-2'],
    });
  });

  test('given the ledger forgot what explains a violation, then a detail that differs is gone and no difference', () => {
    const run = recorded('other-call');
    expect(outcomesOf(run)).toEqual(['EQUAL']);
    const entries = run.entries.filter(({ toolCallId }) => toolCallId !== 'call-2');
    expect(outcomesOf({ ...run, entries })).toEqual(['GONE']);
  });

  test('given a verdict of the run that nobody keeps, then what follows from it is gone and no difference', () => {
    const run = recorded('fallback-replaced');
    const told = replayRun({ ...run, verdicts: run.verdicts.slice(1) }, rules);
    expect(told.map(({ guard, outcome }) => [guard.kind, outcome])).toEqual([
      ['EQUAL', 'GONE'],
      ['EQUAL', 'GONE'],
    ]);
  });

  test('given what review said of it is gone too, then the run’s last state or its notes tell that it was there', () => {
    const run = recorded('fallback-replaced');
    const later = { ...run, verdicts: run.verdicts.slice(1), reviewed: run.reviewed.slice(1) };
    expect(outcomesOf({ ...later, notes: [] })).toEqual(['GONE', 'GONE']);
    expect(outcomesOf({ ...later, outcome: null })).toEqual(['GONE', 'GONE']);
    expect(outcomesOf({ ...later, notes: [], outcome: null })).toEqual(['DIFFERENT', 'DIFFERENT']);
    const trimmed = new Set(['verdict.v1'] as const);
    expect(outcomesOf({ ...later, notes: [], outcome: null, trimmed })).toEqual(['GONE', 'GONE']);
  });

  test('given what review wrote is gone from a trimmed topic, then it is gone; from another one, a difference', () => {
    const run = { ...recorded('demo-gpu'), verified: [] };
    expect(outcomesOf(run)).toEqual(['DIFFERENT']);
    expect(outcomesOf({ ...run, trimmed: new Set(['verified.v1'] as const) })).toEqual(['GONE']);
  });

  test('given what the judge said is not kept, then what was decided by it is gone and no difference', () => {
    const run = recorded('judged');
    expect(outcomesOf(run)).toEqual(['EQUAL', 'EQUAL']);
    const notes = run.notes.filter(({ kind }) => kind !== 'JUDGE_EVALUATION');
    expect(outcomesOf({ ...run, notes })).toEqual(['GONE', 'GONE']);
  });

  test('given another answer of the judge, then what was decided by it differs', () => {
    const run = recorded('judged');
    const notes = run.notes.map((note) => ({
      ...note,
      factsJson: note.factsJson.replaceAll('"supported":"no"', '"supported":"yes"'),
    }));
    expect(outcomesOf({ ...run, notes })[0]).toBe('DIFFERENT');
  });

  test('given review has not come to a verdict yet, then that is no difference', () => {
    const run = recorded('demo-gpu');
    const early = { ...run, reviewed: [], verified: [], outcome: null, notes: [] };
    expect(replayRun(early, rules)).toMatchObject([{ outcome: 'EQUAL', reviews: [] }]);
  });
});

describe('the settings of --rules', () => {
  test('given a limit, then it changes what the draft may hold and nothing else', () => {
    const settings = withChanges(ruleDefaults, changesFromText('analyses=2,min_share=0.9,quotes-1=off'));
    expect(settings.guard.limits).toEqual({ ...ruleDefaults.guard.limits, analyses: 2 });
    expect(settings.review).toEqual({ ...ruleDefaults.review, minShare: 0.9 });
    const told = replayUnderRules(recorded('demo-gateway'), rulesOf(settings));
    expect(told.map(({ changed, codesAdded }) => [changed?.status, codesAdded])).toEqual([
      ['REJECTED', ['DRAFT_MALFORMED']],
      ['REJECTED', ['DRAFT_MALFORMED']],
    ]);
  });

  test.each([
    ['analysis=2', 'was analyses meant?'],
    ['nonsense=1', '`proofline replay --help` lists them'],
    ['analyses=-1', 'a whole number from 0'],
    ['sample=2', 'a number from 0 to 1'],
    ['max_attempts=1.5', 'a whole number from 1'],
    ['quotes-1=perhaps', 'on or off'],
    ['analyses', 'name=value'],
  ])('given %s, then it says what is wrong', (text, problem) => {
    expect(() => withChanges(ruleDefaults, changesFromText(text))).toThrow(problem);
  });

  test('are all told by --help, each changes its own value alone', async () => {
    const { out } = await cli(['replay', '--help']);
    for (const setting of ruleSettings) {
      expect(out).toContain(setting.name);
      const changed = setting.change(ruleDefaults, setting.max);
      expect(setting.of(changed)).toBe(setting.max);
      const others = ruleSettings.filter((each) => each !== setting);
      expect(others.map((each) => each.of(changed))).toEqual(others.map((each) => each.of(ruleDefaults)));
    }
  });
});

describe('a snapshot', () => {
  test.each([
    ['no object', () => []],
    ['another format', () => ({ ...snapshot('kinds'), format: 99 })],
    ['a list that is none', () => ({ ...snapshot('kinds'), verdicts: 'x' })],
    ['a record that is none', () => ({ ...snapshot('kinds'), verdicts: [{ value: { run_id: 'kinds' } }] })],
    [
      'an entry that is none',
      () => ({ ...snapshot('kinds'), ledger: [{ offset: 1, tool_call_id: 'c', value: 7 }] }),
    ],
    ['a note that is none', () => ({ ...snapshot('kinds'), audit: { invocations: [{ measured: {} }] } })],
  ])('given %s, then it is refused as input', (_, make) => {
    let thrown: unknown;
    try {
      runFromSnapshot(make(), null);
    } catch (error) {
      thrown = error;
    }
    expect(isProoflineError(thrown, 'PL_INPUT_INVALID')).toBe(true);
  });

  test('given it was changed by hand, then the command tells where and ends with 1', async () => {
    const text = readFileSync('test/data/runs/demo-gpu.json', 'utf8');
    const file = join(tempFolder(), 'changed.json');
    writeFileSync(file, text.replace('"decision": "PUBLISH"', '"decision": "HOLD"'));
    const run = await cli(['replay', '--snapshot', file]);
    expect(run.code).toBe(1);
    expect(run.out).toContain(
      'review /reviewed.v1/decision\n      recorded  "HOLD"\n      replayed  "PUBLISH"',
    );
    expect(run.out).toContain('1 verdict of 1 run: 0 equal, 1 different, 0 gone');
  });
});

describe('proofline replay', () => {
  async function lineWithRuns(): Promise<TestLine> {
    let now = Date.parse('2026-11-01T00:00:00Z');
    const line = openTestLine({ now: () => now });
    for (const runId of ['run-1', 'run-2', 'run-3']) {
      await line.ask({ runId, ttlMs: 10 * 86_400_000 });
      await line.idle();
      await line.handIn({ runId, draftId: 'forged', draftJson: forgedDraft() });
      await line.idle();
      now += 86_400_000;
      await line.handIn({ runId, draftId: 'true', draftJson: trueDraft(), attempt: 2 });
      await line.idle();
    }
    return line;
  }

  test('given a running line, then it tells of each verdict of the runs and of the range that is named', async () => {
    const line = await lineWithRuns();
    const replay = async (...argv: string[]) => cli(['--data', line.folder, '--json', 'replay', ...argv]);
    const named = await replay('run-2');
    expect(named).toMatchObject({ code: 0, err: '' });
    const told = named.out
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as Record<string, unknown>);
    expect(told).toMatchObject([
      { run_id: 'run-2', draft_id: 'forged', outcome: 'EQUAL', status: 'REJECTED', guard: { kind: 'EQUAL' } },
      { run_id: 'run-2', draft_id: 'true', outcome: 'EQUAL', status: 'PASSED' },
    ]);
    const range = await replay('--since', '2026-11-02T00:00:00Z', '--until', '2026-11-03T00:00:00Z');
    expect(range.out.match(/"run_id":"run-\d","draft_id":"\w+"/g)?.sort()).toEqual([
      '"run_id":"run-1","draft_id":"true"',
      '"run_id":"run-2","draft_id":"forged"',
    ]);
    expect((await replay('--all')).out.trim().split('\n')).toHaveLength(6);
    const trial = await replay('--all', '--rules', 'max_attempts=1');
    expect(trial.code).toBe(1);
    expect(trial.out).toContain('"outcome":"OTHER"');
  });

  test.each([
    [['replay'], 'say what to replay'],
    [['replay', 'run-1', '--all'], 'one of them'],
    [['replay', '--since', 'yesterday'], 'an age such as 7d'],
    [['replay', 'nobody'], 'nobody'],
  ])('given %j, then it is the input that is wrong', async (argv, problem) => {
    const line = openTestLine();
    const run = await cli(['--data', line.folder, ...argv]);
    expect(run.code).toBe(2);
    expect(run.err).toContain(problem);
  });

  test('given room for one run at a time, then every run is read whole all the same', async () => {
    const line = await lineWithRuns();
    const { bus, codec, audit, keyring } = line;
    const ports = { bus, codec, audit, keyring, signal: new AbortController().signal };
    const found: string[] = [];
    for await (const run of readRuns(ports, ['run-1', 'run-2', 'run-3'], 1)) {
      found.push(`${run.runId} ${outcomesOf(run).join()}`);
      expect(run.verdicts).toHaveLength(2);
    }
    expect(found.sort()).toEqual(['run-1', 'run-2', 'run-3'].map((runId) => `${runId} EQUAL,EQUAL`));
  });

  test('given the same draft handed in again later, then the first one counts', async () => {
    let now = 1_000_000;
    const line = openTestLine({ now: () => now });
    await line.ask({});
    await line.idle();
    await line.handIn({ draftJson: trueDraft() });
    now += 5000;
    await line.handIn({ draftJson: trueDraft() });
    await line.idle();
    const [run] = await recordedRuns(line, 'run-1');
    expect(run?.drafts).toHaveLength(2);
    expect(run?.verdicts).toHaveLength(1);
    expect(outcomesOf(run!)).toEqual(['EQUAL']);
  });
});
