import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_LINES } from '../../src/cli/eval/read-cases.js';
import { cli } from '../support/cli-run.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofline-eval-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, lines: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return path;
}

const answers = [
  { query: 'one', retrieved: ['a', 'b', 'c', 'd'], relevant: ['b', 'd'] },
  { query: 'two \u001b[31m', retrieved: ['x'], relevant: ['x'] },
  { retrieved: [], relevant: [] },
];

describe('eval retrieval', () => {
  test('prints means with intervals at every k, and says how they came', async () => {
    const { code, out } = await cli([
      'eval',
      'retrieval',
      file('answers.jsonl', answers),
      '--k',
      '1,0',
      '--queries',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('3: 2 with something to find; 1 with nothing, 1 of them answered so');
    expect(out).toMatch(/^all +0\.750 \[0\.500, 1\.000\]/m);
    expect(out).toContain('percentile bootstrap over questions, 1000 resamples, seed 1');
    expect(out).not.toContain('\u001b[31m');
  });

  test('--json has every question, and the same figures for the same seed', async () => {
    const argv = ['eval', 'retrieval', file('same.jsonl', answers), '--json', '--k', '4', '--seed', '7'];
    const [one, other] = [await cli(argv), await cli(argv)];
    expect(one.out).toBe(other.out);
    const report = JSON.parse(one.out) as { queries: { at: unknown[] }[]; rightly_empty: number };
    expect(report.rightly_empty).toBe(1);
    expect(report.queries[0]?.at[0]).toMatchObject({ precision: 0.5, recall: 1, mrr: 0.5 });
  });

  test('--docs lets the local index answer, by path', async () => {
    const questions = [
      {
        question: 'gateway answers 504 upstream timeout',
        expected: ['gateway-timeout.md'],
        answerable: true,
      },
      { question: 'how to bake bread with sourdough', answerable: false },
    ];
    const { code, out, err } = await cli(
      [
        'eval',
        'retrieval',
        file('questions.jsonl', questions),
        '--docs',
        'examples/docs',
        '--json',
        '--k',
        '5',
      ],
      { interactive: true },
    );
    expect({ code, err: err.replaceAll('\r\u001b[2K', '') }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      answerable: 1,
      rightly_empty: 1,
      means: [{ recall: { mean: 1 } }],
      index: { documents: 12, grades: { unanswerable: { NONE: 1 } } },
    });
  });

  test('what cannot be used is refused by line, some of it shown', async () => {
    const bad = [
      answers[0],
      '{',
      { retrieved: 'a', relevant: [] },
      { retrieved: [''], relevant: [] },
      '[]',
      '7',
      '{"',
    ];
    const { code, err } = await cli(['eval', 'retrieval', file('bad.jsonl', bad)]);
    expect(code).toBe(2);
    expect(err).toContain('line 2: no JSON');
    expect(err).toContain('line 3: retrieved');
    expect(err).toContain('and 1 more lines');
  });

  test.each([
    ['an empty file', [''], [], 'is empty'],
    ['too many lines', Array.from({ length: MAX_LINES + 1 }, () => answers[2]), [], `more than ${MAX_LINES}`],
    ['a k that is none', answers, ['--k', '1,x'], '--k'],
    ['no resamples', answers, ['--resamples', '0'], '--resamples'],
    ['a folder that is none', [{ query: 'q', relevant: [] }], ['--docs', '/nowhere'], '/nowhere'],
  ])('%s: exit code 2, and what is wrong', async (name, lines, more, problem) => {
    const { code, err } = await cli(['eval', 'retrieval', file(`${name}.jsonl`, lines), ...more]);
    expect(code).toBe(2);
    expect(err).toContain(problem);
  });
});

describe('eval citations', () => {
  const references = [
    { document_id: 'gw#chunk-0', excerpt: 'The gateway connection pool holds 1,500 connections.' },
  ];
  const claims = [
    {
      claim: 'The gateway connection pool holds 1500 connections.',
      references,
      attributable: true,
      kind: 'said',
      split: 'dev',
    },
    {
      claim: 'The gateway connection pool holds 1600 connections.',
      references,
      attributable: false,
      kind: 'changed',
      split: 'test',
    },
    {
      claim: 'The gateway connection pool holds 1700\u202e connections.',
      references,
      attributable: true,
      kind: 'mislabelled',
      split: 'test',
    },
    { claim: "I don't know.", references: [], attributable: false, kind: 'abstention', split: 'dev' },
  ];

  test('prints how far a block can be trusted, by kind and rule, and lists what was wrong', async () => {
    const { code, out } = await cli(['eval', 'citations', file('claims.jsonl', claims)]);
    expect(code).toBe(0);
    expect(out).toContain('0.500 (1 of 2) of what was blocked is not attributable');
    expect(out).toContain('1 say that nothing is known');
    expect(out).toMatch(/^NUMBER_NOT_SHOWN +2 +1 +0\.500/m);
    expect(out).toContain('BLOCKED, attributable  mislabelled, claim 3');
    expect(out).toContain('\\u{202e}');
  });

  test('--json, --split, --wrong and --at-least', async () => {
    const path = file('more.jsonl', claims);
    const { code, out } = await cli([
      'eval',
      'citations',
      path,
      '--json',
      '--split',
      'test',
      '--at-least',
      '0.95',
    ]);
    expect(code).toBe(1);
    const report = JSON.parse(out) as {
      all: { block_precision: unknown };
      wrong: { id: unknown; reason: string }[];
    };
    expect(report.all.block_precision).toEqual({ value: 0.5, count: 1, of: 2 });
    expect(report.wrong).toHaveLength(1);
    const dev = await cli(['eval', 'citations', path, '--split', 'dev', '--wrong', '0', '--at-least', '0.5']);
    expect(dev.code).toBe(1);
    expect(dev.out).toContain('- (0 of 0) of what was blocked');
  });

  test.each([
    ['a label that is missing', [{ claim: 'x', references }], [], 'line 1: attributable'],
    [
      'too many references',
      [{ claim: 'x', attributable: true, references: Array(65).fill(references[0]) }],
      [],
      'references',
    ],
    ['a split that nothing is of', claims, ['--split', 'none'], 'split'],
    ['a share that is none', claims, ['--at-least', '2'], '--at-least'],
  ])('%s: exit code 2, and what is wrong', async (name, lines, more, problem) => {
    const { code, err } = await cli(['eval', 'citations', file(`${name}.jsonl`, lines), ...more]);
    expect(code).toBe(2);
    expect(err).toContain(problem);
  });
});
