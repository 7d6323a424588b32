import { describe, expect, it } from 'vitest';
import { violationTable } from '../../src/guard/violations.js';
import { analysis, bare, draft, found, judge, ready } from '../support/guard.js';

describe('the table of core-20', () => {
  it('has 20 violations in three groups, numbered in order', () => {
    const rows = Object.values(violationTable);
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const sizes = ['A', 'B', 'C'].map((group) => rows.filter((row) => row.group === group).length);
    expect(sizes).toEqual([10, 8, 2]);
  });
});

describe('given a draft that is in order', () => {
  it('then it passes and nothing is said', () => {
    const result = judge(
      draft({
        analysis: [
          analysis({ text: 'see gw#chunk-1', document_ids: ['gw#chunk-1'] }),
          analysis({ id: 'a2', kind: 'NEGATIVE_OBSERVATION', tool_call_ids: ['c2'] }),
        ],
        conclusion: { text: 'so', based_on_analysis_ids: ['a1', 'a2'] },
        action_plan: [{ text: 'do', based_on_analysis_ids: ['a2'] }],
      }),
      [ready('c1', ['gw#chunk-1']), ready('c2')],
    );
    expect(result).toMatchObject({ status: 'PASSED', violations: [], violationCount: 0, faultIsOurs: false });
  });

  it('then a null conclusion over no analysis at all passes too', () => {
    expect(judge(draft({ analysis: [] }), []).status).toBe('PASSED');
  });
});

describe('given a draft that is malformed', () => {
  it('then nothing else is checked, and there is no draft', () => {
    const result = judge(draft({ analysis: [analysis({ tool_call_ids: ['nope'] })], more: 1 }));
    expect(found(result)).toEqual(['DRAFT_MALFORMED /more']);
    expect(result).toMatchObject({
      status: 'REJECTED',
      draft: null,
      lookups: [],
      shown: [],
      analyses: [],
      read: [],
    });
    expect(result.draftSha256).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('given analyses', () => {
  it('when an id was taken by an earlier one, then each later one is a duplicate', () => {
    const analyses = ['a1', 'b', 'a1', 'a1'].map((id) => analysis({ id }));
    expect(found(judge(draft({ analysis: analyses })))).toEqual([
      'ANALYSIS_ID_DUPLICATE /analysis/2/id',
      'ANALYSIS_ID_DUPLICATE /analysis/3/id',
    ]);
  });

  it('then ids are compared exactly', () => {
    const analyses = ['a', 'A', 'a ', '__proto__', 'constructor'].map((id) => analysis({ id }));
    expect(judge(draft({ analysis: analyses })).status).toBe('PASSED');
  });

  it.each([undefined, null, '', ' \n\u00a0', '\u200b\ufeff\u00ad\u2060'])(
    'when the text is %j, then it is blank',
    (text) => {
      expect(found(judge(draft({ analysis: [analysis({ text })] })))).toEqual([
        'ANALYSIS_TEXT_BLANK /analysis/0/text',
      ]);
    },
  );

  it.each([undefined, []])('when tool_call_ids is %j, then it is uncited', (calls) => {
    expect(found(judge(draft({ analysis: [analysis({ tool_call_ids: calls })] })))).toEqual([
      'ANALYSIS_UNCITED /analysis/0/tool_call_ids',
    ]);
  });
});

describe.each([
  ['conclusion', (statement: unknown) => draft({ conclusion: statement }), '/conclusion', 'CONCLUSION'],
  ['action', (statement: unknown) => draft({ action_plan: [statement] }), '/action_plan/0', 'ACTION'],
])('given a %s', (_, make, path, code) => {
  it('when it has no text, then it is blank', () => {
    for (const text of [undefined, null, '', '\u200b']) {
      expect(found(judge(make({ text, based_on_analysis_ids: ['a1'] })))).toEqual([
        `${code}_TEXT_BLANK ${path}/text`,
      ]);
    }
  });

  it('when it is based on nothing, then it is ungrounded', () => {
    for (const ids of [undefined, []]) {
      expect(found(judge(make({ text: 't', based_on_analysis_ids: ids })))).toEqual([
        `${code}_UNGROUNDED ${path}/based_on_analysis_ids`,
      ]);
    }
  });

  it('when it refers to analyses that are not there, then each is named once, at its first place', () => {
    expect(found(judge(make({ text: 't', based_on_analysis_ids: ['x', 'a1', '__proto__', 'x'] })))).toEqual([
      `ANALYSIS_REF_UNKNOWN ${path}/based_on_analysis_ids/0`,
      `ANALYSIS_REF_UNKNOWN ${path}/based_on_analysis_ids/2`,
    ]);
  });
});

describe('given limitations', () => {
  it.each([[undefined], [[]], [['']], [[' ', '\u200b']]])(
    'when they are %j, then they are missing',
    (limitations) => {
      expect(found(judge(draft({ limitations })))).toEqual(['LIMITATIONS_MISSING /limitations']);
    },
  );

  it('when one of them says something, then they are there', () => {
    expect(judge(draft({ limitations: ['', 'x'] })).status).toBe('PASSED');
  });
});

describe('given a draft with everything wrong', () => {
  it('then all is found, by number in the table, then by place in the draft', () => {
    const entries = [
      ready('c1', ['gw#chunk-1']),
      ready('none'),
      ready('old', ['o#chunk-1'], { expiresAt: 0 }),
      ready('forged', ['f#chunk-1'], { signature: 'INVALID' }),
      bare('torn', 'UNREADABLE'),
      bare('pend', 'PENDING'),
      bare('fail', 'FAILED'),
      ready('theirs', ['t#chunk-1'], { runId: 'r2' }),
    ];
    const result = judge(
      JSON.stringify({
        action_plan: [{}],
        conclusion: { based_on_analysis_ids: ['zz'] },
        analysis: [
          analysis({
            document_ids: ['x#chunk-1'],
            quotes: [{ document_id: 'y#chunk-1' }],
            text: 'z#chunk-9',
          }),
          analysis({ tool_call_ids: ['none'] }),
          analysis({ id: 'a3', kind: 'NEGATIVE_OBSERVATION' }),
          analysis({ id: 'a4', text: '', tool_call_ids: [] }),
          analysis({
            id: 'a5',
            tool_call_ids: ['torn', 'forged', 'old', 'fail', 'pend', 'theirs', 'nobody'],
          }),
        ],
      }),
      entries,
    );
    expect(found(result)).toEqual([
      'ANALYSIS_ID_DUPLICATE /analysis/1/id',
      'ANALYSIS_TEXT_BLANK /analysis/3/text',
      'ANALYSIS_UNCITED /analysis/3/tool_call_ids',
      'CONCLUSION_TEXT_BLANK /conclusion/text',
      'ACTION_TEXT_BLANK /action_plan/0/text',
      'ACTION_UNGROUNDED /action_plan/0/based_on_analysis_ids',
      'ANALYSIS_REF_UNKNOWN /conclusion/based_on_analysis_ids/0',
      'LIMITATIONS_MISSING /limitations',
      'TOOL_CALL_UNKNOWN /analysis/4/tool_call_ids/6',
      'TOOL_CALL_FOREIGN_RUN /analysis/4/tool_call_ids/5',
      'TOOL_CALL_PENDING /analysis/4/tool_call_ids/4',
      'TOOL_CALL_FAILED /analysis/4/tool_call_ids/3',
      'TOOL_CALL_EXPIRED /analysis/4/tool_call_ids/2',
      'KIND_CLAIMS_EVIDENCE /analysis/1/tool_call_ids/0',
      'KIND_DENIES_EVIDENCE /analysis/2/tool_call_ids/0',
      'DOCUMENT_NOT_SHOWN /analysis/0/text',
      'DOCUMENT_NOT_SHOWN /analysis/0/document_ids/0',
      'DOCUMENT_NOT_SHOWN /analysis/0/quotes/0/document_id',
      'LEDGER_PROJECTION_INVALID /analysis/4/tool_call_ids/0',
      'LEDGER_INTEGRITY_BROKEN /analysis/4/tool_call_ids/1',
    ]);
    const codes = new Set(result.violations.map(({ code }) => code));
    // CONCLUSION_UNGROUNDED excludes ANALYSIS_REF_UNKNOWN at the same place, DRAFT_MALFORMED everything.
    expect(codes.size).toBe(18);
  });

  it('then every message is whole: no blank is left to fill', () => {
    const result = judge(draft({ analysis: [analysis({ tool_call_ids: ['x', 'y'] })], limitations: [] }), [
      bare('y', 'PENDING'),
    ]);
    for (const { message } of result.violations) expect(message).not.toMatch(/[{}]|undefined/);
  });
});
