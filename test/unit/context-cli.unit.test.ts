import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { cli, type CliOptions } from '../support/cli-run.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterAll(removeTempFolders);

let data: string;

/** A line over the examples, with a lookup that found something and one that did not. */
beforeAll(async () => {
  data = join(tempFolder(), 'data');
  expect((await run(['index', 'examples/docs'])).code).toBe(0);
  expect((await run(['lookup', 'gateway timeout', '--run', 'r1', '--call', 'c1'])).code).toBe(0);
  expect((await run(['lookup', 'zzzz qqqq xxxx', '--run', 'r1', '--call', 'c2'])).code).toBe(0);
});

const run = (argv: readonly string[], options?: CliOptions) => cli(['--data', data, ...argv], options);
const ofRun = ['assemble', '--run', 'r1', '--call', 'c1', '--query', 'why?'];

interface ContextJson {
  readonly context_id: string;
  readonly text: string;
  readonly text_sha256: string;
  readonly budget: unknown;
  readonly citations: readonly {
    tool_call_id: string;
    document_id: string;
    start: number;
    end: number;
    snippet: string;
  }[];
}

async function contextJson(argv: readonly string[]): Promise<ContextJson> {
  const { code, out, err } = await run([...argv, '--json']);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as ContextJson;
}

describe('proofline assemble of a run', () => {
  it('gives a text whose places slice it, and records it before it is shown', async () => {
    const context = await contextJson([...ofRun, '--tokens', '120', '--encoding', 'o200k_base']);
    expect(context.text_sha256).toBe(sha256(context.text));
    expect(context.citations.length).toBeGreaterThan(0);
    for (const { start, end, snippet } of context.citations)
      expect(context.text.slice(start, end)).toBe(snippet);
    const tail = await run(['tail', 'tool-invocation.v1', '--run', 'r1', '--json']);
    const records = tail.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { value: { kind: string; facts_json: string } }).value)
      .filter(
        ({ kind, facts_json }) => kind === 'CONTEXT_ASSEMBLED' && facts_json.includes(context.context_id),
      );
    expect(records).toHaveLength(1);
    expect(JSON.parse(records[0]!.facts_json)).toMatchObject({
      context_id: context.context_id,
      text_sha256: context.text_sha256,
      budget: 120,
      encoding: 'o200k_base',
      citations: context.citations.map(({ tool_call_id, document_id, start, end }) => ({
        tool_call_id,
        document_id,
        start,
        end,
      })),
    });
  });

  it('is the same context when it is made again', async () => {
    const [one, two] = [await contextJson(ofRun), await contextJson(ofRun)];
    expect(one.context_id).toBe(two.context_id);
  });

  it('prints the text alone, byte for byte', async () => {
    const { text } = await contextJson([...ofRun, '--no-labels']);
    expect((await run([...ofRun, '--no-labels', '--text'])).out).toBe(text);
    expect(text).not.toContain('[S1]');
  });

  it('is empty of a lookup that found nothing', async () => {
    const context = await contextJson(['assemble', '--run', 'r1', '--call', 'c2', '--query', 'why?']);
    expect(context).toMatchObject({ text: '', citations: [] });
  });

  it('is refused for a lookup that the run does not have', async () => {
    const { code, err } = await run(['assemble', '--run', 'r2', '--call', 'c1', '--query', 'why?']);
    expect(code).toBe(1);
    expect(err).toContain('PL_CONTEXT_REFUSED');
  });

  it('binds the sentences of an answer to it, and says which need a citation', async () => {
    const answer = 'The upstream answers too late [1]. The disk is full [7].\nRestart it.';
    const bound = await run([...ofRun, '--answer', '-', '--json'], { stdin: answer });
    expect(bound.code).toBe(1);
    const { answer: spans, context_id: contextId } = JSON.parse(bound.out) as {
      context_id: string;
      answer: { context_id: string; unit: string; claims: object[] };
    };
    expect(spans.context_id).toBe(contextId);
    expect(spans.unit).toBe('utf16');
    expect(spans.claims).toMatchObject([
      { start: 0, end: 34, citations: ['S1'], needs_citation: false },
      { citations: [], unknown: [{ text: '[7]' }], needs_citation: true },
      { needs_citation: true },
    ]);
    const page = await run([...ofRun, '--answer', '-'], { stdin: answer });
    expect(page.out).toContain('[7] is no source');
    const fine = await run([...ofRun, '--answer', '-'], { stdin: 'The upstream answers too late [1].' });
    expect(fine.code).toBe(0);
  });
});

describe('proofline assemble of a file', () => {
  it('takes hits, and says that no report can cite them', async () => {
    const file = join(tempFolder(), 'hits.json');
    writeFileSync(
      file,
      JSON.stringify({ query: 'q', hits: [{ content: 'text\u001b[31m', source_name: 'doc' }] }),
    );
    const { code, out } = await run(['assemble', '--input', file]);
    expect(code).toBe(0);
    expect(out).toContain('[S1] doc');
    expect(out).not.toContain('\u001b');
    expect(out).toContain('of no run');
  });

  it.each<[string, readonly string[], RegExp]>([
    ['nothing to assemble', [], /either --input or --run/],
    ['both', ['--input', 'x', '--run', 'r1'], /either --input or --run/],
    ['a run without a lookup', ['--run', 'r1', '--query', 'q'], /--call/],
    ['a unit that is none', ['--input', 'x', '--unit', 'bytes'], /--unit/],
    ['a model without a budget', ['--input', '-', '--model', 'gpt-4o'], /--tokens/],
    ['a budget that is none', ['--input', '-', '--tokens', '0'], /--tokens/],
    ['an encoding that is none', ['--input', '-', '--tokens', '9', '--encoding', 'x'], /--encoding/],
    ['two of standard input', ['--input', '-', '--answer', '-'], /only one/],
  ])('refuses %s', async (_, argv, message) => {
    const { code, err } = await run(['assemble', ...argv], { stdin: '{"hits":[]}' });
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('makes no data folder where there is no line', async () => {
    const folder = join(tempFolder(), 'none');
    const { code } = await cli(['--data', folder, ...ofRun]);
    expect(code).toBe(3);
    expect(existsSync(folder)).toBe(false);
  });
});

it('proofline try assemble runs the cases', async () => {
  const { code, out } = await run(['try', 'assemble', '--input', 'test/cases/assemble.jsonl', '--check']);
  expect(out).toBe('4 of 4 as expected\n');
  expect(code).toBe(0);
});
