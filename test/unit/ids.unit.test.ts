import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import {
  assertValidId,
  decisionEventId,
  deadLetterEventId,
  derivedEventId,
  draftEventId,
  GIVEN_UP_DRAFT_ID,
  isValidId,
  lookupEventId,
  requestSha256,
} from '../../src/contracts/ids.js';

/** Values that were computed apart from this code: an id that moves makes every repeated event a new one. */
describe('event ids', () => {
  const from = {
    station: 'project',
    runId: 'run-1',
    inputEventId: '0123456789abcdef0123456789abcdef',
    topic: 'projected.v1',
    ordinal: 0,
  } as const;

  test('of a derived event are of the station, the run, the input, the topic and the ordinal', () => {
    expect(derivedEventId(sha256, from)).toBe('c8f2f2b18964b95dd2768d0e74d98756');
    expect(derivedEventId(sha256, { ...from, ordinal: 1 })).toBe('eb6ccf248b225feaba01900b637293bb');
  });

  test('of a repeat and of a refusal are others', () => {
    expect(derivedEventId(sha256, { ...from, mark: 'REPEAT' })).toBe('9dc967c62a51d36c53a744dfacba28cb');
    expect(derivedEventId(sha256, { ...from, mark: 'REFUSED' })).toBe('458668d8d61728917151d2891be718f4');
  });

  test('of a lookup are of the run, the call and the question', () => {
    const lookup = { runId: 'run-1', toolCallId: 'call-1', requestSha256: 'c0ffee' };
    expect(lookupEventId(sha256, lookup)).toBe('9201c009a8793baf8ddc61154882ecda');
  });

  test('of a draft are of its text; of one given up, of none', () => {
    const draft = { runId: 'run-1', draftId: 'draft-1' };
    expect(draftEventId(sha256, { ...draft, draftJson: '{"analysis":[]}' })).toBe(
      '4c356f6e601a4e09c7f6d115b633c07a',
    );
    expect(draftEventId(sha256, { ...draft, draftJson: null })).toBe('f430ca3f4fb95793e2b798835f4a8064');
  });

  test('of a decision are of the verdict', () => {
    const decision = { runId: 'run-1', draftId: 'draft-1', verdictEventId: 'abcd' };
    expect(decisionEventId(sha256, decision)).toBe('57547828da2670f548c8600cf6541186');
  });

  test('of a dead letter are of the station and the place', () => {
    const of = { station: 'guard', topic: 'draft-submitted.v1', partition: 3, offset: 17 } as const;
    expect(deadLetterEventId(sha256, of)).toBe('daef84bc4ec841c9790bf927c8b1c77c');
  });
});

describe('request_sha256', () => {
  const request = {
    toolName: 'lookup_knowledge',
    query: 'Kafka 消费延迟 é',
    mode: 'hybrid',
    filters: { doc_type: ['runbook'], a: { y: 1, x: null } } as unknown,
    topK: 8,
  };

  test('is of the five, in RFC 8785 JSON', () => {
    expect(requestSha256(sha256, request)).toBe(
      '30dba9b8f97ed844789006777151555e21087d4cb6d67684b8b2c77a083813ef',
    );
    expect(
      requestSha256(sha256, { toolName: 'lookup_knowledge', query: 'q', mode: '', filters: {}, topK: 1 }),
    ).toBe('7934b259c838af3d8593e2f3e7ff0632de783b29932e3010f21b38d1b1643867');
  });

  test('does not depend on the order of keys, but on that of lists', () => {
    const reordered = { ...request, filters: { a: { x: null, y: 1 }, doc_type: ['runbook'] } };
    expect(requestSha256(sha256, reordered)).toBe(requestSha256(sha256, request));
    const lists = (filters: unknown): string => requestSha256(sha256, { ...request, filters });
    expect(lists({ a: [1, 2] })).not.toBe(lists({ a: [2, 1] }));
  });

  test.each([
    ['toolName', { toolName: 'other' }],
    ['query', { query: 'Kafka' }],
    ['mode', { mode: 'dense' }],
    ['filters', { filters: {} }],
    ['topK', { topK: 9 }],
  ])('given another %s, it is another question', (_, other) => {
    expect(requestSha256(sha256, { ...request, ...other })).not.toBe(requestSha256(sha256, request));
  });
});

describe('an id', () => {
  test.each(['a', '7', 'run-1', 'A.b_c:d@e=f+g-h', 'x'.repeat(128), '0'.repeat(128)])('may be %s', (id) => {
    expect(isValidId(id)).toBe(true);
    expect(() => assertValidId('run_id', id)).not.toThrow();
  });

  test.each([
    '',
    ' ',
    'x'.repeat(129),
    '-run',
    '.run',
    '_run',
    ':a',
    '@a',
    '=a',
    '+a',
    'a b',
    'a/b',
    'a\n',
    '\na',
    'a\0',
    'a#1',
    'a,b',
    'a~',
    'é',
    '问',
    'а',
    '１',
    'a\u200b',
    '\ud800',
    '😀',
  ])('may not be %j', (id) => {
    expect(isValidId(id)).toBe(false);
    expect(() => assertValidId('tool_call_id', id)).toThrow(
      expect.objectContaining({
        code: 'PL_ID_INVALID',
        params: expect.objectContaining({ field: 'tool_call_id' }) as unknown,
      }),
    );
  });

  test('given one that is refused, the message shows a printable beginning of it', () => {
    const message = (id: string): string => {
      try {
        assertValidId('run_id', id);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    expect(message(`a\n${'x'.repeat(10_000)}`).length).toBeLessThan(200);
    expect(message('a\nb')).toContain('"a\\nb"');
    expect(message(`${'x'.repeat(63)}😀😀`).isWellFormed()).toBe(true);
  });

  test('for a draft may not be the one that is reserved for runs given up; for others it may', () => {
    expect(() => assertValidId('draft_id', GIVEN_UP_DRAFT_ID)).toThrow(
      expect.objectContaining({ code: 'PL_ID_INVALID' }),
    );
    expect(() => assertValidId('draft_id', 'given-up-2')).not.toThrow();
    expect(() => assertValidId('run_id', GIVEN_UP_DRAFT_ID)).not.toThrow();
  });
});
