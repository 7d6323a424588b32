import { describe, expect, it } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import { sha256 } from '../../src/contracts/digest.js';
import type { EvidenceItem } from '../../src/contracts/generated.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import type { EvidenceEntry } from '../../src/guard/entries.js';
import { quoteRules } from '../../src/guard/quote-rules.js';
import { readDraft } from '../../src/guard/draft.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { openLedger } from '../../src/guard/ledger.js';
import { plainViews } from '../../src/guard/view-cache.js';
import { toVerdictFields } from '../../src/guard/record.js';
import { analysis, bare, draft, found, judge, NOW, ready, RUN, view } from '../support/guard.js';

/** A READY entry that shows these excerpts. */
function shows(
  toolCallId: string,
  excerpts: Readonly<Record<string, string>>,
  other: Partial<EvidenceEntry> = {},
): EvidenceEntry {
  const base = view(toolCallId, Object.keys(excerpts));
  const evidence = base.evidence.map((item): EvidenceItem => ({
    ...item,
    excerpt: excerpts[item.documentId] ?? '',
  }));
  return ready(toolCallId, [], { agentView: writeAgentView({ ...base, evidence }), ...other });
}

const quoting = (quotes: readonly unknown[], calls: readonly string[] = ['c1']): string =>
  draft({ analysis: [analysis({ tool_call_ids: calls, quotes })] });

const GATEWAY = '网关超时先检查 upstream 配置，再看 “timeout” 日志。';
const entry = shows('c1', {
  'gw#chunk-1': GATEWAY,
  'gw#chunk-2': 'Drain the node first, then restart the pod.',
});

describe('a draft that quotes', () => {
  it('passes with where each quote stands', () => {
    const quotes = [
      { document_id: 'gw#chunk-1', text: '先检查 upstream 配置' },
      { document_id: 'gw#chunk-1', text: '再看 "timeout" 日志' },
    ];
    const result = judge(quoting(quotes), [entry]);
    expect(found(result)).toEqual([]);
    expect(result.ruleSets).toEqual(['core-20', 'quotes-1']);
    const common = {
      toolCallId: 'c1',
      documentId: 'gw#chunk-1',
      excerptSha256: sha256(GATEWAY),
      ambiguous: false,
      afterNegation: false,
      places: [],
    };
    expect(result.quotes).toEqual([
      { path: '/analysis/0/quotes/0', rung: 'EXACT', start: 4, end: 19, ...common },
      { path: '/analysis/0/quotes/1', rung: 'FOLDED', start: 20, end: 35, ...common },
    ]);
    expect(result.analyses[0]?.citations[0]).toMatchObject({ documentId: 'gw#chunk-1', cited: true });
  });

  it('is rejected with all that is wrong at once, after the violations of core-20', () => {
    const quotes = [
      { document_id: 'gw#chunk-1' },
      { document_id: 'no#chunk-1', text: 'whatever it says' },
      { document_id: 'gw#chunk-1', text: 'Drain the node first' },
      { document_id: 'gw#chunk-2', text: 'Drain the node second' },
      { document_id: 'gw#chunk-2', text: 'restart the pod' },
    ];
    const text = draft({ analysis: [analysis({ quotes })], limitations: [] });
    const result = judge(text, [entry]);
    expect(found(result)).toEqual([
      'LIMITATIONS_MISSING /limitations',
      'DOCUMENT_NOT_SHOWN /analysis/0/quotes/1/document_id',
      'QUOTE_TOO_SHORT /analysis/0/quotes/0/text',
      'QUOTE_MISATTRIBUTED /analysis/0/quotes/2/text',
      'QUOTE_NOT_FOUND /analysis/0/quotes/3/text',
    ]);
    expect(result).toMatchObject({ status: 'REJECTED', violationCount: 5, lookups: [], faultIsOurs: false });
    expect(result.violations[3]).toMatchObject({
      message: expect.stringContaining('"gw#chunk-2" of lookup "c1"') as string,
      detail: { document_id: 'gw#chunk-1', shown_as: 'gw#chunk-2', shown_by: 'c1', start: 0, end: 20 },
    });
    expect(result.violations[4]?.detail).toMatchObject({ nearest: 'Drain the node first, then' });
    expect(result.quotes.map(({ path, rung }) => `${path} ${String(rung)}`)).toEqual([
      '/analysis/0/quotes/0 null',
      '/analysis/0/quotes/2 null',
      '/analysis/0/quotes/3 null',
      '/analysis/0/quotes/4 EXACT',
    ]);
    for (const { message } of result.violations) expect(message).not.toMatch(/[{}]/);
  });

  it('has a record that the contract can write', () => {
    const quotes = [
      { document_id: 'gw#chunk-2', text: 'no such words' },
      { document_id: 'gw#chunk-2', text: 'the pod' },
    ];
    const fields = toVerdictFields(judge(quoting(quotes), [entry]), defaultGuardLimits);
    const body = {
      draftId: 'd',
      attempt: 1,
      ...fields,
      prompt: null,
      generation: null,
      limits: null,
      ext: {},
    };
    const message = { eventId: 'e', causedBy: null, runId: RUN, occurredAt: NOW, ...body };
    const codec = createCodec();
    expect(codec.decode('verdict.v1', codec.encode('verdict.v1', message))).toMatchObject({
      quotes: [
        { rung: null, start: null },
        { rung: 'EXACT', places: [] },
      ],
      violations: [{ code: 'QUOTE_NOT_FOUND' }],
    });
  });

  it('is not checked where a lookup could not be read: that finding is enough', () => {
    const result = judge(quoting([{ document_id: 'gw#chunk-1', text: 'invented words' }], ['c1', 'c2']), [
      entry,
      bare('c2', 'FAILED'),
    ]);
    expect(found(result)).toEqual(['TOOL_CALL_FAILED /analysis/0/tool_call_ids/1']);
    expect(result.quotes).toEqual([]);
  });

  it('without quotes is judged by core-20 alone', () => {
    expect(judge(draft(), [entry])).toMatchObject({ ruleSets: ['core-20'], quotes: [] });
  });
});

describe('several lookups that showed the document', () => {
  const folded = shows('c1', { d: 'restart  the pod' });
  const exact = shows('c2', { d: 'please restart the pod' });
  const same = shows('c3', { d: 'please restart the pod' });
  const quote = [{ document_id: 'd', text: 'restart the pod' }];

  it('the best rung wins, then the order in which they are cited', () => {
    const of = (...calls: string[]) => judge(quoting(quote, calls), [folded, exact, same]).quotes[0];
    expect(of('c1', 'c2', 'c3')).toMatchObject({ rung: 'EXACT', toolCallId: 'c2', start: 7 });
    expect(of('c3', 'c2')).toMatchObject({ rung: 'EXACT', toolCallId: 'c3' });
    expect(of('c1')).toMatchObject({ rung: 'FOLDED', toolCallId: 'c1', start: 0, end: 16 });
  });
});

describe('words that were not shown there', () => {
  const quote = [{ document_id: 'd', text: 'restart the broker last' }];

  it('but stand behind the cut: QUOTE_NOT_SHOWN', () => {
    const content = 'Check the disk first. Then restart the broker last.';
    const cut = shows('c1', { d: 'Check the disk first.' }, { blocks: [{ documentId: 'd', content }] });
    expect(found(judge(quoting(quote), [cut]))).toEqual(['QUOTE_NOT_SHOWN /analysis/0/quotes/0/text']);
  });

  it('but in another lookup of the run: QUOTE_MISATTRIBUTED, first of those that the analysis cites', () => {
    const others = [
      shows('c1', { d: 'Check the disk.' }),
      shows('c0', { e: 'restart the broker last' }),
      shows('c9', { f: 'restart the broker last' }),
    ];
    const detailOf = (calls: string[]) => judge(quoting(quote, calls), others).violations[0]?.detail;
    expect(detailOf(['c1'])).toMatchObject({ shown_as: 'e', shown_by: 'c0' });
    expect(detailOf(['c1', 'c9'])).toMatchObject({ shown_as: 'f', shown_by: 'c9' });
    const foreign = shows('c0', { e: 'restart the broker last' }, { runId: 'another' });
    expect(found(judge(quoting(quote), [others[0]!, foreign]))).toEqual([
      'QUOTE_NOT_FOUND /analysis/0/quotes/0/text',
    ]);
  });

  it('are rejected also when nothing may be read to explain it', () => {
    const reading = readDraft(quoting(quote), defaultGuardLimits);
    if (!('draft' in reading)) throw new Error('no draft');
    const entries = [shows('c1', { d: 'Check.' }), shows('c0', { e: 'restart the broker last' })];
    const ledger = openLedger({ runId: RUN, submittedAt: NOW, entries }, plainViews(sha256));
    const codes = (hintUnits: number) =>
      quoteRules(reading.draft, ledger, sha256, hintUnits)?.violations.map(({ code }) => code);
    expect(codes(1000)).toEqual(['QUOTE_MISATTRIBUTED']);
    expect(codes(0)).toEqual(['QUOTE_NOT_FOUND']);
  });
});
