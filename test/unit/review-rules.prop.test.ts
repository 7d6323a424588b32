import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Analysis, Draft, LookupSnapshot } from '../../src/contracts/generated.js';
import { certaintyMarkers } from '../../src/review/rules/certainty.js';
import { holdsNegation } from '../../src/review/rules/negation.js';
import { reviewDraft } from '../../src/review/rules/review.js';
import { hardTexts } from '../support/evidence.js';
import { analysis, draftOf, lookup } from '../support/review-rules.js';

const phrases = fc
  .array(
    fc.constantFrom(
      ...[
        'gateway timeouts',
        'the connection pool',
        'upstream',
        'may be',
        'proves',
        'only',
        'never',
        'not',
        '.',
      ],
      ...['网关超时', '连接池耗尽', '可能', '证明', '唯一', '一定', '不', '。', '，', '上游配置'],
      ...[
        '1,500',
        '1500 ms',
        '50%',
        '4.1.1',
        '2026-11-30',
        '三百',
        '1.5万',
        '100-200 ms',
        'gw#chunk-3',
        '-7',
      ],
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(' '));

const texts = fc.oneof(phrases, phrases, hardTexts);
const callIds = fc.constantFrom('c1', 'c2', 'c3', 'nobody', '__proto__');
const names = fc.constantFrom('a1', 'a2', 'constructor');

const analyses: fc.Arbitrary<Analysis> = fc.record({
  id: names,
  kind: fc.constantFrom('NORMAL', 'NEGATIVE_OBSERVATION'),
  text: texts,
  toolCallIds: fc.array(callIds, { maxLength: 3 }),
  documentIds: fc.array(fc.constant('gw#chunk-0'), { maxLength: 1 }),
  quotes: fc.constant([]),
});

const statements = fc.record({ text: texts, basedOnAnalysisIds: fc.array(names, { maxLength: 3 }) });

const drafts: fc.Arbitrary<Draft> = fc.record({
  analysis: fc.array(analyses, { maxLength: 4 }),
  conclusion: fc.option(statements),
  actionPlan: fc.array(statements, { maxLength: 3 }),
  limitations: fc.constant(['none']),
});

const lookups: fc.Arbitrary<LookupSnapshot[]> = fc
  .array(
    fc.record({
      excerpts: fc.array(texts, { maxLength: 3 }),
      query: texts,
      precise: fc.boolean(),
      cut: fc.boolean(),
    }),
    { maxLength: 3 },
  )
  .map((list) =>
    list.map(({ excerpts, query, precise, cut }, i) =>
      lookup(excerpts, {
        toolCallId: `c${i + 1}`,
        query,
        truncated: cut,
        ...(precise ? {} : { relevanceLevel: null }),
      }),
    ),
  );

test('never throws; findings point at texts of the draft, and places lie inside them', () => {
  fc.assert(
    fc.property(drafts, lookups, (draft, shown) => {
      const { findings } = reviewDraft({ draft, lookups: shown });
      for (const { path, draftSpan, evidenceSpans } of findings) {
        const text = textAt(draft, path);
        if (draftSpan) expect(draftSpan.start < draftSpan.end && draftSpan.end <= text.length).toBe(true);
        for (const span of evidenceSpans) {
          const found = shown
            .find(({ toolCallId }) => toolCallId === span.toolCallId)
            ?.items.filter(({ documentId }) => documentId === span.documentId);
          expect(found?.some(({ excerpt }) => span.end <= excerpt.length)).toBe(true);
        }
      }
      expect(new Set(findings.map(({ path }) => path)).size).toBe(findings.length);
    }),
  );
});

function textAt(draft: Draft, path: string): string {
  const [, field, index] = path.split('/');
  if (field === 'conclusion') return draft.conclusion?.text ?? '';
  const list = field === 'analysis' ? draft.analysis : draft.actionPlan;
  return list[Number(index)]?.text ?? '';
}

test('neither the order of the lookups nor of their items matters', () => {
  const shuffled = lookups.chain((shown) =>
    fc.tuple(fc.constant(shown), fc.shuffledSubarray(shown, { minLength: shown.length })),
  );
  fc.assert(
    fc.property(drafts, shuffled, (draft, [shown, other]) => {
      const reversed = other.map((snapshot) => ({ ...snapshot, items: snapshot.items.toReversed() }));
      const summary = (list: readonly LookupSnapshot[]) => {
        const { status, findings } = reviewDraft({ draft, lookups: list });
        return [status, findings.map((finding) => [finding.path, finding.status, finding.draftSpan])];
      };
      expect(summary(reversed)).toEqual(summary(shown));
    }),
  );
});

test('what the evidence says word for word has no number that is not shown, and raises no certainty', () => {
  fc.assert(
    fc.property(texts, fc.array(texts, { maxLength: 2 }), (text, others) => {
      const { findings } = reviewDraft({
        draft: draftOf([analysis(text)]),
        lookups: [lookup([...others, text])],
      });
      const codes = findings.map(({ reason }) => reason.split(':')[0]);
      expect(codes).not.toContain('NUMBER_NOT_SHOWN');
      expect(codes).not.toContain('WARN_SMALL_NUMBER');
      expect(codes).not.toContain('WORDS_NOT_SHOWN');
      expect(codes).not.toContain('CERTAINTY_RAISED');
      expect(codes).not.toContain('ABSOLUTE_NOT_SHOWN');
      expect(codes).not.toContain('NAME_NOT_SHOWN');
      expect(codes).not.toContain('WARN_NAME');
      expect(codes).not.toContain('NEGATION_FLIPPED');
    }),
    { numRuns: 500 },
  );
});

test('more evidence takes no support away from a claim that raises no certainty, unless it denies it', () => {
  const claims = phrases.filter((text) => certaintyMarkers(text).length === 0 && !holdsNegation(text));
  const more = texts.filter((text) => !holdsNegation(text));
  fc.assert(
    fc.property(claims, texts, fc.array(more, { maxLength: 3 }), (text, around, more) => {
      const review = (excerpts: readonly string[]) =>
        reviewDraft({ draft: draftOf([analysis(text)]), lookups: [lookup(excerpts)] }).status;
      const before = review([`${text} ${around}`]);
      if (before === 'ABSTAINED') expect(review([`${text} ${around}`, ...more])).toBe('ABSTAINED');
    }),
  );
});

const most = Array.from({ length: 128 }, (_, i) =>
  lookup(
    Array.from({ length: 8 }, (_, j) => distinctWords(1000, i * 8 + j)),
    { toolCallId: `c${i}` },
  ),
);

test.each(['1.1 ', 'ab1 ', '网', 'only ', '#chunk-1 ', '\ud83d', 'not ', 'ab not cd. ', '不网。', 'a_b '])(
  'the largest draft of %j over the most evidence takes no time to speak of',
  (unit) => {
    const text = (length: number) => unit.repeat(length / unit.length) + distinctWords(length / 8);
    const parts = most.map(({ toolCallId }, i) =>
      analysis(text(1000), { id: `a${i}`, toolCallIds: [toolCallId] }),
    );
    const all = parts.map(({ id }) => id);
    const draft = draftOf(parts, {
      conclusion: { text: text(60_000), basedOnAnalysisIds: all },
      actionPlan: parts.map(() => ({ text: text(500), basedOnAnalysisIds: all })),
    });
    const start = process.cpuUsage();
    reviewDraft({ draft, lookups: most });
    expect(process.cpuUsage(start).user).toBeLessThan(4_000_000);
  },
);

/** Words that hardly ever come twice. */
function distinctWords(length: number, seed = 7): string {
  let words = '';
  for (let i = seed * 7919; words.length < length; i += 31) words += `${(i * 2_654_435_761).toString(36)} `;
  return words;
}
