import { afterEach, describe, expect, test } from 'vitest';
import { partitionOf } from '../../src/contracts/partition.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { closeLines, only, openTestLine, type TestLine } from '../support/line.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { withSteps } from '../support/line-echo.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

async function answeredLine(options: Parameters<typeof openTestLine>[0] = {}): Promise<TestLine> {
  const line = openTestLine(options);
  await line.ask({});
  await line.idle();
  return line;
}

/** Hands drafts in, one after the other, and answers with what was decided of each. */
async function decisions(line: TestLine, ...drafts: Parameters<TestLine['handIn']>[0][]): Promise<string[]> {
  for (const draft of drafts) {
    await line.handIn(draft);
    await line.idle();
  }
  return (await line.messages('reviewed.v1')).map(({ decision }) => decision);
}

const first = { draftId: 'draft-1', attempt: 1, draftJson: trueDraft() };
const second = { draftId: 'draft-2', attempt: 2, draftJson: trueDraft() };

describe('a verdict', () => {
  test('given a true draft that is not overstated, it is published with its proof', async () => {
    const line = await answeredLine();
    expect(await decisions(line, first)).toEqual(['PUBLISH']);
    const verdict = await only(line, 'verdict.v1');
    const verified = await only(line, 'verified.v1');
    expect(verified).toMatchObject({
      outcome: 'VERIFIED',
      causedBy: verdict.eventId,
      verdictEventId: verdict.eventId,
      draft: verdict.draft,
      lookups: verdict.lookups,
      analyses: verdict.analyses,
      decidedBy: 'RULES',
      fallback: null,
      replaces: null,
    });
    expect(await only(line, 'run-outcome.v1')).toMatchObject({
      outcome: 'VERIFIED',
      outcomeEventId: verified.eventId,
      judged: [{ draftId: 'draft-1', verdictEventId: verdict.eventId }],
    });
  });

  test('given a forged draft and then a true one: a repair is due, then it is published', async () => {
    const line = await answeredLine();
    expect(await decisions(line, { ...first, draftJson: forgedDraft() }, second)).toEqual([
      'REPAIR',
      'PUBLISH',
    ]);
    expect(await only(line, 'verified.v1')).toMatchObject({ draftId: 'draft-2', attempt: 2 });
  });

  test('given a draft that says more than its evidence, it is not published', async () => {
    const line = await answeredLine();
    const draftJson = trueDraft().replaceAll(
      'check the upstream first',
      'restart 4711 databases immediately',
    );
    expect(await decisions(line, { ...first, draftJson })).not.toContain('PUBLISH');
    const [reviewed] = await line.messages('reviewed.v1');
    expect(reviewed!.status).toBe('UNSUPPORTED');
    expect(reviewed!.findings.length).toBeGreaterThan(0);
    expect(await line.messages('verified.v1')).toEqual([]);
  });

  test('given a run that was given up, then a true draft after all, it replaces the fallback', async () => {
    const line = await answeredLine();
    expect(await decisions(line, { ...first, draftJson: null }, second)).toEqual(['FALLBACK', 'PUBLISH']);
    const [fallback, verified] = await line.messages('verified.v1');
    expect(fallback).toMatchObject({
      outcome: 'FALLBACK',
      lookups: [],
      verdictEventId: expect.any(String) as string,
    });
    expect(verified).toMatchObject({ outcome: 'VERIFIED', replaces: fallback!.eventId });
  });

  test('given verdicts again, late and under a used name, the run keeps its one outcome', async () => {
    const line = await answeredLine();
    const late = { draftId: 'draft-0', attempt: 1, draftJson: forgedDraft() };
    const other = { ...first, draftJson: trueDraft([{}], { limitations: ['Nothing else.'] }) };
    expect(await decisions(line, first, first, late, other, second)).toEqual([
      'PUBLISH',
      'STALE',
      'STALE',
      'STALE',
    ]);
    expect(await line.messages('verified.v1')).toHaveLength(1);
    const trail = (await line.audit.trail('run-1')).invocations.filter(({ kind }) => kind === 'REVIEW');
    expect(trail.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['PUBLISH', null],
      ['REPEAT', null],
      ['STALE', null],
      ['STALE', 'PL_REPEAT_CONFLICT'],
      ['STALE', null],
    ]);
  });

  test('given two runs in one batch, each has its own outcome', async () => {
    const line = openTestLine({ partitions: 1 });
    for (const runId of ['run-1', 'run-2']) await line.ask({ runId });
    await line.idle();
    await line.stop('review');
    for (const runId of ['run-1', 'run-2', 'run-1']) await line.handIn({ ...first, runId });
    await line.idle();
    line.start('review');
    await line.idle();
    expect((await line.messages('verified.v1')).map(({ runId }) => runId)).toEqual(['run-1', 'run-2']);
  });
});

describe('a review that starts again', () => {
  test('knows how far each run is', async () => {
    const folder = tempFolder();
    const before = await answeredLine({ folder });
    await decisions(before, { ...first, draftJson: forgedDraft() });
    await before.close();
    const between = openTestLine({ folder });
    expect(await decisions(between, second)).toEqual(['REPAIR', 'PUBLISH']);
    await between.close();
    const line = openTestLine({ folder });
    expect(await decisions(line, { ...second, draftId: 'draft-3', attempt: 3 })).toEqual([
      'REPAIR',
      'PUBLISH',
      'STALE',
    ]);
    expect((await line.messages('run-outcome.v1')).map(({ attempts }) => attempts)).toEqual([1, 2, 2]);
  });

  test('knows it of hundreds of runs, and of each the newest', async () => {
    const folder = tempFolder();
    const before = openTestLine({ folder, partitions: 1 });
    const runs = Array.from({ length: 600 }, (_, i) => `run-${i}`);
    await Promise.all(runs.map((runId) => before.handIn({ ...first, runId, draftJson: null })));
    await before.idle();
    await before.close();
    const line = openTestLine({ folder, partitions: 1 });
    await Promise.all(runs.map((runId) => line.handIn({ ...second, runId, draftJson: null })));
    await line.idle();
    const verified = await line.messages('verified.v1');
    expect(verified).toHaveLength(600);
    expect((await line.messages('reviewed.v1')).filter(({ decision }) => decision === 'STALE')).toHaveLength(
      600,
    );
  });

  test('given a state that it cannot read, it waits and gives no verdict up', async () => {
    const folder = tempFolder();
    const before = await answeredLine({ folder });
    await decisions(before, { ...first, draftJson: forgedDraft() });
    const partition = partitionOf('run-1', 2);
    const [kept] = await before.bus.read('run-outcome.v1', partition, 0, 1);
    const overwrite = (line: TestLine, bytes: Buffer): Promise<unknown> =>
      line.bus.writer.write((db) => db.prepare('UPDATE record SET value = ? WHERE topic = 13').run(bytes));
    await overwrite(before, Buffer.from('of a newer version'));
    await before.close();

    const line = openTestLine({ folder });
    await line.handIn(second);
    await waitUntil('review waits', () => line.health.waiting().some(({ station }) => station === 'review'));
    await waitUntil('it has tried twice', () => line.incidents.length >= 2);
    expect(line.incidents[0]).toMatchObject({ station: 'review', code: 'PL_INVARIANT' });
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    await overwrite(line, kept!.value!);
    await line.idle();
    expect((await line.messages('reviewed.v1')).map(({ decision }) => decision)).toEqual([
      'REPAIR',
      'PUBLISH',
    ]);
  });
});

describe('a disk that is full for a while', () => {
  test.each(['guard', 'review'])(
    'given a step of %s that it refuses, each draft is decided once',
    async (group) => {
      let refusals = 0;
      const line = await answeredLine({
        wrapBus: (bus) =>
          withSteps(bus, (name) => {
            if (name === group && refusals++ < 2) throw new ProoflineError('PL_DISK_FULL');
          }),
      });
      expect(await decisions(line, first)).toEqual(['PUBLISH']);
      expect(refusals).toBeGreaterThan(2);
      expect(await line.messages('verdict.v1')).toHaveLength(1);
      expect(await line.messages('verified.v1')).toHaveLength(1);
    },
  );
});
