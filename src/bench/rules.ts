import { findQuote } from '../citation/find-quote.js';
import { prepareQuote } from '../citation/prepared-quote.js';
import { shownText } from '../citation/shown-text.js';
import { sha256 } from '../contracts/digest.js';
import type { Block } from '../contracts/generated.js';
import { lookupResultJson } from '../evidence/lookup-result-json.js';
import { governHits } from '../evidence/lookup-result.js';
import { project, type Projection } from '../evidence/project.js';
import type { EvidenceEntry } from '../guard/entries.js';
import { guard } from '../guard/guard.js';
import { defaultGuardLimits } from '../guard/limits.js';
import { cachedViews, plainViews, type ViewReader } from '../guard/view-cache.js';
import { createPassageCache } from '../review/rules/passage.js';
import { reviewDraft } from '../review/rules/review.js';
import { operationsPerSecond, type Figure } from './measure.js';
import { sampleDraft, sampleHits, sampleText } from './sample-evidence.js';
import { spanFigures } from './spans.js';

/** The pure rules on one core: no bus, no disk. Baseline: JSON.parse of the same bytes. */
export function benchRules(ms: number): Figure[] {
  return [evidenceFigure(ms), ...guardFigures(ms), ...quoteFigures(ms), ...spanFigures(ms)];
}

function evidenceFigure(ms: number): Figure {
  const inputs = Array.from({ length: 50 }, (_, i) => sampleHits(i, 20, 1000));
  const texts = inputs.map((hits) => JSON.stringify(hits));
  const govern = (i: number): unknown => {
    const result = governHits('gateway timeout', inputs[i % 50] ?? [], {});
    return project(lookupResultJson(result), 'call-1');
  };
  return {
    name: 'postprocess + pack + lookup result + project, 20 × 1 kB',
    value: operationsPerSecond(ms, govern),
    unit: 'lookups/s',
    baseline: {
      name: 'JSON.parse',
      value: operationsPerSecond(ms / 4, (i) => JSON.parse(texts[i % 50] ?? '')),
    },
  };
}

/** Each quote against an excerpt that was never seen before, as the guard first meets it. Baseline: `indexOf`. */
function quoteFigures(ms: number): Figure[] {
  const texts = Array.from({ length: 50 }, (_, i) => numbered(sampleText(i, 1000)));
  const exact = texts.map((text) => text.split(' ').slice(80, 98).join(' '));
  const folded = exact.map((text) => text.replace(/ /g, '\n'));
  const words = texts.map((text, i) => [text, exact[i] ?? ''] as const);
  const figure = (name: string, quotes: readonly string[]): Figure => ({
    name,
    value: operationsPerSecond(ms, (i) => {
      const quote = prepareQuote({ text: quotes[i % 50] ?? '', prefix: null, suffix: null });
      return findQuote(quote, shownText(texts[i % 50] ?? ''));
    }),
    unit: 'quotes/s',
    baseline: {
      name: 'indexOf',
      value: operationsPerSecond(ms / 4, (i) => {
        const [text, quote] = words[i % 50] ?? ['', ''];
        return text.indexOf(quote);
      }),
    },
  });
  return [
    figure('quote, exact, 120 of an excerpt of 1,200', exact),
    figure('quote, the same folded', folded),
  ];
}

/** Every fifth word made different, so that a quote stands in one place. About 1,200 units from 1,000. */
function numbered(text: string): string {
  return text
    .split(' ')
    .map((word, i) => (i % 5 === 0 ? `${word} (${i})` : word))
    .join(' ');
}

interface Judged {
  readonly draftJson: string;
  readonly entries: readonly EvidenceEntry[];
}

function guardFigures(ms: number): Figure[] {
  const runs = Array.from({ length: 50 }, (_, i) => judgedRun(i));
  const texts = runs.map(({ draftJson, entries }) => [
    draftJson,
    ...entries.map((entry) => entry.agentView ?? ''),
  ]);
  const parse = operationsPerSecond(ms / 4, (i) =>
    (texts[i % 50] ?? []).map((text) => JSON.parse(text) as unknown),
  );
  const judge = (views: ViewReader) => (i: number) => judgeRun(runs[i % 50], views);
  const baseline = { name: 'JSON.parse', value: parse };
  const unit = 'drafts/s';
  const passages = createPassageCache();
  const passed = runs.map((run) => judgeRun(run, plainViews(sha256)));
  return [
    {
      name: 'guard, 5 analyses, 5 lookups of 5 × 200, views cached',
      value: operationsPerSecond(ms, judge(cachedViews(sha256, 1000))),
      unit,
      baseline,
    },
    {
      name: 'guard, the same, cold',
      value: operationsPerSecond(ms, judge(plainViews(sha256))),
      unit,
      baseline,
    },
    {
      name: 'review, the same',
      value: operationsPerSecond(ms, (i) => {
        const { draft, lookups } = passed[i % 50] ?? { draft: null, lookups: [] };
        return draft === null ? null : reviewDraft({ draft, lookups, cache: passages });
      }),
      unit,
      baseline,
    },
  ];
}

function judgeRun(run: Judged | undefined, views: ViewReader) {
  if (run === undefined) throw new Error('no run');
  const input = { runId: 'run', submittedAt: 0, readAt: { partition: 0, offset: 0 }, ...run };
  return guard(input, { sha256, limits: defaultGuardLimits, views });
}

function judgedRun(seed: number): Judged {
  const lookups = Array.from({ length: 5 }, (_, call) => {
    const projection = project(
      lookupResultJson(governHits('q', sampleHits(seed * 10 + call, 5, 200), {})),
      `call-${call}`,
    );
    if ('error' in projection) throw new Error(projection.error.message);
    return { toolCallId: `call-${call}`, projection };
  });
  const shown = lookups.map(({ toolCallId, projection }) => ({
    toolCallId,
    documentId: projection.view.evidence[0]?.documentId ?? '',
  }));
  return { draftJson: sampleDraft(shown), entries: lookups.map((lookup) => entryOf(lookup)) };
}

function entryOf({ toolCallId, projection }: { toolCallId: string; projection: Projection }): EvidenceEntry {
  const blocks: readonly Block[] = projection.blocks;
  return {
    runId: 'run',
    toolCallId,
    state: 'READY',
    agentView: projection.agentView,
    agentViewSha256: sha256(projection.agentView),
    blocks,
    dropped: [],
    cuts: [],
    noEvidenceBasis: null,
    expiresAt: null,
    signature: 'VALID',
    partition: 0,
    offset: 0,
  };
}
