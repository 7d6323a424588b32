import { describe, expect, test } from 'vitest';
import { evidenceStations } from '../../src/cli/try/evidence.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { loadCases, matches } from '../support/cases.js';

describe.each(['map', 'postprocess', 'pack', 'project'] as const)('%s', (station) => {
  test.each(loadCases(station))('$name', ({ input, expect: expected }) => {
    matches(evidenceStations[station](input), expected);
  });
});

describe('matches', () => {
  test('lets an answer have more fields than expected', () => {
    matches({ a: 1, b: 2, list: [{ c: 3, d: 4 }] }, { a: 1, list: [{ c: 3 }] });
  });

  test.each([
    ['another value', { a: 1 }, { a: 2 }],
    ['a missing field', {}, { a: null }],
    ['a longer list', { a: [1, 2] }, { a: [1] }],
    ['a shorter list', { a: [] }, { a: [1] }],
    ['an error with another code', { error: { code: 'B', message: 'm' } }, { error: { code: 'A' } }],
    [
      'an error with another message',
      { error: { code: 'A', message: 'm' } },
      { error: { code: 'A', message: 'n' } },
    ],
    ['a result in place of an error', { hits: [] }, { error: { code: 'A' } }],
  ])('tells %s', (_, actual, expected) => {
    expect(() => matches(actual, expected)).toThrow(/expected/);
  });

  test('accepts an error by its code and a part of its message', () => {
    matches(
      { error: { code: 'A', message: 'hits[1] is bad' } },
      { error: { code: 'A', message: 'hits[1]' } },
    );
  });
});

test('what one station answers is what the next one takes', () => {
  const [first] = loadCases('map');
  const mapped = evidenceStations.map(first!.input) as { hits: unknown; trace: unknown };
  const postprocessed = evidenceStations.postprocess({ hits: mapped.hits }) as { blocks: unknown };
  const pack = evidenceStations.pack({ blocks: postprocessed.blocks });
  const query = '网关超时怎么排查';
  const result = evidenceStations['lookup-result']({ query, postprocessed, pack, trace: mapped.trace });
  const { lookup_result: lookupResult } = result as { lookup_result: string };
  expect(JSON.parse(lookupResult)).toMatchObject({
    query,
    found: true,
    fallback_text: null,
    evidence_blocks: [{ evidence_key: 'gw-1#chunk-1', final_rank: 1 }, { evidence_key: 'gw-2#chunk-2' }],
    context_pack: { strategy: 'ranked_evidence_char_budget' },
    retrieval_trace: {
      attempts: [{ attempt: 'UNFILTERED_VECTOR', hit_count: 2, is_low_quality: false }],
      filters: { category: 'gateway' },
      recall_count: 20,
    },
  });
  const projected = evidenceStations.project({ lookup_result: lookupResult, tool_call_id: 'call_x1' });
  const { agent_view: agentView } = projected as { agent_view: string };
  expect(JSON.parse(agentView)).toMatchObject({ query, returned_count: 2, relevance_level: 'PRECISE' });
});

describe('an input that cannot be used is refused, and the field named', () => {
  test.each([
    ['postprocess', { hits: [{ evidence_key: 'a', document_id: 'a' }] }, 'hits[0].content'],
    [
      'postprocess',
      { hits: [{ evidence_key: 'a', document_id: 'a', content: 'x', score: '1' }] },
      'hits[0].score',
    ],
    ['postprocess', [], 'the input'],
    ['pack', { blocks: [], char_budget: -1 }, 'char_budget'],
    ['lookup-result', { query: 'q', postprocessed: {}, pack: {} }, 'postprocessed.candidate_count'],
    ['project', { lookup_result: '{}' }, 'tool_call_id'],
    ['project', null, 'the input'],
  ] as const)('%s of %j names %s', (station, input, field) => {
    try {
      evidenceStations[station](input);
    } catch (error) {
      expect(isProoflineError(error, 'PL_INPUT_INVALID')).toBe(true);
      expect((error as Error).message).toContain(field);
      return;
    }
    expect.unreachable();
  });
});

test('a hit may leave out every field that post-processing can do without', () => {
  const hits = [{ evidence_key: 'a#chunk-0', document_id: 'a', content: 'text' }];
  matches(evidenceStations.postprocess({ hits }), {
    blocks: [{ hit_reasons: ['semantic_rank:null', 'attempt:UNFILTERED_VECTOR'], quality_score: null }],
    is_low_quality: true,
  });
});
