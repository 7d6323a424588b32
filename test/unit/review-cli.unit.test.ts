import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { withSample } from '../../src/cli/sample-option.js';
import { openLocalLine } from '../../src/line/local-line.js';
import { connectSocket } from '../../src/line/socket-client.js';
import { serveLine } from '../../src/line/socket-server.js';
import { cli, type CliRun } from '../support/cli-run.js';
import { refusal } from '../support/refusal.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  removeTempFolders();
});

/** Everything that would be published is held for a person first. */
const HELD = {
  PROOFLINE_PARTITIONS: '2',
  PROOFLINE_REVIEW_SAMPLE: '1',
  PROOFLINE_ANSWER_TIMEOUT_MS: '20000',
};

interface Folder {
  readonly data: string;
  run(argv: readonly string[], env?: Record<string, string>): Promise<CliRun>;
  json<T>(...argv: readonly string[]): Promise<T>;
  submit(draft: object, ...argv: readonly string[]): Promise<CliRun>;
}

const TITLE = 'Disks\u001b[2J';

async function folderWith(...runs: readonly string[]): Promise<Folder> {
  const docs = tempFolder();
  writeFileSync(
    join(docs, 'disk.md'),
    `# ${TITLE}\n\nA full disk stops the broker: free the oldest segments first.\n`,
  );
  const data = join(tempFolder(), 'data');
  const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<CliRun> =>
    cli(['--data', data, ...argv], { env: { ...HELD, ...env } });
  await run(['index', docs]);
  for (const each of runs)
    await run(['lookup', 'a full disk stops the broker', '--run', each, '--call', 'call-1']);
  return {
    data,
    run,
    json: async <T>(...argv: readonly string[]) => JSON.parse((await run(['--json', ...argv])).out) as T,
    async submit(draft, ...argv) {
      const file = join(docs, 'draft.json');
      writeFileSync(file, JSON.stringify(draft));
      return run(['submit', file, ...argv]);
    },
  };
}

const TEXT = 'A full disk stops the broker; free the oldest segments first.';

async function report(folder: Folder, run = 'r1'): Promise<object> {
  const { out } = await folder.run(['ledger', 'get', run, 'call-1', '--view']);
  const view = JSON.parse(out) as { evidence: { document_id: string }[] };
  const document_ids = view.evidence.map(({ document_id }) => document_id);
  return {
    analysis: [{ id: 'a1', kind: 'NORMAL', text: TEXT, tool_call_ids: ['call-1'], document_ids }],
    conclusion: { text: TEXT, based_on_analysis_ids: ['a1'] },
    action_plan: [],
    limitations: ['Metrics were not read.'],
  };
}

interface HeldList {
  readonly held: { readonly run_id: string; readonly draft_id: string; readonly because: string }[];
}

const BY = ['--by', 'alice', '--reason', 'I looked\u001b[31m at it.'];

describe('proofline review', () => {
  test('given a held draft: it is listed, explains itself, and is published once it is approved', async () => {
    const folder = await folderWith('r1');
    const handedIn = await folder.submit(await report(folder), '--run', 'r1', '--draft-id', 'd1');
    expect(handedIn).toMatchObject({ code: 1, out: expect.stringContaining('PL_SAMPLED') as string });

    expect(await folder.json<HeldList>('review', 'list')).toMatchObject({
      held: [{ run_id: 'r1', draft_id: 'd1', attempt: 1, because: 'PL_SAMPLED', outcome: null }],
      unreadable: 0,
    });
    expect((await folder.run(['review'])).out).toMatch(/r1 +d1 +1 +PL_SAMPLED +no outcome/);

    const { out, code } = await folder.run(['review', 'show', 'r1', 'd1']);
    expect(code).toBe(0);
    expect(out).toContain(TEXT);
    expect(out).toContain('free the oldest segments first.');
    expect(out).toContain('publishes it as it is, with your name and reason');
    expect(out).toContain('attempts left: 2');
    expect(out).toContain('review approve r1 d1 --by NAME --reason TEXT');
    expect(out).not.toContain('\u001b');

    const approved = await folder.run(['review', 'approve', 'd1', ...BY]);
    expect(approved.code).toBe(0);
    expect(approved.out).toContain('PUBLISH: it is published');
    expect(approved.out).toContain('alice: I looked\\e[31m at it.');
    expect((await folder.run(['review'])).out).toBe('No draft waits for a person.\n');
    const trail = (await folder.run(['trail', 'r1'])).out;
    expect(trail).toMatch(/decision HOLD, RULES, PL_SAMPLED/);
    expect(trail).toMatch(/decision PUBLISH, alice: I looked\\e\[31m at it\./);
    expect(trail).toMatch(/VERIFIED +draft d1, .*decided by PERSON/);

    const again = await folder.run(['review', 'reject', 'r1', 'd1', ...BY]);
    expect(again.code).toBe(1);
    expect(again.err).toContain('it is not held');
  });

  test('given that it is rejected, the prompt for the model is printed, and the run goes on', async () => {
    const folder = await folderWith('r1');
    await folder.submit(await report(folder), '--run', 'r1', '--draft-id', 'd1');
    const rejected = await folder.run(['review', 'reject', 'r1', 'd1', ...BY]);
    expect(rejected.code).toBe(0);
    expect(rejected.out).toContain('REPAIR: it is not published; a better draft is asked for');
    expect(rejected.out).toContain('2 attempts left');
    expect(rejected.out).toContain('PERSON_REJECTED the whole report');
    const second = ['--run', 'r1', '--draft-id', 'd2', '--attempt', '2'];
    const published = await folder.run(['review', 'list'], {});
    expect(published.out).toContain('No draft waits');
    await folder.submit(await report(folder), ...second);
    const answer = await folder.json<{ reviewed: object; counted: boolean }>(
      'review',
      'approve',
      'd2',
      ...BY,
    );
    expect(answer).toMatchObject({
      counted: true,
      reviewed: { decision: 'PUBLISH', decided_by: 'PERSON', person: { by: 'alice' } },
      verified: { outcome: 'VERIFIED', draft_id: 'd2' },
      repair: null,
    });
    const trail = (await folder.run(['trail', 'r1'])).out;
    expect(trail).toMatch(/repair +asked for, 1 finding, 2 attempts left/);
  });

  test('given a name that two runs have, it must be said of which; one that none has is not held', async () => {
    const folder = await folderWith('r1', 'r2');
    for (const run of ['r1', 'r2'])
      await folder.submit(await report(folder, run), '--run', run, '--draft-id', 'd1');
    const ambiguous = await folder.run(['review', 'approve', 'd1', ...BY]);
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.err).toContain('r1, r2');
    expect((await folder.run(['review', 'show', 'd9'])).err).toContain('PL_REVIEW_REFUSED');
    expect((await folder.run(['review', 'approve', 'r1', 'd1', '--by', ' ', '--reason', 'x'])).code).toBe(2);
    expect((await folder.run(['review', 'approve', 'r1', 'd1', 'x', ...BY])).code).toBe(2);
    expect((await folder.run(['review', 'approve', 'r1', 'd1', '--by', 'alice'])).code).toBe(2);
    expect((await folder.json<HeldList>('review')).held.map(({ run_id }) => run_id)).toEqual(['r1', 'r2']);
  });

  test('given a line that runs, it decides over its socket, and refuses what is not held', async () => {
    const folder = await folderWith('r1');
    await folder.submit(await report(folder), '--run', 'r1', '--draft-id', 'd1');
    const { config } = readConfig(HELD, { data: folder.data });
    const line = await openLocalLine({ config });
    open.push(line);
    open.push(await serveLine(line, folder.data));
    const client = (await connectSocket(folder.data))!;
    const about = { runId: 'r1', draftId: 'd1', by: 'alice', reason: 'I looked at it.' };
    await expect(client.decide({ ...about, draftId: 'd2', decision: 'APPROVE' })).rejects.toThrow(
      refusal('PL_REVIEW_REFUSED', 'it is not held'),
    );
    await expect(client.decide({ ...about, by: '', decision: 'REJECT' })).rejects.toThrow(
      refusal('PL_INPUT_INVALID'),
    );
    const rejected = await folder.run(['review', 'reject', 'r1', 'd1', ...BY]);
    expect(rejected.code).toBe(0);
    await expect(client.decide({ ...about, decision: 'APPROVE' })).rejects.toThrow(
      refusal('PL_REVIEW_REFUSED'),
    );
    expect((await folder.run(['review'])).out).toBe('No draft waits for a person.\n');
  });
});

describe('--sample', () => {
  test.each(['0', '0.05', '1', '.5'])('given %s, it wins over the environment', (rate) => {
    const { config } = readConfig(HELD, { data: 'data' });
    expect(withSample(config, rate).review).toEqual({ ...config.review, sample: Number(rate) });
    expect(withSample(config, undefined).review.sample).toBe(1);
  });

  test.each(['dev', 'up'])('given no share, %s does not begin', async (command) => {
    for (const rate of ['2', '-1', 'often', ''])
      expect(await cli([command, '--sample', rate], { env: {} })).toMatchObject({
        code: 2,
        err: expect.stringContaining('--sample') as string,
      });
  });
});

describe('proofline submit', () => {
  test('given a forged report, the repair prompt is printed in the language that is asked for', async () => {
    const folder = await folderWith('r1');
    const forged = { ...(await report(folder)), limitations: [] };
    const english = await folder.submit(forged, '--run', 'r1', '--draft-id', 'd1');
    expect(english.code).toBe(1);
    expect(english.out).toContain('2 attempts left; the prompt for the model:');
    expect(english.out).toContain('| 1. LIMITATIONS_MISSING');
    expect(english.out).toContain('The report names no limitation.');
    // Handed in again it is answered the same, and costs nothing.
    const chinese = await folder.submit(forged, '--run', 'r1', '--draft-id', 'd1', '--lang', 'zh');
    expect(chinese.out).toContain('报告没有写任何局限。');
    expect(chinese.out).toContain('2 attempts left');
    expect((await folder.submit(forged, '--run', 'r1', '--lang', 'fr')).code).toBe(2);
  });
});
