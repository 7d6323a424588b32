import { describe, expect, test } from 'vitest';
import type { AgentView } from '../../src/contracts/generated.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';

const view: AgentView = {
  evidenceStatus: 'EVIDENCE_FOUND',
  toolCallId: 'call_x1',
  query: '网关超时怎么排查',
  evidence: [
    { documentId: 'gw#chunk-1', source: 'gw', title: null, breadcrumb: 'A > "B"', excerpt: 'one\ntwo 😀 \\' },
    { documentId: 'gw#chunk-2', source: null, title: 'T', breadcrumb: null, excerpt: '\u2028\u007f\u0001' },
  ],
  returnedCount: 2,
  relevanceLevel: 'PRECISE',
  truncated: false,
};
const none: AgentView = {
  ...view,
  evidenceStatus: 'NO_EVIDENCE',
  evidence: [],
  returnedCount: 0,
  relevanceLevel: null,
};
const text = writeAgentView(view);

function problemOf(changed: string, toolCallId = 'call_x1'): string {
  const reading = parseAgentView(changed, toolCallId);
  return 'problem' in reading ? reading.problem : '';
}

test('a view is written as JSON.stringify writes it, its fields in the order of the contract', () => {
  expect(writeAgentView(none)).toBe(
    '{"evidence_status":"NO_EVIDENCE","tool_call_id":"call_x1","query":"网关超时怎么排查","evidence":[],' +
      '"returned_count":0,"relevance_level":null,"truncated":false}',
  );
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
});

test.each([view, none, { ...view, truncated: true, relevanceLevel: 'REFERENCE' as const }])(
  'what was written is read back: %#',
  (written) => {
    expect(parseAgentView(writeAgentView(written), 'call_x1')).toEqual({ view: written });
  },
);

describe('a text that no projection wrote is refused', () => {
  test.each<[string, string, string]>([
    ['nothing', text, ''],
    ['another kind of value', text, '[]'],
    ['white space inside', '{"evidence_status":', '{"evidence_status": '],
    ['white space behind', 'false}', 'false}\n'],
    ['a byte order mark', '{"evidence_status"', '\ufeff{"evidence_status"'],
    ['a field too many', '"truncated":false}', '"truncated":false,"score":0.9}'],
    ['a field too many in an item', ',"source":"gw"', ',"score":1,"source":"gw"'],
    ['a field that every object inherits', '"truncated":false}', '"truncated":false,"__proto__":null}'],
    ['a field twice', '"truncated":false}', '"truncated":false,"truncated":false}'],
    ['a missing field', ',"truncated":false', ''],
    ['a missing field in an item', '"title":null,', ''],
    ['other order', '"source":"gw","title":null', '"title":null,"source":"gw"'],
    ['an unknown status', 'EVIDENCE_FOUND', 'EVIDENCE'],
    ['a status that does not fit its items', 'EVIDENCE_FOUND', 'NO_EVIDENCE'],
    ['a count that is off', '"returned_count":2', '"returned_count":3'],
    ['a count in another spelling', '"returned_count":2', '"returned_count":2.0'],
    ['a count that is a string', '"returned_count":2', '"returned_count":"2"'],
    ['an unknown level', '"PRECISE"', '"GREAT"'],
    ['a title that is a number', '"title":null', '"title":7'],
    ['a document id that is null', '"document_id":"gw#chunk-1"', '"document_id":null'],
    ['an excerpt that is a list', String.raw`"excerpt":"one\ntwo 😀 \\"`, '"excerpt":[]'],
    ['evidence that is null', /\[.*\]/s.exec(text)![0], 'null'],
    ['a comma too many', '}],', '},],'],
    ['one identity twice', 'gw#chunk-2', 'gw#chunk-1'],
    ['truncated as a number', '"truncated":false', '"truncated":0'],
    ['an escape that was not needed', '"T"', String.raw`"\u0054"`],
    ['an escaped slash', '"T"', String.raw`"\/"`],
    ['an escape in capitals', String.raw`\u0001`, String.raw`\u0001\u001F`],
    ['a long escape for a line break', String.raw`\n`, String.raw`\u000a`],
    ['a bare control character', '"T"', '"T\u0001"'],
    ['a bare line break', String.raw`\n`, '\n'],
    ['an escaped half of a surrogate pair', '"T"', String.raw`"\ud800"`],
    ['a bare half of a surrogate pair', '"T"', '"\ud800"'],
    ['a surrogate pair that is escaped', '😀', String.raw`\ud83d\ude00`],
    ['an unfinished string', /"truncated.*/.exec(text)![0], ''],
    ['an unfinished escape', '"T"', String.raw`"\"`],
  ])('%s', (_, from, to) => {
    expect(text).toContain(from);
    expect(problemOf(text.replace(from, () => to))).not.toBe('');
  });

  test('another tool_call_id, also one that only differs in case', () => {
    expect(problemOf(text, 'call_X1')).toContain('"tool_call_id":"call_X1"');
  });

  test('evidence under NO_EVIDENCE and a level without evidence', () => {
    expect(problemOf(writeAgentView({ ...none, evidenceStatus: 'EVIDENCE_FOUND' }))).toContain('0 items');
    expect(problemOf(writeAgentView({ ...none, relevanceLevel: 'PRECISE' }))).toContain('relevance_level');
  });
});

test('the problem says where the text goes wrong, in few words', () => {
  const changed = text.replace('"truncated":false}', `"truncated":false,"score":${'9'.repeat(1000)}}`);
  expect(problemOf(changed)).toMatch(/^at character \d+ it goes on with ",\\"score\\":999+", not with }$/);
  expect(problemOf(changed).length).toBeLessThan(120);
});

test('hostile texts take time in proportion to their length', () => {
  const backslashes = text.replace('"T"', () => `"${'\\'.repeat(1_000_000)}`);
  const quotes = text.replace('"T"', () => `"${String.raw`\"`.repeat(500_000)}`);
  const start = process.cpuUsage();
  for (const hostile of [backslashes, quotes, '{'.repeat(1_000_000), '['.repeat(1_000_000)])
    expect(problemOf(hostile)).not.toBe('');
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
