import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { partitionOf } from '../../src/contracts/partition.js';
import type { TopicName } from '../../src/contracts/topics.js';
import { topicNumber } from '../../src/bus/embedded/log.js';
import { openLine } from '../../src/line/embedded-line.js';
import { memorySearch } from '../../src/retrieval/memory.js';
import { failed } from '../../src/retrieval/outcomes.js';
import { lookupRequested } from '../../producers/lookups.js';
import { hitOf } from '../support/evidence.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { hits, scripted } from '../support/line-search.js';
import { readCli, readCliJson } from '../support/read-cli.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

const found = [
  hitOf(),
  hitOf({ originalRank: 2 }),
  hitOf({ originalRank: 3, evidenceKey: 'gw#chunk-2', content: 'Second passage [S1].' }),
  hitOf({ originalRank: 4, evidenceKey: 'gw#chunk-3', title: 'Third', content: 'Third passage.' }),
];

const search = () =>
  scripted(({ query }) => {
    if (query === 'nothing') return hits([], { no_evidence_basis: 'no_candidates' });
    if (query === 'broken') return failed('PL_RETRIEVAL_FAILED', { problem: 'it answered 500' });
    return hits(found);
  });

function report(documentId: string): string {
  return JSON.stringify({
    analysis: [
      {
        id: 'a1',
        kind: 'NORMAL',
        text: 'Check the upstream first for the gateway timeout.',
        tool_call_ids: ['call-1'],
        document_ids: [documentId],
      },
    ],
    conclusion: { text: 'Check the upstream first for the gateway timeout.', based_on_analysis_ids: ['a1'] },
    action_plan: [],
    limitations: ['Logs were not looked at.'],
  });
}

/** A run with evidence, without, and with a failure; a forged draft, then a true one. */
async function toldRun(): Promise<TestLine> {
  const line = openTestLine({ search: search() });
  await line.ask({ query: 'gateway timeout' });
  await line.ask({ toolCallId: 'call-2', query: 'nothing' });
  await line.ask({ toolCallId: 'call-3', query: 'broken' });
  await line.idle();
  await line.handIn({ draftJson: report('gw#chunk-9') });
  await line.handIn({ draftId: 'draft-2', attempt: 2, draftJson: report('gw#chunk-1') });
  await line.idle();
  return line;
}

/** As retention does, at once. */
async function forget(line: TestLine, ...topics: readonly TopicName[]): Promise<void> {
  for (const topic of topics)
    await line.bus.writer.write((db) =>
      db.prepare('DELETE FROM record WHERE topic = ?').run(topicNumber(topic)),
    );
}

const ALL_OF_A_RUN: readonly TopicName[] = [
  'lookup-requested.v1',
  'raw-hits.v1',
  'postprocessed.v1',
  'projected.v1',
  'draft-submitted.v1',
  'verdict.v1',
  'reviewed.v1',
  'verified.v1',
];

describe('trail RUN tells a run', () => {
  test('given a running line, when it is asked, then each lookup is told from question to ledger', async () => {
    const line = await toldRun();

    const { out, exit } = await readCli(line.folder, ['trail', 'run-1']);

    expect(exit).toBe(0);
    expect(out).toMatch(/^run run-1 {2}VERIFIED {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z {2}took \d+ ms/);
    expect(out).toMatch(/├─ lookup call-1 {2}READY {2}\+\d+ ms, took \d+ ms \(retrieve \d+ ms, postprocess/);
    expect(out).toContain('question   "gateway timeout"  hybrid, top 10');
    expect(out).toMatch(/retrieved {2}4 hits\n│ {4}1 {3}0\.9 {5}kept as 1 +gw#chunk-1 +Gateway\n/);
    expect(out).toMatch(/2 {3}0\.9 {5}dropped DUPLICATE +gw#chunk-1/);
    expect(out).toMatch(/4 {3}0\.9 {5}dropped DOC_CAP +gw#chunk-3 +Third/);
    expect(out).toContain('shown      EVIDENCE_FOUND, PRECISE, 2 items, gain NEW');
    expect(out).toContain('"Second passage [S1]."');
    expect(out).toContain('MARKER_IN_EVIDENCE gw#chunk-2');
    expect(out).toMatch(/ledger {5}READY, signature valid \(key [0-9a-f]{16}\), expires/);
    expect(out).toContain('shown      NO_EVIDENCE, 0 items, gain NONE, no_candidates');
    expect(out).toMatch(/lookup call-3 {2}FAILED/);
    expect(out).toContain('failure    PL_RETRIEVAL_FAILED:');
  });

  test('given a forged and a true draft, then the violation has its place and words, and the outcome its event', async () => {
    const line = await toldRun();
    const [verified] = await line.messages('verified.v1');

    const { out } = await readCli(line.folder, ['trail', 'run-1']);

    expect(out).toMatch(/draft draft-1 {2}REJECTED {2}attempt 1, \+\d+ ms, guard \d+ ms/);
    expect(out).toContain('cites call-1: gw#chunk-9');
    expect(out).toContain('DOCUMENT_NOT_SHOWN /analysis/0/document_ids/0\n');
    expect(out).toContain('decision REPAIR');
    expect(out).toMatch(/draft draft-2 {2}PASSED/);
    expect(out).toContain('review     SUPPORTED, decision PUBLISH, RULES');
    expect(out).toContain(
      `└─ outcome  VERIFIED  draft draft-2, event ${verified!.eventId}, decided by RULES`,
    );
  });

  test('given the same line stopped, when it is asked again, then it tells the same', async () => {
    const line = await toldRun();
    const beside = await readCli(line.folder, ['trail', 'run-1']);

    await line.close();

    expect((await readCli(line.folder, ['trail', 'run-1'])).out).toBe(beside.out);
  });

  test('given a line of all stations with its own retriever, then it is told as well', async () => {
    const folder = tempFolder();
    const line = openLine({ folder, search: memorySearch([hitOf()]), partitions: 3 });
    await line.lookup(lookupRequested({ runId: 'r', toolCallId: 'c', query: 'q' }, Date.now()), 5000);

    const { out } = await readCli(folder, ['trail', 'r']);
    await line.stop();

    expect(out).toContain('lookup c  READY');
    expect(out).toContain('└─ outcome  OPEN');
    expect((await readCli(folder, ['trail', 'r'])).out).toContain('signature valid');
  });

  test('given a call asked again, and another question under its id, then both are shown below it', async () => {
    const line = openTestLine({ search: search() });
    await line.ask({ query: 'gateway timeout' });
    await line.idle();
    await line.ask({ query: 'gateway timeout' });
    await line.ask({ query: 'something else' });
    await line.idle();

    const { out } = await readCli(line.folder, ['trail', 'run-1']);

    expect(out.match(/lookup call-1/g)).toHaveLength(1);
    expect(out).toMatch(/again {6}REPEAT, \+[\d.]+ m?s, answered with the same bytes/);
    expect(out).toMatch(/again {6}REFUSED, PL_REPEAT_CONFLICT, \+[\d.]+ m?s, refused/);
    expect(out).toContain('question   "gateway timeout"');
  });

  test('given a lookup and a draft that were given up, then both are LOST, and their dead letters are shown', async () => {
    const line = openTestLine({ search: search() });
    const request = lookupRequested({ runId: 'run-1', toolCallId: 'call-1', query: 'q' }, Date.now());
    const right = partitionOf('run-1', 2);
    const record = line.record('lookup-requested.v1', { ...request, query: 'another one' });
    await line.bus.append([record, { ...record, partition: 1 - right }]);
    await line.handIn({ draftJson: report('gw#chunk-1') });
    const [draft] = await line.read('draft-submitted.v1');
    const forged = { ...draft!.value!, eventId: 'f'.repeat(32), draftId: 'draft-x' };
    await line.bus.append([line.record('draft-submitted.v1', forged)]);
    await line.idle();

    const { out } = await readCli(line.folder, ['trail', 'run-1']);
    const { dead_letters: listed } = await readCliJson<{ dead_letters: { event_id: string }[] }>(
      line.folder,
      ...['dlq', 'list', '--run', 'run-1'],
    );

    expect(out).toContain('lookup call-1  LOST');
    expect(out).toContain('draft draft-x  LOST');
    expect(out).toContain('why        PL_EVENT_ID: event_id is');
    expect(out).toContain('why        PL_PARTITION_WRONG:');
    expect(listed.length).toBe(3);
    for (const { event_id: id } of listed) expect(out).toContain(`look       proofline dlq show ${id}`);
  });

  test('given --texts, then questions, excerpts and drafts are whole', async () => {
    const line = openTestLine({
      search: scripted(() => hits([hitOf({ content: 'First line.\nLast line.' })])),
    });
    await line.ask({ query: `${'long '.repeat(40)}end` });
    await line.idle();

    const short = await readCli(line.folder, ['trail', 'run-1']);
    const whole = await readCli(line.folder, ['trail', 'run-1', '--texts']);

    expect(short.out).toContain('"First line. Last line."');
    expect(short.out).not.toContain('long end');
    expect(whole.out).toMatch(/│ +\| First line\.\n│ +\| Last line\./);
    expect(whole.out).toContain('long end');
  });
});

describe('what is gone is said to be gone', () => {
  test('given topics that retention emptied, then the audit and the ledger tell the run still', async () => {
    const line = await toldRun();
    await forget(line, ...ALL_OF_A_RUN);

    const { out } = await readCli(line.folder, ['trail', 'run-1']);

    expect(out).toMatch(/^run run-1 {2}VERIFIED/);
    expect(out).toContain('question   "gateway timeout"  hybrid, top 10');
    expect(out).toMatch(/4 {3}0\.9 {5}dropped DOC_CAP +gw#chunk-3/);
    expect(out).toContain('shown      EVIDENCE_FOUND, PRECISE, 2 items, gain NEW; gone from its topic');
    expect(out).toContain('"Second passage [S1]."');
    expect(out).toContain('text       gone from its topic, this is from the audit');
    expect(out).toContain('DOCUMENT_NOT_SHOWN /analysis/0/document_ids/0');
    expect(out).toContain('review     SUPPORTED, decision PUBLISH');
    expect(out).toMatch(/Gone, or not kept that long: lookup-requested\.v1 \(3\), raw-hits\.v1 \(3\), post/);
  });

  test('given that the ledger and the answers went too, then the notes of the stations are what remains', async () => {
    const line = await toldRun();
    await forget(line, ...ALL_OF_A_RUN, 'ledger.v1');
    await line.audit.deleteBefore(0);
    const { default: Database } = await import('better-sqlite3');
    await line.close();
    const audit = new Database(join(line.folder, 'audit.db'));
    audit.exec('DELETE FROM answer');
    audit.close();

    const { out } = await readCli(line.folder, ['trail', 'run-1']);

    expect(out).toContain('lookup call-1  READY');
    expect(out).toMatch(/dropped DUPLICATE +gw#chunk-1/);
    expect(out).toContain('shown      EVIDENCE_FOUND, PRECISE, 2 items, gain NEW; the text is gone');
    expect(out).toContain('MARKER_IN_EVIDENCE gw#chunk-2');
    expect(out).toContain('text       gone\n');
    expect(out).toContain('DOCUMENT_NOT_SHOWN (its place is gone)');
    expect(out).toContain('decision REPAIR');
    expect(out).not.toContain('ledger     ');
  });

  test('given nothing gone, then nothing is said to be', async () => {
    const line = await toldRun();

    expect((await readCli(line.folder, ['trail', 'run-1'])).out).not.toMatch(/gone/i);
  });
});

describe('trail RUN --json', () => {
  test('given a run, then its structure has snake_case names and RFC 3339 instants', async () => {
    const line = await toldRun();

    const trail = await readCliJson<Record<string, never>>(line.folder, 'trail', 'run-1');

    expect(trail).toMatchObject({
      run_id: 'run-1',
      outcome: { kind: 'VERIFIED', draft_id: 'draft-2', replaces: null },
      lookups: [
        {
          tool_call_id: 'call-1',
          state: 'READY',
          retrieved: [
            { evidence_key: 'gw#chunk-1', fate: 'KEPT', final_rank: 1, quality_score: 0.9 },
            { fate: 'DROPPED', reason: 'DUPLICATE' },
            { fate: 'KEPT', final_rank: 2 },
            { fate: 'DROPPED', reason: 'DOC_CAP' },
          ],
          shown: {
            evidence_status: 'EVIDENCE_FOUND',
            text_from: 'TOPIC',
            marker_in_evidence: ['gw#chunk-2'],
          },
          ledger: { state: 'READY', signature: 'VALID', problems: [] },
        },
        { tool_call_id: 'call-2', shown: { no_evidence_basis: 'no_candidates' } },
        {
          tool_call_id: 'call-3',
          state: 'FAILED',
          failure: { code: 'PL_RETRIEVAL_FAILED', retryable: true },
        },
      ],
      drafts: [
        {
          draft_id: 'draft-1',
          draft: { analysis: [{ tool_call_ids: ['call-1'] }] },
          verdict: {
            status: 'REJECTED',
            violations: [{ code: 'DOCUMENT_NOT_SHOWN', path: '/analysis/0/document_ids/0' }],
          },
        },
        { draft_id: 'draft-2', reviews: [{ decision: 'PUBLISH' }], outcome: { outcome: 'VERIFIED' } },
      ],
      gone: [],
      dead_letters: [],
    });
    expect(trail['started_at']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});

describe('trail RUN --snapshot', () => {
  interface Snapshot {
    format: number;
    run_id: string;
    requests: { offset: number; timestamp: string; value: { query: string } }[];
    lookup_results: {
      value: { lookup_result: { context_pack: { packed_text: string }; rerank_trace: object[] } };
    }[];
    views: { value: { agent_view: string; agent_view_sha256: string } }[];
    ledger: { signature: string; problems: string[]; value: { agent_view: string } }[];
    drafts: { value: { draft_json: string } }[];
    verdicts: { value: { status: string } }[];
    reviewed: object[];
    verified: { value: { outcome: string } }[];
    audit: { invocations: { kind: string }[] };
  }

  const snapshotIn = (folder: string): string => readFileSync(join(folder, 'run.json'), 'utf8');

  test('given a run, then the file has everything, and no more than the file is left', async () => {
    const line = await toldRun();
    const place = tempFolder();

    const { out, exit } = await readCli(line.folder, [
      'trail',
      'run-1',
      '--snapshot',
      join(place, 'run.json'),
    ]);

    expect(exit).toBe(0);
    expect(out).toContain('format 1');
    expect(readdirSync(place)).toEqual(['run.json']);
    expect(statSync(join(place, 'run.json')).mode & 0o777).toBe(0o600);
    const snapshot = JSON.parse(snapshotIn(place)) as Snapshot;
    expect(snapshot.format).toBe(1);
    expect(snapshot.requests.map(({ value }) => value.query)).toEqual([
      'gateway timeout',
      'nothing',
      'broken',
    ]);
    const [result] = snapshot.lookup_results;
    expect(result!.value.lookup_result.context_pack.packed_text).toContain('[Evidence 1]');
    expect(result!.value.lookup_result.rerank_trace).toHaveLength(2);
    const [view] = snapshot.views;
    expect(sha256(view!.value.agent_view)).toBe(view!.value.agent_view_sha256);
    expect(snapshot.ledger[0]).toMatchObject({ signature: 'VALID', problems: [] });
    expect(snapshot.ledger[0]!.value.agent_view).toBe(view!.value.agent_view);
    expect(snapshot.drafts.map(({ value }) => value.draft_json)).toEqual([
      report('gw#chunk-9'),
      report('gw#chunk-1'),
    ]);
    expect(snapshot.verdicts.map(({ value }) => value.status)).toEqual(['REJECTED', 'PASSED']);
    expect(snapshot.verified.map(({ value }) => value.outcome)).toEqual(['VERIFIED']);
    expect(new Set(snapshot.audit.invocations.map(({ kind }) => kind))).toEqual(
      new Set(['RETRIEVE', 'POSTPROCESS', 'PROJECT', 'GUARD', 'REVIEW']),
    );
  });

  test('given a run that has ended, then two snapshots, beside the line and after it, are the same bytes', async () => {
    const line = await toldRun();
    const [first, second] = [tempFolder(), tempFolder()];
    await readCli(line.folder, ['trail', 'run-1', '--snapshot', join(first, 'run.json')]);
    await line.close();
    await readCli(line.folder, ['trail', 'run-1', '--snapshot', join(second, 'run.json')]);

    expect(snapshotIn(second)).toBe(snapshotIn(first));
  });

  test('given a place that cannot be written to, then it is your input, and nothing is there', async () => {
    const line = await toldRun();
    const nowhere = join(line.folder, 'missing', 'run.json');

    const { code, exit } = await readCli(line.folder, ['trail', 'run-1', '--snapshot', nowhere]);

    expect({ code, exit }).toEqual({ code: 'PL_INPUT_INVALID', exit: 2 });
    expect(existsSync(nowhere)).toBe(false);
  });
});

describe('what is not there', () => {
  test('given a run that nobody knows, then it is not found', async () => {
    const line = openTestLine();

    expect(await readCli(line.folder, ['trail', 'run-9'])).toMatchObject({
      code: 'PL_NOT_FOUND',
      exit: 2,
      out: '',
    });
  });

  test('given a run whose id begins as another does, then the other is not shown', async () => {
    const line = openTestLine({ search: search(), partitions: 1 });
    await line.ask({ runId: 'run-10', query: 'gateway timeout' });
    await line.idle();

    expect(await readCli(line.folder, ['trail', 'run-1'])).toMatchObject({ code: 'PL_NOT_FOUND' });
  });

  test.each([['trail'], ['tail', 'verdict.v1'], ['topics'], ['dlq'], ['ledger', 'verify'], ['trail', 'r']])(
    'given no data folder, when %s %s is asked, then it is the environment, and no folder is made',
    async (...argv) => {
      const folder = join(tempFolder(), 'nowhere');

      const { code, exit, err } = await readCli(folder, argv);

      expect({ code, exit }).toEqual({ code: 'PL_DATA_FOLDER_UNUSABLE', exit: 3 });
      expect(err).toContain('proofline dev');
      expect(existsSync(folder)).toBe(false);
    },
  );
});

describe('trail lists runs', () => {
  test('given runs, then the latest come first, and --limit bounds them', async () => {
    let now = 1_800_000_000_000;
    const line = openTestLine({ search: search(), now: () => (now += 1000) });
    for (const runId of ['first', 'second', 'third']) {
      await line.ask({ runId, query: 'gateway timeout' });
      await line.idle();
    }

    const { out } = await readCli(line.folder, ['trail']);
    const { runs } = await readCliJson<{ runs: { run_id: string }[] }>(line.folder, 'trail', '--limit', '2');

    expect(
      out
        .split('\n')
        .slice(1, 4)
        .map((row) => row.split(' ')[0]),
    ).toEqual(['third', 'second', 'first']);
    expect(runs.map((run) => run.run_id)).toEqual(['third', 'second']);
    expect(await readCli(line.folder, ['trail', '--limit', '0'])).toMatchObject({ code: 'PL_INPUT_INVALID' });
  });

  test('given no run yet, then it says how to begin', async () => {
    const line = openTestLine();

    expect((await readCli(line.folder, ['trail'])).out).toContain('No run yet');
  });
});

describe('a terminal is safe', () => {
  const HOSTILE = '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202egnorw\r\nfaked line\u0000';

  test('given escapes in every text from outside, then none reaches the terminal', async () => {
    const hit = hitOf({
      documentId: `doc${HOSTILE}`,
      evidenceKey: `doc${HOSTILE}#chunk-1`,
      title: HOSTILE,
      content: `Text ${HOSTILE}`,
    });
    const line = openTestLine({ search: scripted(() => hits([hit])) });
    await line.ask({ query: `question ${HOSTILE}` });
    await line.idle();
    const draft = JSON.parse(report(`doc${HOSTILE}#chunk-1`)) as {
      limitations: string[];
      analysis: { id: string }[];
    };
    draft.limitations.push(HOSTILE);
    draft.analysis.push({ ...draft.analysis[0]!, id: `a${HOSTILE}` });
    await line.handIn({ draftJson: JSON.stringify(draft) });
    await line.handIn({ draftId: 'draft-2', attempt: 2, draftJson: `{"${HOSTILE}": 1}` });
    await line.idle();

    for (const argv of [
      ['trail', 'run-1'],
      ['trail', 'run-1', '--texts'],
      ['tail', 'projected.v1'],
      ['tail', 'draft-submitted.v1'],
      ['ledger', 'get', 'run-1', 'call-1'],
    ]) {
      const { out } = await readCli(line.folder, argv);
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(out).not.toMatch(/^[│├└ ]*faked line/m);
    }
    const { out } = await readCli(line.folder, ['ledger', 'get', 'run-1', 'call-1', '--view'], {
      interactive: true,
    });
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  test('given a person who watches, then the only escapes are colours, and NO_COLOR takes them away', async () => {
    const line = await toldRun();
    const plain = await readCli(line.folder, ['trail', 'run-1']);
    const coloured = await readCli(line.folder, ['trail', 'run-1'], { interactive: true });
    const without = await readCli(line.folder, ['trail', 'run-1'], {
      interactive: true,
      env: { NO_COLOR: '1' },
    });

    expect(coloured.out).toContain('\u001b[32mVERIFIED\u001b[39m');
    expect(coloured.out.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain.out);
    expect(without.out).toBe(plain.out);
  });
});
