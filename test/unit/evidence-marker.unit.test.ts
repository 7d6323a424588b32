import { expect, test } from 'vitest';
import { hasMarker } from '../../src/evidence/marker.js';

test.each([
  'as shown [S1].',
  'as shown[12]',
  'several [1, 2] of them',
  'a range [S1-S3]',
  'a footnote [^1]',
  '如图【1】所示',
  '如［２］所示',
  'see gw#chunk-3',
  '{"evidence_status":"NO_EVIDENCE"}',
  '"tool_call_ids": ["call_x1"]',
  String.raw`{\"based_on_analysis_ids\": []}`,
  "{'document_id': 'gw'}",
])('%s: looks like a citation or like the contract', (excerpt) => {
  expect(hasMarker(excerpt)).toBe(true);
});

test.each([
  'Check the upstream first.',
  '网关超时先检查 upstream 配置…',
  '- [ ] a task, - [x] done',
  'log[ERROR] and [Evidence]',
  'a chunk # chunk-3, chunk-3',
  'the evidence_status is read first',
  'args[index] or [12345]',
])('%s: does not', (excerpt) => {
  expect(hasMarker(excerpt)).toBe(false);
});

test('a long text that nearly matches all the way takes no time to speak of', () => {
  const start = process.cpuUsage();
  expect(hasMarker('[1,1,1,1,1,1,1,1,1,1,'.repeat(20_000))).toBe(false);
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});
