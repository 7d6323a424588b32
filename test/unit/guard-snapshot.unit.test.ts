import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/contracts/digest.js';
import { avroType } from '../../src/contracts/codec.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import { withRuleSet } from '../../src/guard/guard.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { toVerdictFields } from '../../src/guard/record.js';
import { analysis, bare, draft, judge, LATER, ready, view } from '../support/guard.js';

const twoAnalyses = draft({
  analysis: [
    analysis({
      tool_call_ids: ['c2', 'c1', 'c2'],
      document_ids: ['gw#chunk-2'],
      quotes: [{ document_id: 'db#chunk-0', text: 'text of db#chunk-0' }],
    }),
    analysis({ id: 'a2', tool_call_ids: ['c1'] }),
  ],
});
const ledger = [
  ready('c1', ['gw#chunk-1', 'gw#chunk-2']),
  ready('c2', ['db#chunk-0']),
  ready('uncited', ['u']),
];

describe('the snapshot of a draft that passed', () => {
  const result = judge(twoAnalyses, ledger);

  it('holds each cited lookup once, in the order of first citation, re-read from the ledger', () => {
    expect(result.status).toBe('PASSED');
    expect(result.lookups.map((lookup) => lookup.toolCallId)).toEqual(['c2', 'c1']);
    expect(result.lookups[0]).toEqual({
      toolCallId: 'c2',
      query: 'about c2',
      evidenceStatus: 'EVIDENCE_FOUND',
      relevanceLevel: 'PRECISE',
      truncated: false,
      cuts: [],
      noEvidenceBasis: null,
      agentViewSha256: sha256(ledger[1]?.agentView ?? ''),
      items: view('c2', ['db#chunk-0']).evidence,
    });
  });

  it('says which items each analysis could cite, and which it names in a field', () => {
    expect(result.analyses).toEqual([
      {
        id: 'a1',
        citations: [
          { toolCallId: 'c2', documentId: 'db#chunk-0', cited: true },
          { toolCallId: 'c1', documentId: 'gw#chunk-1', cited: false },
          { toolCallId: 'c1', documentId: 'gw#chunk-2', cited: true },
        ],
      },
      {
        id: 'a2',
        citations: [
          { toolCallId: 'c1', documentId: 'gw#chunk-1', cited: false },
          { toolCallId: 'c1', documentId: 'gw#chunk-2', cited: false },
        ],
      },
    ]);
  });

  it('keeps what the ledger says of cuts and of why there was no evidence', () => {
    const cuts = [{ code: 'QUERY_CUT', documentId: null }];
    const agentView = writeAgentView(view('c1', [], { truncated: true }));
    const entry = ready('c1', [], { agentView, cuts, noEvidenceBasis: 'below_threshold' });
    const text = draft({ analysis: [analysis({ kind: 'NEGATIVE_OBSERVATION' })] });
    expect(judge(text, [entry]).lookups).toMatchObject([
      { truncated: true, cuts, noEvidenceBasis: 'below_threshold', items: [] },
    ]);
  });

  it.each([
    ['byte_budget', { cuts: [{ code: 'BYTE_BUDGET', documentId: 'd' }] }],
    ['all_dropped', { dropped: [{ evidenceKey: 'd', documentId: 'd', originalRank: 1, reason: 'BLANK' }] }],
    [null, {}],
  ])('tells from the entry that nothing was shown because of %s', (noEvidenceBasis, other) => {
    const text = draft({ analysis: [analysis({ kind: 'NEGATIVE_OBSERVATION' })] });
    expect(judge(text, [ready('c1', [], other)]).lookups).toMatchObject([{ noEvidenceBasis }]);
  });
});

describe('what a verdict keeps of a draft that was rejected', () => {
  const text = draft({
    analysis: [analysis({ tool_call_ids: ['c1', 'pend', 'nope', 'forged'], document_ids: ['gw#chunk-1'] })],
  });
  const pend = bare('pend', 'PENDING', { offset: null });
  const forged = ready('forged', ['f'], { signature: 'INVALID' });
  const result = judge(text, [...ledger, pend, forged]);

  it('is no evidence, but what could be read was shown', () => {
    expect(result).toMatchObject({ status: 'REJECTED', lookups: [] });
    expect(result.shown).toEqual([
      {
        toolCallId: 'c1',
        evidenceStatus: 'EVIDENCE_FOUND',
        truncated: false,
        items: [
          { documentId: 'gw#chunk-1', title: 'title of gw#chunk-1' },
          { documentId: 'gw#chunk-2', title: 'title of gw#chunk-2' },
        ],
      },
    ]);
    expect(result.analyses[0]?.citations.map((citation) => citation.cited)).toEqual([true, false]);
  });

  it('is what was read of the ledger for every cited call, found or not', () => {
    const entry = { foundRunId: 'r1', expiresAt: LATER, signatureCheck: 'VALID', partition: 3, offset: 40 };
    expect(result.read).toEqual([
      { ...entry, toolCallId: 'c1', state: 'READY', agentViewSha256: ledger[0]?.agentViewSha256 },
      { ...entry, toolCallId: 'pend', state: 'PENDING', agentViewSha256: null, offset: null },
      {
        toolCallId: 'nope',
        foundRunId: null,
        state: null,
        agentViewSha256: null,
        expiresAt: null,
        signatureCheck: 'ABSENT',
        partition: 3,
        offset: 41,
      },
      {
        ...entry,
        toolCallId: 'forged',
        state: 'READY',
        agentViewSha256: forged.agentViewSha256,
        signatureCheck: 'INVALID',
      },
    ]);
  });
});

describe('the digest of the draft', () => {
  it('is of the text as it came, made well-formed', () => {
    const fenced = `\`\`\`\n${draft()}\n\`\`\``;
    expect(judge(fenced).draftSha256).toBe(sha256(fenced));
    expect(judge('\ud800').draftSha256).toBe(sha256('\ufffd'));
  });
});

describe('the record of a verdict', () => {
  const limits = defaultGuardLimits;
  const envelope = {
    eventId: 'e',
    causedBy: null,
    runId: 'r1',
    occurredAt: 0,
    draftId: 'd',
    attempt: 1,
    prompt: null,
    generation: null,
    limits: null,
    ext: {},
  };
  const isRecord = (fields: object): boolean =>
    avroType('verdict.v1').isValid({ ...envelope, ...fields }, { noUndeclaredFields: true });

  it('fits its schema, whatever the status', () => {
    for (const text of [twoAnalyses, draft({ limitations: [] }), 'nonsense']) {
      expect(isRecord(toVerdictFields(judge(text, ledger), limits))).toBe(true);
    }
  });

  it('holds the first 1,000 violations and counts all', () => {
    const text = draft({
      analysis: [analysis({ text: Array.from({ length: 1500 }, (_, i) => `#chunk-${i}`).join(' ') })],
    });
    const result = judge(text, ledger);
    const fields = toVerdictFields(result, limits);
    expect(result.violations).toHaveLength(1500);
    expect(fields.violations).toHaveLength(1000);
    expect(fields.violationCount).toBe(1500);
    expect(fields.violations.map(({ path }) => path)).toEqual(
      result.violations.slice(0, 1000).map(({ path }) => path),
    );
  });

  it.each([
    ['long', 'x'.repeat(5000)],
    ['full of escapes', '"\\\u0001'.repeat(1000)],
    ['of emoji', '👩‍👩‍👧‍👦'.repeat(1000)],
  ])('has messages and details of 500 characters at most, still JSON, where an id is %s', (_, id) => {
    const result = judge(
      draft({ analysis: [analysis({ document_ids: [id], tool_call_ids: ['c1'] })] }),
      ledger,
    );
    const [violation] = toVerdictFields(result, limits).violations;
    expect(violation?.message.length).toBeLessThanOrEqual(500);
    expect(violation?.detailJson.length).toBeLessThanOrEqual(500);
    const detail = JSON.parse(violation?.detailJson ?? '') as { document_id: string; why: string };
    expect(detail.why).toBe('NEVER_RETRIEVED');
    expect(detail.document_id).toMatch(/…$/);
    expect(detail.document_id.isWellFormed()).toBe(true);
    expect(result.violations[0]?.detail).toMatchObject({ document_id: id });
  });

  it('cuts a message at its limit', () => {
    const result = judge(draft({ limitations: [] }));
    const [violation] = toVerdictFields(result, { ...limits, recordChars: 20 }).violations;
    expect(violation?.message).toBe(result.violations[0]?.message.slice(0, 20));
  });
});

describe('another rule set', () => {
  const quote = {
    path: '/analysis/0/quotes/0',
    rung: null,
    toolCallId: null,
    documentId: 'd',
    start: null,
    end: null,
    excerptSha256: null,
    ambiguous: false,
    afterNegation: false,
    places: [],
  };
  const violation = {
    code: 'QUOTE_NOT_FOUND',
    path: '/analysis/0/quotes/0/text',
    message: 'm',
    detail: {},
    ledgerFault: false,
  };

  it('leaves a draft passed when it finds nothing wrong', () => {
    const passed = judge(draft(), ledger);
    expect(withRuleSet(passed, { ruleSet: 'quotes-1', violations: [], quotes: [quote] })).toEqual({
      ...passed,
      ruleSets: ['core-20', 'quotes-1'],
      quotes: [quote],
    });
  });

  it('rejects it otherwise, after the violations of core-20, and takes the evidence away', () => {
    const findings = { ruleSet: 'quotes-1', violations: [violation], quotes: [quote] };
    expect(withRuleSet(judge(draft(), ledger), findings)).toMatchObject({
      status: 'REJECTED',
      violations: [violation],
      violationCount: 1,
      lookups: [],
    });
    const broken = judge(draft(), [ready('c1', ['d'], { signature: 'INVALID' })]);
    expect(broken.faultIsOurs).toBe(true);
    const both = withRuleSet(broken, findings);
    expect(both.faultIsOurs).toBe(false);
    expect(both.violations.map(({ code }) => code)).toEqual(['LEDGER_INTEGRITY_BROKEN', 'QUOTE_NOT_FOUND']);
  });
});
