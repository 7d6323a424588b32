import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { differences } from '../../src/cli/try/compare.js';
import type { VerifiableEntry } from '../../src/ledger/signing.js';
import { signEntry } from '../../src/ledger/signing.js';
import { openKeyring, rotateKey } from '../../src/ledger/keyring.js';
import { sha256 } from '../../src/contracts/digest.js';
import { cli } from '../support/cli-run.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(removeTempFolders);

function casesOf(station: string): string {
  return fileURLToPath(new URL(`../cases/${station}.jsonl`, import.meta.url));
}

function fileOf(content: string | Buffer, name = 'input.json'): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, content);
  return file;
}

const view = JSON.stringify({
  evidence_status: 'EVIDENCE_FOUND',
  tool_call_id: 'c1',
  query: 'q',
  evidence: [{ document_id: 'gw#chunk-1', source: null, title: null, breadcrumb: null, excerpt: 'text' }],
  returned_count: 1,
  relevance_level: 'PRECISE',
  truncated: false,
});

const unsigned = { run_id: 'r1', tool_call_id: 'c1', state: 'READY', agent_view: view };

/** A bundle of one entry. */
function bundle(entry: object = unsigned): string {
  return fileOf(JSON.stringify({ run_id: 'r1', entries: [entry] }));
}

/** The entry as the project station signs it with the key of the folder. */
function signed(keys: string): object {
  const { signer } = openKeyring(keys, { create: true });
  const entry: VerifiableEntry = {
    runId: 'r1',
    toolCallId: 'c1',
    state: 'READY',
    requestEventId: 'e1',
    agentView: view,
    agentViewSha256: sha256(view),
    blocks: [{ documentId: 'gw#chunk-1', content: 'text' }],
    dropped: [{ evidenceKey: 'k', documentId: 'd', originalRank: null, reason: 'DOC_CAP' }],
    cuts: [{ code: 'QUERY_CUT', documentId: null }],
    expiresAt: Date.parse('2100-01-01T00:00:00Z'),
    signature: null,
  };
  const { keyId, value } = signEntry(entry, signer!);
  return {
    ...unsigned,
    request_event_id: 'e1',
    agent_view_sha256: sha256(view),
    blocks: [{ document_id: 'gw#chunk-1', content: 'text' }],
    dropped: [{ evidence_key: 'k', document_id: 'd', original_rank: null, reason: 'DOC_CAP' }],
    cuts: [{ code: 'QUERY_CUT', document_id: null }],
    expires_at: '2100-01-01T00:00:00.000Z',
    signature: { key_id: keyId, value },
  };
}

function report(documentId: string): string {
  const analysis = { id: 'a1', kind: 'NORMAL', text: 't', tool_call_ids: ['c1'], document_ids: [documentId] };
  return fileOf(
    JSON.stringify({ analysis: [analysis], conclusion: null, action_plan: [], limitations: ['l'] }),
  );
}

describe('check', () => {
  it('of a true report: PASSED, exit code 0', async () => {
    const { code, out } = await cli(['check', '--evidence', bundle(), '--draft', report('gw#chunk-1')]);
    expect(code).toBe(0);
    expect(out).toBe(
      'guard     PASSED\nread      c1\nsigned    signatures were not verified; --keys DIR does\n',
    );
  });

  it('of a forged one: REJECTED with what was probably meant, exit code 1', async () => {
    const { code, out } = await cli(['check', '--evidence', bundle(), '--draft', report('gw#chunk-2')]);
    expect(code).toBe(1);
    expect(out).toContain('guard     REJECTED, 1 violation\n');
    expect(out).toContain('  B8  DOCUMENT_NOT_SHOWN  /analysis/0/document_ids/0\n');
    expect(out).toContain('gw#chunk-1');
  });

  it('with --json answers with the verdict; the report may come from standard input', async () => {
    const options = { stdin: readFileSync(report('gw#chunk-1'), 'utf8') };
    const { out } = await cli(['check', '--evidence', bundle(), '--draft', '-', '--json'], options);
    expect(JSON.parse(out)).toMatchObject({ status: 'PASSED', unsigned: true, violations: [] });
  });

  it('with keys verifies that the entry is as it was signed', async () => {
    const keys = join(tempFolder(), 'keys');
    const entry = signed(keys);
    const draft = report('gw#chunk-1');
    const good = await cli(['check', '--evidence', bundle(entry), '--draft', draft, '--keys', keys]);
    expect(good.out).toContain('every entry that was read is signed and unchanged');
    expect(good.code).toBe(0);
    const changed = bundle({ ...entry, blocks: [{ document_id: 'gw#chunk-1', content: 'other' }] });
    const bad = await cli(['check', '--evidence', changed, '--draft', draft, '--keys', keys]);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain('C2  LEDGER_INTEGRITY_BROKEN');
    const stripped = bundle({ ...entry, request_event_id: undefined });
    expect((await cli(['check', '--evidence', stripped, '--draft', draft, '--keys', keys])).out).toContain(
      'C2',
    );
  });

  it('takes a key that was rotated since, and says which one is missing', async () => {
    const keys = join(tempFolder(), 'keys');
    const evidence = bundle(signed(keys));
    const draft = report('gw#chunk-1');
    rotateKey(keys);
    expect((await cli(['check', '--evidence', evidence, '--draft', draft, '--keys', keys])).code).toBe(0);
    const others = join(tempFolder(), 'keys');
    openKeyring(others, { create: true });
    const { code, err } = await cli(['check', '--evidence', evidence, '--draft', draft, '--keys', others]);
    expect(code).toBe(3);
    expect(err).toContain('PL_KEY_UNKNOWN');
  });

  it('goes by the time that is given', async () => {
    const expiring = bundle({ ...unsigned, expires_at: '2026-01-01T00:00:00Z' });
    const argv = ['check', '--evidence', expiring, '--draft', report('gw#chunk-1')];
    expect((await cli([...argv, '--at', '2025-12-31T00:00:00Z'])).code).toBe(0);
    expect((await cli([...argv, '--at', '2026-01-02T00:00:00Z'])).out).toContain('B5  TOOL_CALL_EXPIRED');
    expect((await cli([...argv, '--at', 'tomorrow'])).code).toBe(2);
  });

  it.each([
    ['no JSON', () => fileOf('{'), /is no JSON/],
    ['nothing', () => fileOf(''), /is no JSON/],
    ['no bundle', () => fileOf('[]'), /evidence/],
    ['10 MB', () => fileOf('x'.repeat(10_000_000)), /more than 8388608 bytes/],
    ['a folder', () => tempFolder(), /is a folder/],
    ['nowhere', () => join(tempFolder(), 'x'), /does not exist/],
    [
      'two of one call',
      () => fileOf(JSON.stringify({ run_id: 'r1', entries: [unsigned, unsigned] })),
      /two entries/,
    ],
  ])('refuses evidence that is %s', async (_what, evidence, message) => {
    const { code, out, err } = await cli(['check', '--evidence', evidence(), '--draft', report('x')]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });
});

describe('try', () => {
  it.each(['map', 'postprocess', 'pack', 'project', 'guard', 'quote'])(
    'runs the cases of %s',
    async (station) => {
      const { code, out } = await cli(['try', station, '--input', casesOf(station), '--check']);
      expect(out).toMatch(/^(\d+) of \1 as expected\n$/);
      expect(code).toBe(0);
    },
  );

  it('answers one object with one, and lines with as many', async () => {
    const [line = ''] = readFileSync(casesOf('pack'), 'utf8').split('\n');
    const { input } = JSON.parse(line) as { input: unknown };
    const one = await cli(['try', 'pack', '--input', '-'], {
      stdin: `\ufeff${JSON.stringify(input, null, 2)}`,
    });
    const packed = JSON.parse(one.out) as unknown;
    expect(packed).toMatchObject({ strategy: 'ranked_evidence_char_budget' });
    const two = await cli(['try', 'pack', '--input', '-'], {
      stdin: `${line}\n\n${JSON.stringify(input)}\n`,
    });
    expect(two.out).toBe(`${JSON.stringify(packed)}\n`.repeat(2));
    const compact = await cli(['try', 'pack', '--input', '-', '--json'], { stdin: JSON.stringify(input) });
    expect(compact.out).toBe(`${JSON.stringify(packed)}\n`);
  });

  it('answers a line that cannot be used in its place', async () => {
    const stdin = '{"lookup_result":"{}"}\n{"lookup_result":"{}","tool_call_id":"c"}\n';
    const { code, out } = await cli(['try', 'project', '--input', fileOf(stdin, 'x.jsonl')]);
    expect(code).toBe(2);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { error: { code: 'PL_INPUT_INVALID', line: 1 } },
      { error: { code: 'PL_PROJECTION_INPUT' } },
    ]);
  });

  it('--check names the cases that come out otherwise, exit code 1', async () => {
    const lines = readFileSync(casesOf('pack'), 'utf8').trim().split('\n');
    const wrong = { ...(JSON.parse(lines[0]!) as object), name: 'wrong one', expect: { used_chars: -1 } };
    const file = fileOf([JSON.stringify(wrong), ...lines].join('\n'), 'x.jsonl');
    const { code, out } = await cli(['try', 'pack', '--input', file, '--check']);
    expect(code).toBe(1);
    expect(out).toMatch(/^wrong one\n {2}\/used_chars: expected -1, found \d+\n/);
    expect(out).toContain(`${lines.length} of ${lines.length + 1} as expected`);
    const json = JSON.parse(
      (await cli(['try', 'pack', '--input', file, '--check', '--json'])).out,
    ) as unknown;
    expect(json).toMatchObject({
      cases: lines.length + 1,
      passed: lines.length,
      failed: [{ name: 'wrong one' }],
    });
  });

  it.each([
    [['try', 'gard', '--input', '-'], '{}', /"gard" is no rule to try; did you mean guard\? \(map, /],
    [['try', 'toString', '--input', '-'], '{}', /is no rule to try/],
    [['try', 'map', '--input', '-'], '{"a":\n1', /standard input is no JSON/],
    [['try', 'map', '--input', '-'], '', /standard input is empty/],
    [['try', 'guard', '--input', '-'], '{}', /The input cannot be used: evidence/],
    [['try', 'map', '--input', '-', '--check'], '{}', /no case of map/],
    [['try', 'map', '--input', '-'], '['.repeat(200_000), /is no JSON/],
  ])('refuses %j', async (argv, stdin, message) => {
    const { code, err } = await cli(argv, { stdin });
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('names the line that is no JSON', async () => {
    const { err } = await cli(['try', 'map', '--input', fileOf('{}\n{}\n{', 'x.jsonl')]);
    expect(err).toMatch(/line 3 of .*x\.jsonl is no JSON/);
  });
});

describe('what a case expects', () => {
  it('is some fields with equal values, and lists of equal length', () => {
    expect(differences({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ c: 2 }] })).toEqual([]);
    expect(differences({ a: 1 }, { a: 2, b: null })).toEqual([
      '/a: expected 2, found 1',
      '/b: expected null, found nothing',
    ]);
    expect(differences({ a: [1, 2] }, { a: [1] })).toHaveLength(1);
    expect(differences(-0, 0)).toHaveLength(1);
  });

  it('is of an error only the code, of a violation only code and path', () => {
    const actual = {
      error: { code: 'A', message: 'x' },
      violations: [{ code: 'B', path: '/', message: 'x' }],
    };
    const expected = {
      error: { code: 'A', message: 'y' },
      violations: [{ code: 'B', path: '/', message: 'y' }],
    };
    expect(differences(actual, expected)).toEqual([]);
    expect(differences(actual, { violations: [{ code: 'B', path: '/x' }] })).toHaveLength(1);
  });
});
