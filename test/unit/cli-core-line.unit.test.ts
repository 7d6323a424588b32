import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli as run, type CliOptions, type CliRun } from '../support/cli-run.js';
import { docsFolder } from '../support/docs-folder.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

let data = '';
let docs = '';
const env = { PROOFLINE_PARTITIONS: '2', PROOFLINE_ANSWER_TIMEOUT_MS: '15000' };

beforeEach(() => {
  data = join(tempFolder(), 'data');
  docs = docsFolder(tempFolder());
});

afterEach(removeTempFolders);

function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  return run(['--data', data, ...argv], { env, ...options });
}

async function json(argv: readonly string[]): Promise<Record<string, unknown>> {
  const { out, err } = await cli([...argv, '--json']);
  expect(err).toBe('');
  return JSON.parse(out) as Record<string, unknown>;
}

/** A report that cites the calls and documents; without any it says that nothing was found. */
function reportFile(documentIds: readonly string[] = [], toolCallIds: readonly string[] = ['c1']): string {
  const file = join(tempFolder(), 'report.json');
  const analysis = {
    id: 'a1',
    kind: 'NORMAL',
    text: 'The upstream was slow: check its pool.',
    tool_call_ids: toolCallIds,
    document_ids: documentIds,
  };
  const report = {
    analysis: documentIds.length === 0 ? [] : [analysis],
    conclusion: null,
    action_plan: [],
    limitations: ['metrics were not read'],
  };
  writeFileSync(file, JSON.stringify(report));
  return file;
}

interface View {
  readonly evidence: readonly { readonly document_id: string }[];
}

/** Asks under r1/c1, and answers with the documents that were shown. */
async function shownDocuments(): Promise<string[]> {
  const { agent_view: view } = await json([
    'lookup',
    'gateway timeout upstream',
    '--run',
    'r1',
    '--call',
    'c1',
  ]);
  return (JSON.parse(String(view)) as View).evidence.map((item) => item.document_id);
}

describe('index', () => {
  it('tells a person what was indexed, what was left out, and what to do next', async () => {
    const { code, out, err } = await cli(['index', docs]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^indexed {3}\S+docs: 2 documents, 2 passages {2}\(2 new or changed, 0 as before, 0 gone; /,
    );
    expect(out).toContain('left out  1 of a kind that is not read');
    expect(out).toContain('logo.png');
    expect(out).toContain(`next      proofline --data ${data} lookup "…"`);
  });

  it('with --json answers with one value', async () => {
    await cli(['index', docs]);
    expect(await json(['index', docs])).toMatchObject({
      documents: 2,
      unchanged: 2,
      indexed: 0,
      left_out: { counts: { extension: 1 }, examples: { extension: ['logo.png'] } },
    });
  });

  it('shows who watches how far it is, and takes it away again', async () => {
    const { err } = await cli(['index', docs], { interactive: true });
    expect(err).toContain('0 of 2 files');
    expect(err.endsWith('\r\u001b[2K')).toBe(true);
  });

  it('of a folder without documents is exit code 1', async () => {
    const empty = tempFolder();
    expect(await cli(['index', empty])).toMatchObject({ code: 1, err: '' });
  });

  it.each([
    ['a folder that is not there', () => join(docs, 'nowhere'), /does not exist/],
    ['a file', () => join(docs, 'disk.md'), /is no folder/],
  ])('of %s is refused before a data folder is made', async (_what, dir, message) => {
    const { code, err } = await cli(['index', dir()]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(existsSync(data)).toBe(false);
  });
});

describe('lookup', () => {
  beforeEach(async () => {
    await cli(['index', docs]);
  });

  it('given limits, hands them in with the lookup and with the report', async () => {
    const limits = ['--max-lookups', '5', '--max-attempts', '2', '--deadline', '2099-01-01T00:00:00Z'];
    await cli(['lookup', 'gateway timeout upstream', '--run', 'r1', '--call', 'c1', ...limits]);
    await cli(['submit', reportFile(), '--run', 'r1', ...limits]);
    for (const topic of ['lookup-requested.v1', 'draft-submitted.v1']) {
      const { out } = await cli(['tail', topic, '--json']);
      expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({
        value: {
          limits: { deadline: '2099-01-01T00:00:00.000Z', max_lookups: 5, max_tokens: null, max_attempts: 2 },
        },
      });
    }
  });

  it('tells a person what was found, under which ids, and what to do next', async () => {
    const { code, out } = await cli([
      'lookup',
      'gateway',
      'timeout',
      'upstream',
      '--run',
      'r1',
      '--call',
      'c1',
    ]);
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines[0]).toBe('EVIDENCE_FOUND  PRECISE  1 item');
    expect(out).toMatch(/\n {1}1 {2}gateway-md-\w+#chunk-0\n {4}Gateway timeout .*gateway\.md\n/);
    expect(out).toContain('    A gateway timeout means that the upstream was slow: check its pool.');
    expect(out).toMatch(/\nrun {7}r1\ncall {6}c1\nexpires {3}\d{4}-/);
    expect(out).toContain('submit DRAFT.json --run r1');
    expect(out).toContain('trail r1');
  });

  it('makes up ids that can be used, and others each time', async () => {
    const first = await json(['lookup', 'gateway']);
    const second = await json(['lookup', 'gateway']);
    expect(first['run_id']).toMatch(/^run-[a-z]+-[a-z]+-[0-9a-f]{6}$/);
    expect(second['run_id']).not.toBe(first['run_id']);
  });

  it('with --view prints exactly the bytes of the view', async () => {
    const argv = ['lookup', 'gateway timeout upstream', '--run', 'r1', '--call', 'c1'];
    const { agent_view: view } = await json(argv);
    expect(await cli([...argv, '--view'])).toEqual({ code: 0, out: view, err: '' });
  });

  it('without evidence is an honest answer, not an error', async () => {
    const { code, out } = await cli(['lookup', 'zebra']);
    expect(code).toBe(0);
    expect(out).toMatch(/^NO_EVIDENCE {2}0 items\n\nNo usable evidence .* \(no_candidates\)\n知识库/);
  });

  it('tells of the same question again, and refuses another one under its ids', async () => {
    await shownDocuments();
    const argv = ['lookup', 'gateway timeout upstream', '--run', 'r1', '--call', 'c1'];
    expect((await cli(argv)).out).toContain('asked before, the same answer again');
    const other = await cli(['lookup', 'disk', '--run', 'r1', '--call', 'c1']);
    expect(other.code).toBe(1);
    expect(other.out).toMatch(/^REFUSED {2}PL_REPEAT_CONFLICT\n.*first one stands\n {2}→ Use a new id/);
  });

  it('passes filters on, and fails for one that is not known', async () => {
    const { agent_view: view } = await json(['lookup', 'first steps', '--filter', 'path=disk.md']);
    expect((JSON.parse(String(view)) as View).evidence.map((item) => item.document_id)).toHaveLength(1);
    const both = await json([
      'lookup',
      'first steps',
      '--filter',
      'path=disk.md',
      '--filter',
      'path=gateway.md',
    ]);
    expect((JSON.parse(String(both['agent_view'])) as View).evidence).toHaveLength(2);
    const failed = await cli(['lookup', 'steps', '--filter', 'year=2020', '--view']);
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toContain('PL_RETRIEVAL_REFUSED');
  });

  it.each([
    [['--top-k', '0'], /--top-k is "0"/],
    [['--mode', 'magic'], /--mode is "magic"/],
    [['--filter', 'path'], /--filter is "path"/],
    [['--run', 'a b'], /run_id is not a valid id/],
    [['--call', '-x'.repeat(100)], /tool_call_id is not a valid id|argument missing/],
  ])('refuses %j', async (argv, message) => {
    const { code, err } = await cli(['lookup', 'x', ...argv]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('names what was dropped', async () => {
    const long = join(docs, 'long.md');
    const sections = [1, 2, 3, 4].map(
      (n) => `## Part ${n}\n\n${`The walrus sleeps in part ${n}. `.repeat(40)}\n`,
    );
    writeFileSync(long, `# Walrus\n\n${sections.join('\n')}`);
    await cli(['index', docs]);
    const { out } = await cli(['lookup', 'walrus sleeps']);
    expect(out).toContain('2 items');
    expect(out).toMatch(/\ndropped {3}long-md-\w+#chunk-\d DOC_CAP, long-md-/);
  });
});

describe('what a run was shown', () => {
  it('is printed by the ledger, and a report is checked against it with its keys', async () => {
    await cli(['index', docs]);
    const report = reportFile(await shownDocuments());
    const evidence = join(tempFolder(), 'bundle.json');
    writeFileSync(evidence, (await cli(['ledger', 'get', 'r1', '--json'])).out);
    const argv = ['check', '--evidence', evidence, '--draft', report, '--keys', join(data, 'keys')];
    const { code, out } = await cli(argv);
    expect(out).toContain('every entry that was read is signed and unchanged');
    expect(code).toBe(0);
  });
});

describe('submit', () => {
  beforeEach(async () => {
    await cli(['index', docs]);
  });

  it('of a true report: passed and published, exit code 0', async () => {
    const file = reportFile(await shownDocuments());
    const { code, out } = await cli(['submit', file, '--run', 'r1', '--draft-id', 'd1']);
    expect(out).toMatch(
      /^draft {5}d1, attempt 1, run r1\nguard {5}PASSED\nreview {4}ABSTAINED\ndecision {2}PUBLISH/,
    );
    expect(code).toBe(0);
  });

  it('of a forged one: every violation with its place, exit code 1', async () => {
    const [shown = ''] = await shownDocuments();
    const file = reportFile([shown.toUpperCase(), 'made-up#chunk-1'], ['c1', 'c9']);
    const { code, out } = await cli(['submit', file, '--run', 'r1']);
    expect(code).toBe(1);
    expect(out).toContain('guard     REJECTED, 1 violation\n');
    expect(out).toContain('  B1  TOOL_CALL_UNKNOWN  /analysis/0/tool_call_ids/1');
    expect(out).toContain('--run r1 --attempt 2');
    const again = await cli(['submit', reportFile([shown.toUpperCase()]), '--run', 'r1', '--attempt', '2']);
    expect(again.out).toContain('  B8  DOCUMENT_NOT_SHOWN  /analysis/0/document_ids/0');
    expect(again.out).toContain(shown);
  });

  it('reads standard input, and answers with JSON', async () => {
    const report = '{"analysis":[],"conclusion":null,"action_plan":[],"limitations":["x"]}';
    const { code, out } = await cli(['submit', '-', '--run', 'r1', '--json'], { stdin: report });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      verdict: { status: 'PASSED', run_id: 'r1' },
      reviewed: { decision: 'PUBLISH' },
      verified: { outcome: 'VERIFIED' },
    });
  });

  it('of what is no report is a rejection with the field that was meant', async () => {
    const { code, out } = await cli(['submit', '-', '--run', 'r1'], { stdin: '{"anlysis":[]}' });
    expect(code).toBe(1);
    expect(out).toContain('  A1  DRAFT_MALFORMED');
    expect(out).toContain('analysis');
  });

  it('of another text under the same id is stale', async () => {
    const argv = ['submit', '-', '--run', 'r1', '--draft-id', 'd1'];
    await cli(argv, { stdin: 'one' });
    const { code, out } = await cli(argv, { stdin: 'two' });
    expect(code).toBe(1);
    expect(out).toContain('decision  STALE');
    expect(out).toContain('PL_REPEAT_CONFLICT');
  });

  it.each([
    ['a missing file', () => join(docs, 'nowhere.json'), /does not exist/],
    ['a folder', () => docs, /is a folder, not a file/],
    ['10 MB', () => fileOf('x'.repeat(10_000_000)), /more than 524288 bytes/],
    ['bytes that are no text', () => fileOf(Buffer.from([0xff, 0xfe])), /is no UTF-8 text/],
  ])('of %s is refused', async (_what, file, message) => {
    const { code, err } = await cli(['submit', file(), '--run', 'r1']);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});

function fileOf(content: string | Buffer): string {
  const file = join(tempFolder(), 'input');
  writeFileSync(file, content);
  return file;
}
