import { afterEach, describe, expect, test } from 'vitest';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import { openEmbeddedReader } from '../../src/bus/embedded/embedded-bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { openLine, type Line, type LineOptions } from '../../src/line/embedded-line.js';
import { readAll } from '../support/bus.js';
import { lookupOf } from '../support/line.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { hits, scripted } from '../support/line-search.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { createGate, waitUntil } from '../support/wait.js';

const open = new Set<Line>();

afterEach(async () => {
  for (const line of open) await line.stop();
  open.clear();
  removeTempFolders();
});

function lineOf(options: Partial<LineOptions> = {}): Line {
  const line = openLine({ folder: tempFolder(), search: scripted(), partitions: 2, ...options });
  open.add(line);
  return line;
}

async function stop(line: Line): Promise<void> {
  open.delete(line);
  await line.stop();
}

const SOON = 20_000;
const ask = (line: Line, lookup: Parameters<typeof lookupOf>[0] = {}, timeoutMs = SOON) =>
  line.lookup(lookupRequested(lookupOf(lookup), Date.now()), timeoutMs);
const handIn = (line: Line, draft: Partial<Parameters<typeof draftSubmitted>[0]> = {}, timeoutMs = SOON) =>
  line.submit(
    draftSubmitted({ runId: 'run-1', draftId: 'draft-1', draftJson: trueDraft(), ...draft }, Date.now()),
    timeoutMs,
  );

describe('the doors of the line', () => {
  test('a lookup is answered with its projection, a draft with all that became of it', async () => {
    const line = lineOf();
    expect(await ask(line)).toMatchObject({ state: 'READY', repeat: false });
    expect(await handIn(line)).toMatchObject({
      verdict: { status: 'PASSED' },
      reviewed: { decision: 'PUBLISH' },
      verified: { outcome: 'VERIFIED', draftId: 'draft-1' },
    });
  });

  test('given the same lookup again, its answer has the same bytes; given another question, it is refused', async () => {
    const line = lineOf();
    const first = await ask(line);
    expect(await ask(line)).toMatchObject({ agentView: first.agentView, repeat: true });
    expect(await ask(line, { query: 'other' })).toMatchObject({
      state: 'REFUSED',
      failure: { code: 'PL_REPEAT_CONFLICT' },
    });
  });

  test('given two who ask the same at once, both are answered with the same bytes', async () => {
    const line = lineOf();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(line)));
    expect(new Set(answers.map(({ agentView }) => agentView)).size).toBe(1);
  });

  test('given the same draft again, the answer is the same and nothing new is written', async () => {
    const line = lineOf();
    await ask(line);
    const first = await handIn(line);
    await waitUntil('the audit has its outcome', async () => {
      const { answers } = await line.audit.trail('run-1');
      return answers.some(({ kind }) => kind === 'OUTCOME');
    });
    expect(await handIn(line)).toEqual(first);
    const { end } = await line.bus.bounds('draft-submitted.v1', partitionOf('run-1', 2));
    expect(end).toBe(1);
  });

  test('given many who hand the same draft in at once, all get the same answer', async () => {
    const line = lineOf();
    await ask(line);
    const answers = await Promise.all(Array.from({ length: 10 }, () => handIn(line)));
    for (const { verdict, reviewed, verified } of answers) {
      expect([verdict.eventId, reviewed.decision, verified?.outcome]).toEqual([
        answers[0]!.verdict.eventId,
        'PUBLISH',
        'VERIFIED',
      ]);
    }
  });

  test('given a draft that was judged before anybody waited here, its whole answer is found as it was kept', async () => {
    const line = lineOf();
    await ask(line);
    const draft = draftSubmitted({ runId: 'run-1', draftId: 'draft-1', draftJson: trueDraft() }, Date.now());
    const follow: Promise<unknown>[] = [];
    // Handed in again in the moment that the first verdict is there: review sees it twice, and answers once.
    const following = line.bus.follow(['verified.v1'], () => {
      if (follow.length === 0) follow.push(line.submit(draft, 10_000));
    });
    await line.submit(draft, SOON);
    await waitUntil('it is handed in again', () => follow.length > 0);
    expect(await follow[0]).toMatchObject({
      reviewed: { decision: 'PUBLISH' },
      verified: { outcome: 'VERIFIED' },
    });
    await following.stop();
  });

  test('given a run that is given up twice, both are answered', async () => {
    const line = lineOf();
    expect(await handIn(line, { draftJson: null })).toMatchObject({ verified: { outcome: 'FALLBACK' } });
    const again = await handIn(line, { draftId: 'draft-2', attempt: 2, draftJson: null }, 5000);
    expect(again).toMatchObject({ reviewed: { decision: 'STALE' }, verified: null });
  });

  test('given a forged draft, nothing is verified', async () => {
    const line = lineOf();
    await ask(line);
    expect(await handIn(line, { draftJson: forgedDraft() })).toMatchObject({
      verdict: { status: 'REJECTED' },
      reviewed: { decision: 'REPAIR' },
      verified: null,
    });
  });

  test('given an answer that takes too long, whoever waits is told, and it is there later', async () => {
    const gate = createGate();
    const line = lineOf({ search: scripted(() => gate.opened.then(() => hits([]))) });
    await expect(ask(line, {}, 50)).rejects.toMatchObject({ code: 'PL_TIMEOUT' });
    gate.open();
    expect(await ask(line)).toMatchObject({ state: 'READY' });
  });

  test('given ids that no door lets in, the producers refuse them', () => {
    for (const id of ['a/b', '~barrier', '', 'x'.repeat(129), 'run\u0000', '-a', 'é'])
      expect(() => lookupRequested(lookupOf({ runId: id }), 0)).toThrow(
        expect.objectContaining({ code: 'PL_ID_INVALID' }),
      );
    expect(() => draftSubmitted({ runId: 'r', draftId: 'given-up', draftJson: '{}' }, 0)).toThrow(
      expect.objectContaining({ code: 'PL_ID_INVALID' }),
    );
  });

  test('given malformed text in a question, it is made well-formed before it is digested', async () => {
    const line = lineOf();
    const lookup = {
      query: 'lone \ud800 surrogate',
      filters: { 'a\udfff': ['\ud800', { b: '\ud83d\ude00' }, '\\ud800'] },
    };
    expect(await ask(line, lookup)).toMatchObject({ state: 'READY' });
    const request = lookupRequested(lookupOf(lookup), 0);
    expect(JSON.parse(request.filtersJson)).toEqual({
      'a\ufffd': ['\ufffd', { b: '\ud83d\ude00' }, '\\ud800'],
    });
  });
});

describe('filters that are nested too deeply', () => {
  test('are refused before they are asked', () => {
    let filters = {};
    for (let i = 0; i < 50_000; i++) filters = { filters };
    expect(() => lookupRequested(lookupOf({ filters }), 0)).toThrow(
      expect.objectContaining({ code: 'PL_INPUT_INVALID' }),
    );
  });
});

describe('a data folder', () => {
  test('given a line that runs on it, a second one is refused, and reading beside it works', async () => {
    const folder = tempFolder();
    const line = lineOf({ folder });
    await ask(line);
    expect(() => openLine({ folder, search: scripted() })).toThrow(
      expect.objectContaining({ code: 'PL_DATA_FOLDER_LOCKED' }),
    );
    const reader = openEmbeddedReader(folder);
    const projected = (await Promise.all([0, 1].map((p) => readAll(reader, 'projected.v1', p)))).flat();
    expect(createCodec().decode('projected.v1', projected[0]!.value!)).toMatchObject({ state: 'READY' });
    await reader.close();
    // Neither disturbed it.
    expect(await ask(line, { toolCallId: 'call-2' })).toMatchObject({ state: 'READY' });
  });

  test('given another number of partitions, it is refused, and the next to come may open it', async () => {
    const folder = tempFolder();
    await stop(lineOf({ folder }));
    expect(() => openLine({ folder, search: scripted(), partitions: 3 })).toThrow(
      expect.objectContaining({ code: 'PL_PARTITIONS_CHANGED' }),
    );
    expect(await ask(lineOf({ folder, partitions: null }))).toMatchObject({ state: 'READY' });
  });

  test('given a line that stops in the middle of its work, the next one ends it', async () => {
    const folder = tempFolder();
    const line = lineOf({ folder });
    const waiting = Array.from({ length: 200 }, (_, i) =>
      ask(line, { runId: `run-${i % 7}`, toolCallId: `call-${i}` }, 500).catch(() => null),
    );
    await waiting[0];
    await stop(line);
    await Promise.all(waiting);
    const next = lineOf({ folder });
    await waitUntil('all are answered', async () => {
      const projected = (await Promise.all([0, 1].map((p) => readAll(next.bus, 'projected.v1', p)))).flat();
      return projected.length === 200;
    });
  });

  test('given a line that is opened and stopped at once, nothing is left running', async () => {
    const folder = tempFolder();
    for (let i = 0; i < 5; i++) await stop(lineOf({ folder }));
    expect(await ask(lineOf({ folder }))).toMatchObject({ state: 'READY' });
  });
});
