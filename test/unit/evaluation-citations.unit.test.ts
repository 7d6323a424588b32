import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readClaims } from '../../src/cli/eval/read-cases.js';
import { evaluateCitations } from '../../src/evaluation/evaluate-citations.js';
import { judgeClaim, type LabelledClaim } from '../../src/evaluation/judge-claim.js';

const EXCERPT =
  'The pool holds 1,500 connections. Gateway timeouts may be caused by an exhausted connection pool.';

function claimOf(claim: string, other: Partial<LabelledClaim> = {}): LabelledClaim {
  return {
    id: null,
    kind: 'made',
    claim,
    quotes: [],
    references: [{ documentId: 'gw#chunk-0', excerpt: EXCERPT, title: null }],
    attributable: true,
    split: null,
    ...other,
  };
}

const quote = (text: string, documentId = 'gw#chunk-0') => ({ documentId, text, prefix: null, suffix: null });

describe('a claim', () => {
  test.each([
    ['said as the source does', claimOf('The connection pool holds 1500 connections.'), 'PASSED', null],
    ['another number', claimOf('The connection pool holds 1600 connections.'), 'BLOCKED', 'NUMBER_NOT_SHOWN'],
    ['too short to tell', claimOf('The pool.'), 'NOT_EVALUATED', 'TOO_FEW_WORDS'],
    ['another language', claimOf('网关超时由连接池耗尽引起。'), 'NOT_EVALUATED', 'NO_COMMON_SCRIPT'],
    [
      'a quote with a changed word',
      claimOf('The connection pool holds 1500 connections.', {
        quotes: [quote('The pool keeps 1,500 connections')],
      }),
      'BLOCKED',
      'QUOTE_NOT_FOUND',
    ],
    [
      'a quote of a document that is none of its sources',
      claimOf('The connection pool holds 1500 connections.', {
        quotes: [quote('The pool holds', 'dns#chunk-0')],
      }),
      'BLOCKED',
      'DOCUMENT_NOT_SHOWN',
    ],
  ])('%s', (_, claim, outcome, code) => {
    expect(judgeClaim(claim)).toMatchObject({ outcome, code });
  });

  test.each([
    "I don't know.",
    'The documents do not say what the limit is.',
    '根据现有证据，无法判断。',
    '知识库中没有找到相关信息。',
  ])('that says it does not know is an abstention, neither supported nor 1.0: %s', (text) => {
    expect(judgeClaim(claimOf(text))).toEqual({ outcome: 'ABSTAINED', code: null, reason: null });
  });

  test('that abstains and quotes is held to its quote', () => {
    const quotes = [quote('words that nobody wrote')];
    expect(judgeClaim(claimOf("I don't know.", { quotes })).outcome).toBe('BLOCKED');
  });
});

describe('the figures', () => {
  const good = claimOf('The connection pool holds 1500 connections.');
  const bad = claimOf('The connection pool holds 1600 connections.', {
    attributable: false,
    kind: 'changed',
  });
  const missed = claimOf('The exhausted connection pool.', { attributable: false, kind: 'changed' });
  const silent = claimOf('The pool.');
  const abstained = claimOf("I don't know.");

  test('count what was right, by kind and by rule, and list what was wrong', () => {
    const { all, kinds, rules, wrong } = evaluateCitations([good, bad, missed, silent, abstained]);
    expect(all.outcomes).toEqual({
      PASSED: { attributable: 1, not: 1 },
      BLOCKED: { attributable: 0, not: 1 },
      NOT_EVALUATED: { attributable: 1, not: 0 },
      ABSTAINED: { attributable: 1, not: 0 },
    });
    expect(all.precision).toEqual({ value: 0.5, count: 1, of: 2 });
    expect(all.recall).toEqual({ value: 0.5, count: 1, of: 2 });
    expect(all.f1).toBe(0.5);
    expect(all.notEvaluated).toEqual({ value: 0.2, count: 1, of: 5 });
    expect(all.blockPrecision).toEqual({ value: 1, count: 1, of: 1 });
    expect(all.blockRecall).toEqual({ value: 0.5, count: 1, of: 2 });
    expect(kinds.map(({ kind, claims }) => [kind, claims])).toEqual([
      ['made', 3],
      ['changed', 2],
    ]);
    expect(rules).toEqual([{ code: 'NUMBER_NOT_SHOWN', blocked: { value: 1, count: 1, of: 1 } }]);
    expect(wrong.map(({ position, outcome }) => [position, outcome])).toEqual([[3, 'PASSED']]);
  });

  test('an answer that only abstains has no precision: neither 0 nor 1 nor NaN', () => {
    const { all } = evaluateCitations([abstained]);
    expect([all.precision.value, all.recall.value, all.f1, all.blockPrecision.value]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(all.outcomes.ABSTAINED).toEqual({ attributable: 1, not: 0 });
  });
});

describe('the labelled claims that come with the source', () => {
  const file = 'test/data/citations/claims.jsonl';
  const io = { stdin: () => Promise.reject(new Error('not asked for')) } as never;

  test('are those that the generator makes of the documents beside them', () => {
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/make-citation-claims.ts', '--check']);
  });

  test('are more than 300, of both labels, both languages and both halves', async () => {
    const claims = await readClaims(io, file);
    expect(claims.length).toBeGreaterThanOrEqual(300);
    for (const split of ['dev', 'test'])
      for (const attributable of [true, false])
        for (const han of [true, false]) {
          const some = claims.filter(
            (claim) =>
              claim.split === split &&
              claim.attributable === attributable &&
              /\p{Script=Han}/u.test(claim.claim) === han,
          );
          expect(some.length).toBeGreaterThan(40);
        }
    const documents = (split: string) =>
      new Set(
        claims
          .filter((claim) => claim.split === split)
          .map(({ quotes }) => quotes[0]?.documentId.split('#')[0]),
      );
    const shared = [...documents('dev')].filter(
      (document) => document !== undefined && documents('test').has(document),
    );
    expect(shared).toEqual([]);
  });

  test('of what is blocked, at least 0.95 is rightly blocked, in each half', async () => {
    const claims = await readClaims(io, file);
    for (const split of ['dev', 'test']) {
      const { all } = evaluateCitations(claims.filter((claim) => claim.split === split));
      expect(all.blockPrecision.of).toBeGreaterThan(100);
      expect(all.blockPrecision.value).toBeGreaterThanOrEqual(0.95);
      expect(all.blockRecall.value).toBeGreaterThanOrEqual(0.5);
    }
  });

  test('every source is named in the notice, with its licence beside it', () => {
    const notice = readFileSync('test/data/citations/NOTICE.md', 'utf8');
    for (const folder of ['runbooks', 'ai4j-docs-zh']) {
      expect(notice).toContain(`documents/${folder}`);
      const licence = readFileSync(`test/data/citations/documents/${folder}/LICENSE`, 'utf8');
      expect(licence).toContain('Apache License');
    }
  });
});
