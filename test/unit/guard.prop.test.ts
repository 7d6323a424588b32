import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import { sha256 } from '../../src/contracts/digest.js';
import type { Draft } from '../../src/contracts/generated.js';
import type { EvidenceEntry } from '../../src/guard/entries.js';
import { scanJson } from '../../src/guard/duplicate-keys.js';
import { isOneEditApart } from '../../src/guard/edits.js';
import { guard, type GuardResult } from '../../src/guard/guard.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { toVerdictFields } from '../../src/guard/record.js';
import { cachedViews } from '../../src/guard/view-cache.js';
import { bare, judge, NOW, ready, RUN } from '../support/guard.js';

/** PROOFLINE_FUZZ_RUNS=200000 runs each property that often. */
const numRuns = Number(process.env['PROOFLINE_FUZZ_RUNS'] ?? 1000);
const options = { numRuns };
const timeout = 30_000 + numRuns * 20;

// Few ids, close to each other and hostile, so that they meet.
const callId = fc.constantFrom('c1', 'c2', 'c3', 'c12', '__proto__', 'constructor', '', 'c\ud800');
const documentId = fc.constantFrom(
  'gw#chunk-1',
  'gw#chunk-2',
  'gw#chunk-12',
  'x-gw#chunk-1',
  '网关 a#chunk-1',
  'a#chunk-1#chunk-2',
  '#chunk-1',
  '__proto__',
  'plain',
);
const analysisId = fc.constantFrom('a1', 'a2', '__proto__', 'a\udc00');
const textPart = fc.oneof(
  documentId,
  fc.constantFrom(' ', '见', 'x', '/', '#chunk-', '。', '\u200b'),
  fc.string(),
);
const text = fc.oneof(
  fc.array(textPart, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.constant(null),
);

const quote = fc.record({ document_id: documentId, text, prefix: text }, { requiredKeys: ['document_id'] });
const analysis = fc.record(
  {
    id: analysisId,
    kind: fc.constantFrom('NORMAL', 'NEGATIVE_OBSERVATION'),
    text,
    tool_call_ids: fc.array(callId, { maxLength: 4 }),
    document_ids: fc.array(documentId, { maxLength: 4 }),
    quotes: fc.array(quote, { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'kind'] },
);
const statement = fc.record(
  { text, based_on_analysis_ids: fc.array(analysisId, { maxLength: 3 }) },
  { requiredKeys: [] },
);
const draftValue = fc.record({
  analysis: fc.array(analysis, { maxLength: 4 }),
  conclusion: fc.option(statement),
  action_plan: fc.array(statement, { maxLength: 2 }),
  limitations: fc.array(fc.constantFrom('l', ' '), { maxLength: 2 }),
});

/** A draft that is likely to pass: one analysis of what its own lookup showed, and texts that name it. */
const honestDraft = fc
  .record({
    ids: fc.subarray(['gw#chunk-1', 'gw#chunk-2', '网关 a#chunk-1']),
    words: fc.array(textPart, { maxLength: 3 }),
  })
  .map(({ ids, words }) => ({
    analysis: [
      { id: 'a1', kind: 'NORMAL', text: `x ${words.join('')}`, tool_call_ids: ['c1'], document_ids: ids },
    ],
    conclusion: { text: `so ${ids.join(', ')}`, based_on_analysis_ids: ['a1'] },
    action_plan: [],
    limitations: ['l'],
  }));

const entry: fc.Arbitrary<EvidenceEntry> = fc
  .record({
    toolCallId: callId.map((id) => id.toWellFormed()),
    runId: fc.constantFrom(RUN, RUN, 'r2', 'r3', '__proto__'),
    ids: fc.uniqueArray(documentId, { maxLength: 5 }),
    fate: fc.constantFrom(
      'good',
      'good',
      'good',
      'pending',
      'failed',
      'torn',
      'expired',
      'forged',
      'garbled',
      'unsigned',
    ),
    reason: fc.constantFrom('DOC_CAP', 'BLANK'),
    lost: documentId,
  })
  .map(({ toolCallId, runId, ids, fate, reason, lost }) => {
    const dropped = [{ evidenceKey: lost, documentId: lost, originalRank: null, reason }];
    const good = ready(toolCallId, ids, { runId, dropped });
    switch (fate) {
      case 'pending':
        return bare(toolCallId, 'PENDING', { runId });
      case 'failed':
        return bare(toolCallId, 'FAILED', { runId });
      case 'torn':
        return bare(toolCallId, 'UNREADABLE', { runId });
      case 'expired':
        return { ...good, expiresAt: NOW };
      case 'forged':
        return { ...good, signature: 'INVALID' };
      case 'garbled':
        return { ...good, agentView: ' {}', agentViewSha256: sha256(' {}') };
      case 'unsigned':
        return { ...good, signature: 'ABSENT', agentViewSha256: null };
      default:
        return good;
    }
  });
const ledger = fc.uniqueArray(entry, { maxLength: 8, selector: (e) => `${e.runId} ${e.toolCallId}` });
const honestLedger = ledger.map((entries) => [
  ready('c1', ['gw#chunk-1', 'gw#chunk-2', '网关 a#chunk-1']),
  ...entries.filter((e) => e.runId !== RUN || e.toolCallId !== 'c1'),
]);

/** JSON of a draft with one place of it damaged: cut, doubled, replaced. */
const damaged = fc
  .record({
    value: draftValue,
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(12),
    patch: fc.oneof(
      fc.string(),
      fc.constantFrom('"', '{', '}', '[', ']', ',', ':', '\\', 'null', '"id":', '\\u0061', '```', '\ufeff'),
    ),
  })
  .map(({ value, at, length, patch }) => {
    const json = JSON.stringify(value);
    const start = Math.floor(at * json.length);
    return json.slice(0, start) + patch + json.slice(start + length);
  });

const codec = createCodec();

/** Everything that every verdict must hold, whatever came in. */
function checkVerdict(result: GuardResult): void {
  expect(result.status).toBe(result.violations.length === 0 ? 'PASSED' : 'REJECTED');
  for (const { path } of result.violations) expect(path).toMatch(/^(\/.*)?$/s);
  const fields = toVerdictFields(result, defaultGuardLimits);
  for (const { message, detailJson } of fields.violations) {
    expect(Math.max(message.length, detailJson.length)).toBeLessThanOrEqual(500);
    expect(JSON.parse(detailJson)).toBeTypeOf('object');
  }
  const envelope = { eventId: 'e', causedBy: null, runId: RUN, occurredAt: 0, draftId: 'd', attempt: 1 };
  const rest = { prompt: null, generation: null, limits: null, ext: {} };
  const bytes = codec.encode('verdict.v1', { ...envelope, ...fields, ...rest });
  expect(codec.decode('verdict.v1', bytes).violationCount).toBe(result.violationCount);
}

describe('whatever the draft’s text is', () => {
  const entries = [ready('c1', ['gw#chunk-1']), ready('c2')];
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.json(),
    fc.json().map((json) => `\`\`\`json\n${json}\n\`\`\``),
    damaged,
    draftValue.map((value) => JSON.stringify(value)),
  );

  it(
    'the guard answers, and its answer is a record',
    () => {
      fc.assert(
        fc.property(anyText, (draftJson) => checkVerdict(judge(draftJson, entries))),
        options,
      );
    },
    timeout,
  );

  it(
    'the same text gives the same answer, remembered views or not',
    () => {
      const views = cachedViews(sha256, 3);
      const tools = { sha256, limits: defaultGuardLimits, views };
      const readAt = { partition: 3, offset: 41 };
      fc.assert(
        fc.property(draftValue, ledger, (value, given) => {
          const draftJson = JSON.stringify(value);
          const input = { runId: RUN, draftJson, submittedAt: NOW, entries: given, readAt };
          expect(guard(input, tools)).toEqual(judge(draftJson, given));
        }),
        options,
      );
    },
    timeout,
  );
});

describe('whatever the ledger is', () => {
  it(
    'the guard answers the same in any order of its entries',
    () => {
      const shuffled = ledger.chain((entries) =>
        fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
      );
      fc.assert(
        fc.property(draftValue, shuffled, fc.boolean(), (value, [entries, others], allowUnsigned) => {
          const draftJson = JSON.stringify(value);
          const result = judge(draftJson, entries, { allowUnsigned });
          checkVerdict(result);
          expect(judge(draftJson, others, { allowUnsigned })).toEqual(result);
        }),
        options,
      );
    },
    timeout,
  );

  it(
    'a draft that passes names only what its lookups showed, in its fields and its texts',
    () => {
      let passed = 0;
      fc.assert(
        fc.property(fc.oneof(draftValue, honestDraft), honestLedger, (value, entries) => {
          const { status, draft } = judge(JSON.stringify(value), entries);
          if (status !== 'PASSED' || draft === null) return;
          passed += 1;
          expectOnlyShown(draft, entries);
        }),
        options,
      );
      expect(passed).toBeGreaterThan(numRuns / 20);
    },
    timeout,
  );
});

/** The rule once more, as naively as it can be said. */
function expectOnlyShown(draft: Draft, entries: readonly EvidenceEntry[]): void {
  const showing = (calls: readonly string[]): string[] =>
    calls.flatMap((call) => {
      const found = entries.find((e) => e.runId === RUN && e.toolCallId === call);
      expect(found).toMatchObject({ state: 'READY', signature: 'VALID' });
      const view = JSON.parse(found?.agentView ?? '') as { evidence: { document_id: string }[] };
      return view.evidence.map((item) => item.document_id);
    });
  for (const { text, toolCallIds, documentIds, quotes } of draft.analysis) {
    const shown = showing(toolCallIds);
    for (const id of [...documentIds, ...quotes.map((q) => q.documentId)]) expect(shown).toContain(id);
    expectTextShown(text, shown);
  }
  for (const { text, basedOnAnalysisIds } of [
    ...draft.actionPlan,
    ...(draft.conclusion ? [draft.conclusion] : []),
  ]) {
    const analyses = draft.analysis.filter(({ id }) => basedOnAnalysisIds.includes(id));
    expectTextShown(text, showing(analyses.flatMap((a) => a.toolCallIds)));
  }
}

function expectTextShown(text: string, shown: readonly string[]): void {
  for (const match of text.matchAll(/#chunk-\d+/g)) {
    const before = text.slice(0, match.index + match[0].length);
    const isShown = shown.some(
      (id) =>
        id.endsWith(match[0]) &&
        before.endsWith(id) &&
        !/[A-Za-z0-9_./-]$/.test(before.slice(0, before.length - id.length)),
    );
    expect(isShown, `${match[0]} in ${text}`).toBe(true);
  }
}

describe('keys that stand twice', () => {
  it(
    'are found exactly where JSON.parse loses a member',
    () => {
      const key = fc.constantFrom('a', 'b', '\\u0061', 'c', '__proto__', 'a\\\\', 'a"'.replace('"', '\\"'));
      const { json } = fc.letrec<{ json: string }>((tie) => ({
        json: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom('0', '"a"', '"{\\"a\\":1,\\"a\\":2}"', '[]', '{}', '"\\\\"'),
          fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
          fc
            .array(fc.tuple(key, tie('json')), { maxLength: 3 })
            .map((members) => `{${members.map(([k, v]) => `"${k}" : ${v}`).join(' , ')}}`),
        ),
      }));
      fc.assert(
        fc.property(json, (text) => {
          const members = text.match(/" : /g)?.length ?? 0;
          const lost = members - countMembers(JSON.parse(text));
          expect(scanJson(text, 32).duplicates.length > 0).toBe(lost > 0);
        }),
        options,
      );
    },
    timeout,
  );

  function countMembers(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0;
    const own = Array.isArray(value) ? 0 : Object.keys(value).length;
    return Object.values(value).reduce((sum: number, item) => sum + countMembers(item), own);
  }
});

describe('one edit', () => {
  it(
    'apart is what the edit distance says',
    () => {
      const short = fc.string({ unit: fc.constantFrom('a', 'b', '#'), maxLength: 7 });
      fc.assert(
        fc.property(short, short, (a, b) => {
          expect(isOneEditApart(a, b)).toBe(distance(a, b) === 1);
        }),
        options,
      );
    },
    timeout,
  );

  function distance(a: string, b: string): number {
    if (a === '' || b === '') return a.length + b.length;
    const replaced = distance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
    return Math.min(replaced, distance(a.slice(1), b) + 1, distance(a, b.slice(1)) + 1);
  }
});
