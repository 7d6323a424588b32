import { afterEach, describe, expect, test } from 'vitest';
import type { Lookup } from '../../producers/lookups.js';
import type { DraftSubmitted, Limits, ProjectedEvidence, RunState } from '../../src/contracts/generated.js';
import { stopRequiredText } from '../../src/evidence/fixed-texts.js';
import { readRun } from '../../src/line/run-snapshot.js';
import { runTrail } from '../../src/line/run-trail.js';
import {
  closeLines,
  openTestLine,
  type StationName,
  type TestLine,
  type TestLineOptions,
} from '../support/line.js';
import { trueDraft } from '../support/line-drafts.js';
import { hits, scripted } from '../support/line-search.js';
import { observe, seriesOf, stopObserving } from '../support/observe.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const HOUR_MS = 3_600_000;
const ALL: readonly StationName[] = [
  'retrieve',
  'postprocess',
  'project',
  'ledger-view',
  'guard',
  'review',
  'harness',
  'audit-sink',
];

afterEach(async () => {
  await closeLines();
  await stopObserving();
  removeTempFolders();
});

function harnessLine(options: TestLineOptions = {}): TestLine {
  return openTestLine({ stations: ALL, ...options });
}

const limitsOf = (limits: Partial<Limits>): Limits => ({
  deadline: null,
  maxLookups: null,
  maxTokens: null,
  maxAttempts: null,
  ...limits,
});

/** Asks, one lookup after the other; each is answered, and known to all stations, before the next. */
async function askInTurn(line: TestLine, ...lookups: readonly Partial<Lookup>[]): Promise<void> {
  for (const lookup of lookups) {
    await line.ask(lookup);
    await line.idle();
  }
}

async function answerTo(line: TestLine, toolCallId: string): Promise<ProjectedEvidence[]> {
  return (await line.messages('projected.v1')).filter((answer) => answer.toolCallId === toolCallId);
}

async function stateOf(line: TestLine, runId = 'run-1'): Promise<RunState | undefined> {
  return (await line.messages('run-state.v1')).filter((state) => state.runId === runId).at(-1);
}

async function givenUp(line: TestLine): Promise<DraftSubmitted[]> {
  return (await line.messages('draft-submitted.v1')).filter(({ draftId }) => draftId === 'given-up');
}

const first = { toolCallId: 'call-1', query: 'gateway timeout' };
const second = { toolCallId: 'call-2', query: 'disk full' };
const third = { toolCallId: 'call-3', query: 'memory leak' };

describe('a run with a budget of two lookups', () => {
  const limits = limitsOf({ maxLookups: 2 });

  test('given a third, it is refused with the fixed text, and the draft that follows is published', async () => {
    const search = scripted();
    const line = harnessLine({ search });
    await askInTurn(line, { ...first, limits }, second);
    expect(await stateOf(line)).toMatchObject({ lookups: 2, stopRequired: { reason: 'MAX_LOOKUPS' } });

    const asked = await line.ask(third);
    await line.idle();
    expect(await answerTo(line, 'call-3')).toMatchObject([
      {
        state: 'REFUSED',
        requestEventId: asked.eventId,
        agentView: null,
        gain: null,
        failure: { code: 'PL_STOP_REQUIRED', message: stopRequiredText.en, retryable: false },
      },
    ]);
    expect(search.asked).toHaveLength(2);
    const entries = (await line.messages('ledger.v1')).map(({ toolCallId }) => toolCallId);
    expect(entries).not.toContain('call-3');

    await line.handIn({ draftJson: trueDraft([first, second]) });
    await line.idle();
    expect(await line.messages('verified.v1')).toMatchObject([{ outcome: 'VERIFIED' }]);
    expect(line.incidents).toEqual([]);
  });

  test('given a lookup that was answered, it is answered again', async () => {
    const line = harnessLine();
    await askInTurn(line, { ...first, limits }, second, { ...first, limits }, third, third);
    const [answer, again] = await answerTo(line, 'call-1');
    expect(again).toMatchObject({ state: 'READY', repeat: true, agentView: answer?.agentView });
    // Who asks once more is refused once more: equal events, and counted by nobody.
    const [refused, refusedAgain] = await answerTo(line, 'call-3');
    expect(refusedAgain).toEqual({ ...refused, occurredAt: refusedAgain?.occurredAt });
    expect(await stateOf(line)).toMatchObject({ lookups: 2 });
  });

  test('given another run, it goes on', async () => {
    const line = harnessLine({ partitions: 1 });
    await askInTurn(line, { ...first, limits }, second, { ...third, runId: 'run-2' });
    expect(await answerTo(line, 'call-3')).toMatchObject([{ state: 'READY' }]);
  });

  test('given restarts in the middle, counts and refuses as without', async () => {
    const folder = tempFolder();
    const one = harnessLine({ folder });
    await askInTurn(one, { ...first, limits });
    await one.close();
    const two = harnessLine({ folder });
    await askInTurn(two, second);
    expect(await stateOf(two)).toMatchObject({ lookups: 2, stopRequired: { reason: 'MAX_LOOKUPS' } });
    await two.close();
    // Without the harness: retrieve knows it from the topic.
    const three = harnessLine({ folder, stations: ALL.filter((name) => name !== 'harness') });
    await askInTurn(three, third);
    expect(await answerTo(three, 'call-3')).toMatchObject([{ failure: { code: 'PL_STOP_REQUIRED' } }]);
    // Each state is an event of its own, caused by the one that was counted last.
    const states = await three.messages('run-state.v1');
    const ids = states.flatMap(({ eventId, causedBy }) => [eventId, causedBy ?? '']);
    expect(new Set(ids).size).toBe(2 * states.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('given a lookup that was accepted before the stop, it is answered after it', async () => {
    const line = harnessLine();
    await askInTurn(line, { ...first, limits: limitsOf({ maxLookups: 1 }) });
    await line.stop('retrieve');
    const accepted = await line.ask(second);
    // Its entry is pending in the ledger, as a crash after the early step leaves it.
    const { offset: requestOffset } = (await line.read('lookup-requested.v1')).at(-1)!;
    const pending = (await line.messages('ledger.v1')).find(({ state }) => state === 'PENDING')!;
    const { eventId: requestEventId, requestSha256, toolCallId } = accepted;
    const of = { eventId: 'early', toolCallId, requestEventId, requestSha256, requestOffset };
    await line.bus.append([line.record('ledger.v1', { ...pending, ...of }, 'run-1/call-2')]);
    line.start('retrieve');
    await line.idle();
    expect(await answerTo(line, 'call-2')).toMatchObject([{ state: 'READY' }]);
  });
});

describe('a run whose answers bring nothing new', () => {
  test('given three in a row, may ask no more', async () => {
    const line = harnessLine();
    const calls = ['call-1', 'call-2', 'call-3', 'call-4', 'call-5'];
    await askInTurn(line, ...calls.map((toolCallId) => ({ toolCallId, query: 'gateway timeout' })));
    expect(await stateOf(line)).toMatchObject({
      lookups: 4,
      gainHistory: ['NEW', 'UNCHANGED', 'UNCHANGED', 'UNCHANGED'],
      stopRequired: { reason: 'NO_GAIN' },
    });
    expect(await answerTo(line, 'call-5')).toMatchObject([{ state: 'REFUSED', gain: null }]);
  });

  test('given answers without evidence, likewise', async () => {
    const line = harnessLine({ search: scripted(() => hits([])) });
    await askInTurn(line, first, second, third, { toolCallId: 'call-4' });
    expect(await stateOf(line)).toMatchObject({ gainHistory: ['NONE', 'NONE', 'NONE'] });
    expect(await answerTo(line, 'call-4')).toMatchObject([{ state: 'REFUSED' }]);
  });
});

describe('a run whose deadline passes', () => {
  test('given no outcome, gets FALLBACK, once, also across a restart', async () => {
    const folder = tempFolder();
    let now = Date.now();
    const line = harnessLine({ folder, now: () => now });
    const deadline = now + HOUR_MS;
    await askInTurn(line, { ...first, limits: limitsOf({ deadline }) });
    await line.handIn({ draftJson: 'no draft', attempt: 1 });
    await line.idle();
    expect(await givenUp(line)).toEqual([]);
    now = deadline;
    await waitUntil('the run has its outcome', async () => (await line.messages('verified.v1')).length > 0);
    expect(await givenUp(line)).toMatchObject([
      { attempt: 2, givenUp: 'DEADLINE', draftJson: null, causedBy: null, occurredAt: deadline },
    ]);
    expect(await line.messages('verified.v1')).toMatchObject([
      { outcome: 'FALLBACK', draftId: 'given-up', fallback: { zh: expect.any(String) as string } },
    ]);
    await line.idle();
    await line.close();

    now += HOUR_MS;
    const again = harnessLine({ folder, now: () => now });
    // Its lane has been told the time when it has given this one up.
    await again.ask({ runId: 'run-2', limits: limitsOf({ deadline: now }) });
    await waitUntil('run-2 is given up', async () => (await givenUp(again)).length > 1);
    await again.idle();
    expect((await givenUp(again)).map(({ runId }) => runId)).toEqual(
      expect.arrayContaining(['run-1', 'run-2']),
    );
    expect(await givenUp(again)).toHaveLength(2);
    expect(await again.messages('dead-letter.v1')).toEqual([]);
  });

  test('given one whose budget was spent, says so', async () => {
    let now = Date.now();
    const line = harnessLine({ now: () => now });
    await askInTurn(line, { ...first, limits: limitsOf({ maxTokens: 1 }) });
    expect((await stateOf(line))?.tokens).toBeGreaterThan(20);
    now += HOUR_MS;
    await waitUntil('it is given up', async () => (await givenUp(line)).length > 0);
    expect(await givenUp(line)).toMatchObject([{ givenUp: 'BUDGET' }]);
  });

  test('given an outcome, nothing happens', async () => {
    let now = Date.now();
    const line = harnessLine({ now: () => now });
    await askInTurn(line, first);
    await line.handIn({ draftJson: trueDraft() });
    await line.idle();
    now += HOUR_MS;
    await line.ask({ runId: 'run-2', limits: limitsOf({ deadline: now }) });
    await waitUntil('run-2 is given up', async () => (await givenUp(line)).length > 0);
    expect((await givenUp(line)).map(({ runId }) => runId)).toEqual(['run-2']);
  });
});

describe('records that no run can have', () => {
  test('given an event id that is not theirs, or bytes, are given up once, by who reads them first', async () => {
    const observed = await observe();
    const line = harnessLine({ partitions: 1, observe: observed });
    const message = await line.ask(first);
    await line.bus.append([
      { ...line.record('lookup-requested.v1', { ...message, eventId: 'f'.repeat(32) }) },
      { ...line.record('lookup-requested.v1', message), value: Buffer.from('no avro') },
    ]);
    await line.idle();
    const letters = await line.messages('dead-letter.v1');
    expect(letters.map(({ station, code }) => [station, code])).toEqual([
      ['retrieve', 'PL_EVENT_ID'],
      ['retrieve', 'PL_RECORD_UNDECODABLE'],
    ]);
    expect(await stateOf(line)).toMatchObject({ lookups: 1 });
    const series = 'proofline_records_passed_over_total{station="harness",code="PL_EVENT_ID"}';
    expect(seriesOf(await observed.metrics(), series)).toBe(1);
  });

  test('given a state that cannot be read, retrieve goes on', async () => {
    const line = harnessLine({ stations: ALL.filter((name) => name !== 'harness'), partitions: 1 });
    const state = { topic: 'run-state.v1', partition: 0, key: Buffer.from('run-1'), headers: {} } as const;
    await line.bus.append([{ ...state, value: Buffer.from('no avro') }]);
    await askInTurn(line, first);
    expect(await answerTo(line, 'call-1')).toMatchObject([{ state: 'READY' }]);
    expect(await line.messages('dead-letter.v1')).toEqual([]);
  });
});

describe('what is told of it', () => {
  test('the trail shows what was refused and given up, and the metrics count it', async () => {
    const observed = await observe();
    let now = Date.now();
    const line = harnessLine({ observe: observed, now: () => now });
    await askInTurn(line, { ...first, limits: limitsOf({ maxLookups: 1 }) }, second);
    now += HOUR_MS;
    await waitUntil('the run has its outcome', async () => (await line.messages('verified.v1')).length > 0);
    await line.idle();

    const trail = runTrail((await readRun(line, 'run-1'))!, line.codec);
    expect(trail.outcome).toMatchObject({ kind: 'FALLBACK' });
    expect(trail.lookups).toMatchObject([{ toolCallId: 'call-1' }, { toolCallId: 'call-2' }]);
    expect(JSON.stringify(trail.lookups[1])).toContain('PL_STOP_REQUIRED');
    expect(trail.drafts).toMatchObject([{ draftId: 'given-up', givenUp: 'BUDGET', attempt: 1 }]);
    expect(trail.notes.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['HARNESS', 'STOP_REQUIRED'],
      ['HARNESS', 'GIVEN_UP'],
    ]);
    expect(trail.gone).toEqual([]);

    const text = await observed.metrics();
    expect(seriesOf(text, 'proofline_runs_stopped_total{reason="MAX_LOOKUPS"}')).toBe(1);
    expect(seriesOf(text, 'proofline_runs_stopped_total{reason="DEADLINE"}')).toBe(0);
    expect(seriesOf(text, 'proofline_runs_given_up_total{reason="BUDGET"}')).toBe(1);
    expect(seriesOf(text, 'proofline_lookup_failures_total{code="PL_STOP_REQUIRED"}')).toBe(1);
  });
});
