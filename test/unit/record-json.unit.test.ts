import { describe, expect, it } from 'vitest';
import type { DeadLetter, LookupRequested } from '../../src/contracts/generated.js';
import { recordToJson } from '../../src/contracts/record-json.js';

const lookup: LookupRequested = {
  eventId: 'e1',
  causedBy: null,
  runId: 'r1',
  occurredAt: Date.parse('2026-11-30T10:00:00.123Z'),
  toolCallId: 'c1',
  toolName: 'lookup_knowledge',
  query: 'q',
  mode: 'hybrid',
  filtersJson: '{"a":1}',
  topK: 10,
  ttlMs: 5,
  includeTrace: false,
  requestSha256: 'd',
  limits: { deadline: 0, maxLookups: 3, maxTokens: null, maxAttempts: null },
  queryPlanJson: null,
  ext: JSON.parse('{"someKey":"v","__proto__":"w"}') as Record<string, string>,
};

describe('a record as JSON', () => {
  it('has the names, the order and the instants of its contract', () => {
    const json = recordToJson('lookup-requested.v1', lookup);
    expect(Object.keys(json).slice(0, 5)).toEqual([
      'event_id',
      'caused_by',
      'run_id',
      'occurred_at',
      'tool_call_id',
    ]);
    expect(json).toMatchObject({
      occurred_at: '2026-11-30T10:00:00.123Z',
      ttl_ms: 5,
      filters_json: '{"a":1}',
      limits: { deadline: '1970-01-01T00:00:00.000Z', max_lookups: 3, max_tokens: null },
    });
  });

  it('keeps the keys of maps as they are, whatever they are', () => {
    const { ext } = recordToJson('lookup-requested.v1', lookup);
    expect(JSON.stringify(ext)).toBe('{"someKey":"v","__proto__":"w"}');
    expect(Object.getPrototypeOf(ext)).toBe(Object.prototype);
  });

  it('leaves an instant that no date can hold a number', () => {
    expect(recordToJson('lookup-requested.v1', { ...lookup, occurredAt: 1e17 })).toMatchObject({
      occurred_at: 1e17,
    });
  });

  it('writes bytes as base64, also inside lists', () => {
    const letter: DeadLetter = {
      eventId: 'e',
      causedBy: null,
      runId: '',
      occurredAt: 0,
      origin: { topic: 'lookup-requested.v1', partition: 1, offset: 2 },
      key: null,
      value: Buffer.from([0, 255]),
      headers: [{ key: 'h', value: Buffer.from('x') }],
      station: 'retrieve',
      code: 'PL_RECORD_UNDECODABLE',
      message: 'm',
      attempt: 1,
    };
    expect(recordToJson('dead-letter.v1', letter)).toMatchObject({
      key: null,
      value: 'AP8=',
      headers: [{ key: 'h', value: 'eA==' }],
    });
  });

  it('knows types that are referred to by name', () => {
    const draft = {
      analysis: [],
      conclusion: { text: 't', basedOnAnalysisIds: ['a'] },
      actionPlan: [{ text: 'u', basedOnAnalysisIds: ['b'] }],
      limitations: [],
    };
    expect(recordToJson('draft.v1', draft)).toEqual({
      analysis: [],
      conclusion: { text: 't', based_on_analysis_ids: ['a'] },
      action_plan: [{ text: 'u', based_on_analysis_ids: ['b'] }],
      limitations: [],
    });
  });
});
