import { expect, it } from 'vitest';
import { readDraft } from '../../src/guard/draft.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { bindDraft } from '../../src/spans/bind-draft.js';

function spansOf(json: object) {
  const reading = readDraft(JSON.stringify(json), defaultGuardLimits);
  if (!('draft' in reading)) throw new Error(JSON.stringify(reading.violations));
  return bindDraft(reading.draft, { citations: [{ citationId: 'S1', snippet: 'The pool is full.' }] });
}

const draft = {
  analysis: [
    {
      id: 'a1',
      kind: 'NORMAL',
      text: 'The pool is full. It has 10 places.',
      tool_call_ids: ['c1'],
      document_ids: ['db#chunk-0'],
    },
    { id: 'a2', kind: 'NORMAL', text: 'The disk is full. So is the log [S1].', tool_call_ids: ['c2'] },
    { id: 'a3', kind: 'NEGATIVE_OBSERVATION', text: 'The log says nothing of it.', tool_call_ids: ['c3'] },
  ],
  conclusion: { text: 'The pool is too small.', based_on_analysis_ids: ['a1', 'a2'] },
  action_plan: [{ text: 'Enlarge the disk.', based_on_analysis_ids: ['a2'] }],
  limitations: ['The disk was not looked at.'],
};

it('the claims of a draft have what their text cites, and statements what their analyses do', () => {
  const { unit, texts } = spansOf(draft);
  expect(unit).toBe('utf16');
  expect(
    texts.map(({ path, toolCallIds, documentIds, claims }) => [
      path,
      toolCallIds,
      documentIds,
      claims.map(({ needsCitation }) => needsCitation),
    ]),
  ).toEqual([
    ['/analysis/0/text', ['c1'], ['db#chunk-0'], [false, false]],
    ['/analysis/1/text', ['c2'], [], [true, false]],
    ['/analysis/2/text', ['c3'], [], [false]],
    ['/conclusion/text', ['c1', 'c2'], ['db#chunk-0'], [false]],
    ['/action_plan/0/text', ['c2'], [], [true]],
  ]);
  expect(texts[1]?.claims[1]?.citations).toEqual(['S1']);
});

it('a draft without a conclusion has no claims of it', () => {
  const { texts } = spansOf({ ...draft, analysis: [], conclusion: null, action_plan: [] });
  expect(texts).toEqual([]);
});
