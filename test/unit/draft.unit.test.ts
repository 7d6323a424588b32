import { describe, expect, it } from 'vitest';
import { readDraft, type DraftReading } from '../../src/guard/draft.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { analysis, draft } from '../support/guard.js';

const read = (text: string): DraftReading => readDraft(text, defaultGuardLimits);

/** `PROBLEM path` of each violation; `ok` for a draft. */
function problems(text: string): string[] {
  const reading = read(text);
  if ('draft' in reading) return ['ok'];
  expect(reading.violations.every(({ code }) => code === 'DRAFT_MALFORMED')).toBe(true);
  return reading.violations.map(({ detail, path }) => `${String(detail['problem'])} ${path}`.trim());
}

function draftOf(text: string) {
  const reading = read(text);
  if (!('draft' in reading)) throw new Error(`malformed: ${JSON.stringify(reading.violations)}`);
  return reading.draft;
}

function detailOf(text: string) {
  const reading = read(text);
  return 'draft' in reading ? undefined : reading.violations[0]?.detail;
}

describe('a draft as the model wrote it', () => {
  it('is written anew with what was left out filled in', () => {
    const text =
      '{"limitations":["l"],"conclusion":{},"action_plan":[{}],"analysis":[{"kind":"NORMAL","id":"a","quotes":[{"document_id":"d"}]}]}';
    expect(draftOf(text)).toEqual({
      analysis: [
        {
          id: 'a',
          kind: 'NORMAL',
          text: '',
          toolCallIds: [],
          documentIds: [],
          quotes: [{ documentId: 'd', text: '', prefix: null, suffix: null }],
        },
      ],
      conclusion: { text: '', basedOnAnalysisIds: [] },
      actionPlan: [{ text: '', basedOnAnalysisIds: [] }],
      limitations: ['l'],
    });
  });

  it('may have a null conclusion, no analysis and no limitations', () => {
    expect(draftOf('{"analysis":[],"conclusion":null,"action_plan":[]}')).toEqual({
      analysis: [],
      conclusion: null,
      actionPlan: [],
      limitations: [],
    });
  });

  it('has well-formed text wherever it held lone surrogates, before ids are compared', () => {
    const text = draft({
      analysis: [analysis({ id: 'a\ud800', text: 'x\udc00', tool_call_ids: ['c\ud801'] })],
    });
    const [first] = draftOf(text).analysis;
    expect(first).toMatchObject({ id: 'a\ufffd', text: 'x\ufffd', toolCallIds: ['c\ufffd'] });
  });
});

describe('what may stand around the JSON', () => {
  const json = draft();
  it.each([
    ['white space', ` \n\t${json}\r\n `],
    ['a byte order mark', `\ufeff${json}`],
    ['a fence', `\`\`\`\n${json}\n\`\`\``],
    ['a fence with letters', `\`\`\`json\r\n${json}\`\`\``],
    ['a fence inside white space and a byte order mark', `\ufeff\n \`\`\`JSON\n\n${json}\n\n\`\`\`\n`],
  ])('%s', (_, text) => expect(problems(text)).toEqual(['ok']));

  it.each([
    ['words before it', `Here it is: ${json}`],
    ['words after it', `${json} That is all.`],
    ['a fence that does not end', `\`\`\`json\n${json}`],
    ['a fence without a line break', `\`\`\`json ${json}\`\`\``],
    ['a fence with more than letters', `\`\`\`json5 x\n${json}\n\`\`\``],
    ['two fences in each other', `\`\`\`\n\`\`\`\n${json}\n\`\`\`\n\`\`\``],
    ['two drafts', `${json}${json}`],
    ['nothing but a fence', '``````'],
    ['half a fence', '```\n``'],
  ])('%s makes it malformed', (_, text) => expect(problems(text)).toEqual(['NOT_JSON']));

  it('is told what the text begins with', () => {
    expect(detailOf('The gateway is down.')).toEqual({
      problem: 'NOT_JSON',
      begins_with: 'The gateway is down.',
    });
  });
});

describe('limits', () => {
  it('counts the bytes of the text as it came, before anything else', () => {
    const limits = { ...defaultGuardLimits, draftBytes: 1000 };
    const padded = (bytes: number): string => {
      const text = draft({ limitations: ['网关'] });
      return text + ' '.repeat(bytes - Buffer.byteLength(text));
    };
    expect(readDraft(padded(1000), limits)).toHaveProperty('draft');
    expect(readDraft(padded(1001), limits)).toMatchObject({
      violations: [{ path: '', detail: { problem: 'TOO_LARGE', bytes: 1001, limit: 1000 } }],
    });
  });

  it('has 256 KiB by default', () => {
    const text = draft();
    expect(problems(text + ' '.repeat(256 * 1024 - text.length))).toEqual(['ok']);
    expect(problems(text + ' '.repeat(256 * 1024 + 1 - text.length))).toEqual(['TOO_LARGE']);
  });

  const list = (n: number, item: (i: number) => unknown = (i) => `x${i}`): unknown[] =>
    Array.from({ length: n }, (_, i) => item(i));
  it.each([
    [
      'analysis',
      64,
      (n: number) => draft({ analysis: list(n, (i) => analysis({ id: `a${i}` })) }),
      '/analysis',
    ],
    ['actions', 64, (n: number) => draft({ action_plan: list(n, () => ({})) }), '/action_plan'],
    ['limitations', 64, (n: number) => draft({ limitations: list(n) }), '/limitations'],
    [
      'calls',
      32,
      (n: number) => draft({ analysis: [analysis({ tool_call_ids: list(n) })] }),
      '/analysis/0/tool_call_ids',
    ],
    [
      'documents',
      32,
      (n: number) => draft({ analysis: [analysis({ document_ids: list(n) })] }),
      '/analysis/0/document_ids',
    ],
    [
      'quotes',
      32,
      (n: number) => draft({ analysis: [analysis({ quotes: list(n, () => ({ document_id: 'd' })) })] }),
      '/analysis/0/quotes',
    ],
    [
      'references',
      32,
      (n: number) => draft({ conclusion: { based_on_analysis_ids: list(n) } }),
      '/conclusion/based_on_analysis_ids',
    ],
  ])('%s: %i and not one more', (_, limit, make, path) => {
    expect(problems(make(limit))).toEqual(['ok']);
    expect(problems(make(limit + 1))).toEqual([`OVER_LIMIT ${path}`]);
  });

  it('counts 128 different calls, and names the first that is too many', () => {
    const citing = (from: number, n: number, id: string): unknown =>
      analysis({ id, tool_call_ids: list(n, (i) => `c${from + i}`) });
    const four = [0, 32, 64, 96].map((from) => citing(from, 32, `a${from}`));
    expect(problems(draft({ analysis: [...four, citing(0, 32, 'again')] }))).toEqual(['ok']);
    expect(problems(draft({ analysis: [...four, citing(127, 3, 'more')] }))).toEqual([
      'OVER_LIMIT /analysis/4/tool_call_ids/1',
    ]);
  });

  it('refuses deep nesting before it is parsed', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(problems(nested(32))).toEqual(['WRONG_TYPE']);
    expect(problems(nested(33))).toEqual(['TOO_DEEP']);
    expect(problems('{"a":'.repeat(100_000 / 5))).toEqual(['TOO_DEEP']);
  });
});

describe('the schema', () => {
  it.each([
    ['no analysis', '{"conclusion":null,"action_plan":[]}', ['FIELD_MISSING /analysis']],
    ['no conclusion', '{"analysis":[],"action_plan":[]}', ['FIELD_MISSING /conclusion']],
    ['no action plan', '{"analysis":[],"conclusion":null}', ['FIELD_MISSING /action_plan']],
    ['a list instead of an object', '[]', ['WRONG_TYPE']],
    ['null', 'null', ['WRONG_TYPE']],
    ['an absent id', draft({ analysis: [{ kind: 'NORMAL' }] }), ['FIELD_MISSING /analysis/0/id']],
    ['a blank id', draft({ analysis: [analysis({ id: ' \t' })] }), ['BLANK_ID /analysis/0/id']],
    [
      'an id that only looks empty',
      draft({ analysis: [analysis({ id: '\u200b\u2060' })] }),
      ['BLANK_ID /analysis/0/id'],
    ],
    ['an absent kind', draft({ analysis: [{ id: 'a' }] }), ['FIELD_MISSING /analysis/0/kind']],
    [
      'an unknown kind',
      draft({ analysis: [analysis({ kind: 'normal' })] }),
      ['NOT_ALLOWED /analysis/0/kind'],
    ],
    ['a text of another type', draft({ analysis: [analysis({ text: 5 })] }), ['WRONG_TYPE /analysis/0/text']],
    [
      'a list of calls that is null',
      draft({ analysis: [analysis({ tool_call_ids: null })] }),
      ['WRONG_TYPE /analysis/0/tool_call_ids'],
    ],
    [
      'a list of quotes that is null',
      draft({ analysis: [analysis({ quotes: null })] }),
      ['WRONG_TYPE /analysis/0/quotes'],
    ],
    ['limitations that are null', draft({ limitations: null }), ['WRONG_TYPE /limitations']],
    [
      'references that are null',
      draft({ conclusion: { based_on_analysis_ids: null } }),
      ['WRONG_TYPE /conclusion/based_on_analysis_ids'],
    ],
    [
      'a call that is a number',
      draft({ analysis: [analysis({ tool_call_ids: ['c1', 1] })] }),
      ['WRONG_TYPE /analysis/0/tool_call_ids/1'],
    ],
    [
      'a quote without document',
      draft({ analysis: [analysis({ quotes: [{ text: 'x' }] })] }),
      ['FIELD_MISSING /analysis/0/quotes/0/document_id'],
    ],
    [
      'a prefix that is a number',
      draft({ analysis: [analysis({ quotes: [{ document_id: 'd', prefix: 1 }] })] }),
      ['WRONG_TYPE /analysis/0/quotes/0/prefix'],
    ],
    [
      '__proto__ as a field',
      draft().replace('{', '{"__proto__":{"analysis":[]},'),
      ['UNKNOWN_FIELD /__proto__'],
    ],
    ['constructor as a field', draft().replace('{', '{"constructor":1,'), ['UNKNOWN_FIELD /constructor']],
  ])('refuses %s', (_, text, expected) => expect(problems(text)).toEqual(expected));

  it.each([
    ['a null text', draft({ analysis: [analysis({ text: null })] })],
    [
      'a null text of a quote',
      draft({ analysis: [analysis({ quotes: [{ document_id: 'd', text: null }] })] }),
    ],
    [
      'a null prefix and suffix',
      draft({ analysis: [analysis({ quotes: [{ document_id: 'd', prefix: null, suffix: null }] })] }),
    ],
    [
      'an id named __proto__',
      draft({ analysis: [analysis({ id: '__proto__', tool_call_ids: ['__proto__'] })] }),
    ],
  ])('accepts %s', (_, text) => expect(problems(text)).toEqual(['ok']));

  it('reports everything at once, in the order of the schema whatever the order of the keys', () => {
    const text = JSON.stringify({
      zz: 1,
      limitations: [3],
      action_plan: [{ text: 1 }],
      conclusion: 7,
      analysis: [{ b: 1, kind: 'X', a: 1, id: '' }, 4],
    });
    expect(problems(text)).toEqual([
      'BLANK_ID /analysis/0/id',
      'NOT_ALLOWED /analysis/0/kind',
      'UNKNOWN_FIELD /analysis/0/a',
      'UNKNOWN_FIELD /analysis/0/b',
      'WRONG_TYPE /analysis/1',
      'WRONG_TYPE /conclusion',
      'WRONG_TYPE /action_plan/0/text',
      'WRONG_TYPE /limitations/0',
      'UNKNOWN_FIELD /zz',
    ]);
  });

  it.each([
    ['toolCallIds', { analysis: [{ id: 'a', kind: 'NORMAL', toolCallIds: ['c'] }] }, 'tool_call_ids'],
    ['tool_calls', { analysis: [{ id: 'a', kind: 'NORMAL', tool_calls: ['c'] }] }, 'tool_call_ids'],
    ['documents', { analysis: [{ id: 'a', kind: 'NORMAL', document_id: ['c'] }] }, 'document_ids'],
    ['quote', { analysis: [analysis({ quotes: [{ document_id: 'd', txt: 'x' }] })] }, 'text'],
    ['based_on', { conclusion: { text: 't', based_on: ['a1'] } }, 'based_on_analysis_ids'],
    ['analysis_ids', { action_plan: [{ text: 't', analysis_ids: ['a1'] }] }, 'based_on_analysis_ids'],
    ['limitation', { limitation: ['x'] }, 'limitations'],
    ['actionPlan', { actionPlan: [] }, 'action_plan'],
    ['actions', { actions: [] }, 'action_plan'],
  ])('says which field was probably meant by %s', (_, fields, meant) => {
    expect(detailOf(draft(fields))).toMatchObject({ problem: 'UNKNOWN_FIELD', did_you_mean: meant });
  });

  it('does not guess where nothing is near', () => {
    expect(detailOf(draft({ confidence: 0.9 }))).toEqual({ problem: 'UNKNOWN_FIELD', field: 'confidence' });
  });

  it('writes JSON pointers as RFC 6901 says, and none that nobody could read', () => {
    expect(problems(draft({ 'a/b~c': 1 }))).toEqual(['UNKNOWN_FIELD /a~1b~0c']);
    expect(problems(draft({ ['x'.repeat(2000)]: 1 }))).toEqual(['UNKNOWN_FIELD']);
    expect(problems(draft({ 'x\ud800': 1 }))).toEqual(['UNKNOWN_FIELD /x\ufffd']);
  });
});

describe('a key that stands twice', () => {
  it.each([
    [
      'at the top',
      '{"analysis":[],"conclusion":null,"action_plan":[],"analysis":[]}',
      ['KEY_TWICE /analysis'],
    ],
    ['in an analysis', draft().replace('"text":', '"text":"first","text":'), ['KEY_TWICE /analysis/0/text']],
    [
      'written with an escape',
      draft().replace('"text":', '"te\\u0078t":"first","text":'),
      ['KEY_TWICE /analysis/0/text'],
    ],
    ['as __proto__', draft().replace('{', '{"__proto__":1,"__proto__":2,'), ['KEY_TWICE /__proto__']],
    ['three times, named once', '{"a":1,"a":2,"a":3}', ['KEY_TWICE /a']],
    [
      'in several objects',
      '{"a":{"b":1,"b":2},"c":[0,{"d":1,"d":1}]}',
      ['KEY_TWICE /a/b', 'KEY_TWICE /c/1/d'],
    ],
    ['behind a long name', `{"${'x'.repeat(1000)}":{"b":1,"b":2}}`, ['KEY_TWICE']],
  ])('%s', (_, text, expected) => expect(problems(text)).toEqual(expected));

  it.each([
    ['the same key in other objects', draft({ analysis: [analysis({ id: 'a' }), analysis({ id: 'b' })] })],
    [
      'a value that reads like a key',
      draft({ limitations: ['"text":', 'text', '\\"text\\":', '{"a":1,"a":2}'] }),
    ],
    ['a string that ends in backslashes', draft({ limitations: ['\\', '\\\\', '\\"'] })],
    ['keys in other case', '{"analysis":[],"Analysis":[],"conclusion":null,"action_plan":[]}'],
  ])('is not %s', (_, text) => expect(problems(text).filter((p) => p.startsWith('KEY_TWICE'))).toEqual([]));
});

describe('hostile drafts', () => {
  // What grows with the square of its size takes minutes here; a busy machine takes a second.
  const within = (text: string, ms = 10_000): void => {
    const start = performance.now();
    read(text);
    expect(performance.now() - start).toBeLessThan(ms);
  };
  const KB = 250_000;
  it.each([
    ['unknown fields', `{${Array.from({ length: KB / 11 }, (_, i) => `"${i.toString(36)}":0`).join(',')}}`],
    ['one key twice, again and again', `{"${'k'.repeat(KB / 2)}":{${'"":0,'.repeat(KB / 10)}"a":0}}`],
    ['keys twice under a long name', `{"${'k'.repeat(KB / 2)}":[${'{"":0,"":0},'.repeat(KB / 24)}0]}`],
    ['a list far too long', `{"limitations":[${'0,'.repeat(KB / 2)}0]}`],
    [
      'wrong things in every list',
      draft({
        analysis: Array.from({ length: 64 }, () => ({ quotes: Array.from({ length: 32 }, () => ({})) })),
      }),
    ],
    ['backslashes', `{"${'\\'.repeat(KB)}`],
    ['escaped quotes', `{"${'\\"'.repeat(KB / 2)}`],
    ['quotes', '"'.repeat(KB)],
    ['opening brackets', '['.repeat(KB)],
    ['backticks', '`'.repeat(KB)],
    ['a fence of white space', `\`\`\`\n${' '.repeat(KB)}`],
    ['blank text', draft({ limitations: [' '.repeat(KB) + 'x'] })],
  ])('are read in linear time: %s', (_, text) => within(text));
});
