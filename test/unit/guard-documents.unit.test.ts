import { describe, expect, it } from 'vitest';
import { EditSearch, NearMisses } from '../../src/guard/near-misses.js';
import { isOneEditApart } from '../../src/guard/edits.js';
import type { EvidenceEntry } from '../../src/guard/entries.js';
import { analysis, bare, draft, found, judge, ready, type AnalysisText } from '../support/guard.js';

const ledger = [ready('c1', ['gw#chunk-1', 'gw#chunk-2']), ready('c2', ['db#chunk-0'])];

/** The verdict on one analysis. */
function of(fields: AnalysisText, entries: readonly EvidenceEntry[] = ledger) {
  return judge(draft({ analysis: [analysis(fields)] }), entries);
}

/** The detail of the only violation. */
function detail(fields: AnalysisText, entries: readonly EvidenceEntry[] = ledger) {
  const { violations } = of(fields, entries);
  expect(violations.map(({ code }) => code)).toEqual(['DOCUMENT_NOT_SHOWN']);
  return violations[0]?.detail;
}

const drop = (evidenceKey: string, reason: string, documentId = 'gw') => ({
  evidenceKey,
  documentId,
  originalRank: 7,
  reason,
});

describe('given ids in fields', () => {
  it('when a cited lookup showed them, then they may be cited and quoted', () => {
    const quotes = [{ document_id: 'db#chunk-0', text: 'text of db' }];
    const fields = { tool_call_ids: ['c1', 'c2'], document_ids: ['gw#chunk-2'], quotes };
    expect(of(fields).status).toBe('PASSED');
  });

  it('when none did, then each is named once in document_ids, and at every quote', () => {
    const quote = { document_id: 'no#chunk-1' };
    const ids = ['gw#chunk-1', 'no#chunk-1', 'no#chunk-1', 'no#chunk-2'];
    expect(
      found(
        of({ document_ids: ids, quotes: [quote, { document_id: 'gw#chunk-1', text: 'text of gw' }, quote] }),
      ),
    ).toEqual([
      'DOCUMENT_NOT_SHOWN /analysis/0/document_ids/1',
      'DOCUMENT_NOT_SHOWN /analysis/0/document_ids/3',
      'DOCUMENT_NOT_SHOWN /analysis/0/quotes/0/document_id',
      'DOCUMENT_NOT_SHOWN /analysis/0/quotes/2/document_id',
    ]);
  });

  it('then ids are compared exactly, and none is special', () => {
    expect(found(of({ document_ids: ['GW#chunk-1', 'gw#chunk-1 ', '__proto__', ''] }))).toHaveLength(4);
    expect(of({ document_ids: ['__proto__'] }, [ready('c1', ['__proto__'])]).status).toBe('PASSED');
  });
});

describe('given coordinates in a text', () => {
  const text = (value: string, shown: readonly string[] = ['gw#chunk-1']) =>
    of({ text: value }, [ready('c1', shown)]).violations.map((v) => v.detail['coordinate']);

  it.each([
    ['alone', 'gw#chunk-1'],
    ['in a sentence', 'as gw#chunk-1, and (gw#chunk-1).'],
    ['after Chinese', '见gw#chunk-1。'],
    ['after a colon', 'doc:gw#chunk-1'],
    ['before letters', 'gw#chunk-1x'],
  ])('when the shown id stands there %s, then it is shown', (_, value) => expect(text(value)).toEqual([]));

  it.each([
    ['another document', 'fake#chunk-1', ['#chunk-1']],
    ['a longer id', 'old-gw#chunk-1', ['#chunk-1']],
    ['a path before it', 'docs/gw#chunk-1', ['#chunk-1']],
    ['a version before it', 'v2.gw#chunk-1', ['#chunk-1']],
    ['an underscore before it', '_gw#chunk-1', ['#chunk-1']],
    ['more digits', 'gw#chunk-12', ['#chunk-12']],
    ['a leading zero', 'gw#chunk-01', ['#chunk-01']],
    ['no document', 'see #chunk-1', ['#chunk-1']],
    ['half of the id', 'w#chunk-1', ['#chunk-1']],
  ])('when %s stands there, then it is not', (_, value, expected) => expect(text(value)).toEqual(expected));

  it('when #chunk- has no digits or another case, then it is no coordinate', () => {
    expect(text('fake#chunk- fake#Chunk-1 fake#chunk-x fake#chunk')).toEqual([]);
  });

  it('then each distinct coordinate is named once, at its first wrong place, in order', () => {
    const value = 'x#chunk-9, gw#chunk-1, y#chunk-9, z#chunk-1, x#chunk-3';
    const { violations } = of({ text: value }, [ready('c1', ['gw#chunk-1'])]);
    expect(violations.map((v) => v.detail['written'])).toEqual(['x#chunk-9', 'z#chunk-1', 'x#chunk-3']);
    for (const {
      path,
      detail: { span, coordinate },
    } of violations) {
      const { start, end } = span as { start: number; end: number };
      expect(path).toBe('/analysis/0/text');
      expect(value.slice(start, end)).toBe(coordinate);
    }
    expect(violations[1]?.detail['span']).toEqual({
      start: value.indexOf('z#') + 1,
      end: value.indexOf('z#') + 9,
    });
  });

  it('when a shown id has other than plain characters, then it is found as well', () => {
    const unusual = ['网关 超时.md#chunk-1', 'a:b@c#chunk-2', 'é-x#chunk-3', 'a#chunk-4#chunk-5'];
    expect(text('见网关 超时.md#chunk-1, a:b@c#chunk-2; "é-x#chunk-3"', unusual)).toEqual([]);
    // The first character must not follow an id's character; the mention inside the last id is one of its own.
    expect(text('x网关 超时.md#chunk-1', unusual)).toEqual(['#chunk-1']);
    expect(text('aé-x#chunk-3', unusual)).toEqual(['#chunk-3']);
    expect(text('a#chunk-4#chunk-5', unusual)).toEqual(['#chunk-4']);
  });

  it('when a text in the draft is no report, then it is not searched', () => {
    expect(judge(draft({ limitations: ['fake#chunk-1'] }), ledger).status).toBe('PASSED');
  });
});

describe('where it is decided', () => {
  const undecided = (...entries: EvidenceEntry[]) =>
    found(
      of({ tool_call_ids: ['c1', 'x'], document_ids: ['no'], text: 'no#chunk-1' }, [...ledger, ...entries]),
    );
  const codes = (list: readonly string[]) => list.map((line) => line.split(' ')[0]);

  it.each([
    ['TOOL_CALL_UNKNOWN', []],
    ['TOOL_CALL_FOREIGN_RUN', [ready('x', ['no'], { runId: 'r2' })]],
    ['TOOL_CALL_PENDING', [bare('x', 'PENDING')]],
    ['TOOL_CALL_FAILED', [bare('x', 'FAILED')]],
    ['TOOL_CALL_EXPIRED', [ready('x', ['d'], { expiresAt: 0 })]],
    ['LEDGER_PROJECTION_INVALID', [bare('x', 'UNREADABLE')]],
    ['LEDGER_INTEGRITY_BROKEN', [ready('x', ['d'], { signature: 'INVALID' })]],
  ])('not where one of the lookups has %s', (code, entries) => {
    expect(codes(undecided(...entries))).toEqual([code]);
  });

  it('also where a kind does not fit: that lookup could be read', () => {
    expect(codes(undecided(ready('x')))).toEqual([
      'KIND_CLAIMS_EVIDENCE',
      'DOCUMENT_NOT_SHOWN',
      'DOCUMENT_NOT_SHOWN',
    ]);
  });

  it('not where no lookup is cited', () => {
    expect(codes(found(of({ tool_call_ids: [], document_ids: ['no'], text: 'no#chunk-1' })))).toEqual([
      'ANALYSIS_UNCITED',
    ]);
  });

  describe.each(['conclusion', 'action_plan'])('in the %s', (field) => {
    const path = field === 'conclusion' ? '/conclusion/text' : '/action_plan/0/text';
    const stating = (text: string, ids: readonly string[], analyses: readonly AnalysisText[]) => {
      const statement = { text, based_on_analysis_ids: ids };
      return found(
        judge(
          draft({ analysis: analyses, [field]: field === 'conclusion' ? statement : [statement] }),
          ledger,
        ),
      );
    };
    const a1 = analysis();
    const a2 = analysis({ id: 'a2', tool_call_ids: ['c2'] });
    const broken = analysis({ id: 'broken', tool_call_ids: ['c2', 'nope'] });
    const uncited = analysis({ id: 'uncited', tool_call_ids: [] });

    it('by what the lookups of all its analyses showed', () => {
      expect(stating('gw#chunk-1 db#chunk-0', ['a1', 'a2', 'a1'], [a1, a2])).toEqual([]);
      expect(stating('gw#chunk-1 db#chunk-0', ['a1'], [a1, a2])).toEqual([`DOCUMENT_NOT_SHOWN ${path}`]);
    });

    it('not where it refers to nothing, or to an analysis that is not there', () => {
      expect(codes(stating('no#chunk-1', [], [a1]))).not.toContain('DOCUMENT_NOT_SHOWN');
      expect(codes(stating('no#chunk-1', ['a1', 'a9'], [a1]))).toEqual(['ANALYSIS_REF_UNKNOWN']);
    });

    it('not where one of their lookups could not be read, or none is cited', () => {
      expect(codes(stating('no#chunk-1', ['a1', 'broken'], [a1, broken]))).toEqual(['TOOL_CALL_UNKNOWN']);
      expect(codes(stating('no#chunk-1', ['uncited'], [uncited]))).toEqual(['ANALYSIS_UNCITED']);
    });

    it('where one of them cites nothing but another does', () => {
      const lines = codes(stating('no#chunk-1', ['a1', 'uncited'], [a1, uncited]));
      expect(lines).toEqual(['ANALYSIS_UNCITED', 'DOCUMENT_NOT_SHOWN']);
    });
  });
});

describe('why it was not shown, the first that applies', () => {
  it('OTHER_CALL: another readable lookup of the run showed it', () => {
    expect(detail({ document_ids: ['db#chunk-0'] })).toEqual({
      document_id: 'db#chunk-0',
      why: 'OTHER_CALL',
      shown_by: 'c2',
    });
    expect(detail({ text: 'see db#chunk-0' })).toMatchObject({ why: 'OTHER_CALL', shown_by: 'c2' });
  });

  it('OTHER_CALL comes before DROPPED, but not from a lookup that cannot be read', () => {
    const dropping = ready('c1', ['gw#chunk-1'], { dropped: [drop('db#chunk-0', 'DOC_CAP')] });
    const other = ready('c2', ['db#chunk-0']);
    expect(detail({ document_ids: ['db#chunk-0'] }, [dropping, other])?.['why']).toBe('OTHER_CALL');
    const expired = ready('c2', ['db#chunk-0'], { expiresAt: 0 });
    expect(detail({ document_ids: ['db#chunk-0'] }, [dropping, expired])?.['why']).toBe('DROPPED');
  });

  it.each(['BLANK', 'DUPLICATE', 'KEY_COLLISION', 'DOC_CAP', 'TOTAL_CAP'])('DROPPED with %s', (reason) => {
    const entries = [ready('c1', ['gw#chunk-1'], { dropped: [drop('gw#chunk-7', reason)] })];
    const expected = { why: 'DROPPED', reason, dropped_by: 'c1' };
    expect(detail({ document_ids: ['gw#chunk-7'] }, entries)).toMatchObject(expected);
    expect(detail({ text: '（gw#chunk-7）' }, entries)).toMatchObject(expected);
  });

  it.each(['ITEM_CAP', 'ID_COLLISION', 'BYTE_BUDGET'])('DROPPED by the cut %s', (code) => {
    const entries = [ready('c1', ['gw#chunk-1'], { cuts: [{ code, documentId: 'no#chunk-7' }] })];
    expect(detail({ document_ids: ['no#chunk-7'] }, entries)).toMatchObject({ why: 'DROPPED', reason: code });
  });

  it.each(['EXCERPT_CUT', 'QUERY_CUT'])('not DROPPED by %s, which only shortens', (code) => {
    const entries = [ready('c1', ['gw#chunk-1'], { cuts: [{ code, documentId: 'no#chunk-7' }] })];
    expect(detail({ document_ids: ['no#chunk-7'] }, entries)).toMatchObject({ why: 'NEVER_RETRIEVED' });
  });

  it('DROPPED by the cited lookup, where several dropped it', () => {
    const entries = [
      ready('b', ['x'], { dropped: [drop('no#chunk-7', 'TOTAL_CAP')] }),
      ready('c1', ['gw#chunk-1'], { dropped: [drop('no#chunk-7', 'DOC_CAP')] }),
    ];
    expect(detail({ document_ids: ['no#chunk-7'] }, entries)).toMatchObject({
      reason: 'DOC_CAP',
      dropped_by: 'c1',
    });
    expect(detail({ tool_call_ids: ['b'], document_ids: ['no#chunk-7'] }, entries)).toMatchObject({
      reason: 'TOTAL_CAP',
    });
  });

  it('DROPPED under the document, where the hit had no key', () => {
    const entries = [ready('c1', ['gw#chunk-1'], { dropped: [drop(' ', 'BLANK', 'manual')] })];
    expect(detail({ document_ids: ['manual'] }, entries)).toMatchObject({ why: 'DROPPED', reason: 'BLANK' });
  });

  it('OTHER_RUN: only where entries of another run are at hand', () => {
    const theirs = ready('x', ['press#chunk-4'], { runId: 'r2' });
    expect(detail({ document_ids: ['press#chunk-4'] }, [...ledger, theirs])).toEqual({
      document_id: 'press#chunk-4',
      why: 'OTHER_RUN',
    });
    expect(detail({ text: 'press#chunk-4' }, [...ledger, theirs])?.['why']).toBe('OTHER_RUN');
    const unreadable = { ...theirs, signature: 'INVALID' } as const;
    expect(detail({ document_ids: ['press#chunk-4'] }, [...ledger, unreadable])?.['why']).toBe(
      'NEVER_RETRIEVED',
    );
  });

  it.each([
    ['another case', 'GW#Chunk-1', 'gw#chunk-1'],
    ['white space', ' gw #chunk-1', 'gw#chunk-1'],
    ['another dash', 'gw#chunk\u20131', 'gw#chunk-1'],
    ['zero-width characters', 'gw\u200b#chunk-1', 'gw#chunk-1'],
    ['a letter too many', 'gwx#chunk-2', 'gw#chunk-2'],
    ['a letter too few', 'g#chunk-2', 'gw#chunk-2'],
    ['another letter', 'gv#chunk-2', 'gw#chunk-2'],
    ['the document alone', 'gw', 'gw#chunk-1'],
  ])('MALFORMED: %s', (_, id, nearest) => {
    expect(detail({ document_ids: [id] })).toEqual({ document_id: id, why: 'MALFORMED', nearest });
  });

  it('MALFORMED in a text, as it is written there', () => {
    expect(detail({ text: '见gwx#chunk-2。' })).toMatchObject({ why: 'MALFORMED', nearest: 'gw#chunk-2' });
  });

  it('MALFORMED names what the cited lookups showed first', () => {
    const entries = [ready('a', ['gw#chunk-8']), ready('c1', ['gw#chunk-9'])];
    expect(detail({ document_ids: ['gw#chunk-7'] }, entries)).toMatchObject({ nearest: 'gw#chunk-9' });
    expect(detail({ tool_call_ids: ['a'], document_ids: ['gw#chunk-7'] }, entries)).toMatchObject({
      nearest: 'gw#chunk-8',
    });
  });

  it('NEVER_RETRIEVED: nothing else is known of it', () => {
    expect(detail({ document_ids: ['invented#chunk-40'] })).toEqual({
      document_id: 'invented#chunk-40',
      why: 'NEVER_RETRIEVED',
    });
  });
});

describe('near misses', () => {
  it.each([
    ['abc', 'abd', true],
    ['abc', 'abcd', true],
    ['abc', 'xabc', true],
    ['abc', 'ac', true],
    ['', 'a', true],
    ['aab', 'ab', true],
    ['abc', 'abc', false],
    ['abc', 'acb', false],
    ['abc', 'abcde', false],
    ['ab', 'ba', false],
    ['', '', false],
  ])('%j and %j: one edit apart is %s', (a, b, expected) => {
    expect(isOneEditApart(a, b)).toBe(expected);
    expect(isOneEditApart(b, a)).toBe(expected);
  });

  it('stop where the budget ends, and are not looked for in very long ids', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `id-${i + 100}`);
    const budget = { left: 50 };
    expect(new EditSearch(ids, budget).near('id-101')).not.toContain('id-191');
    expect(budget.left).toBe(0);
    expect(new EditSearch(ids, budget).near('id-1')).toEqual([]);
    const long = 'x'.repeat(300);
    expect(new NearMisses([`${long}y`], { left: 10 }).near(long)).toEqual([]);
  });
});
