import type { LookupTrace, RerankedHit, RetrievedHit } from '../../trace/lookup-trace.js';
import type { RunTrace } from '../../trace/run-trace.js';
import { column, type Paint } from './page.js';
import { safeText } from './safe-text.js';
import { contextPart, generationPart, judgementPart } from './trace-parts.js';
import { tree } from './trail.js';
import { below, duration, field, listed, plural, quoted, type TrailPart } from './trail-parts.js';

/** A run's trace for a person: hits in their final order, and how long everything took. */
export function tracePage(trace: RunTrace, paint: Paint): readonly string[] {
  const startedAt = startOf(trace);
  const parts = [
    ...trace.lookups.map((lookup) => lookupPart(lookup, paint)),
    ...trace.contexts.map((context) => contextPart(context, startedAt, paint)),
    ...trace.generations.map((generation) => generationPart(generation, startedAt, paint)),
    ...trace.judgements.map((judgement) => judgementPart(judgement, startedAt, paint)),
  ];
  return [
    paint('strong', `run ${safeText(trace.runId)}`),
    ...tree(parts),
    ...(trace.truncated ? ['', 'The audit has more of this run than was read.'] : []),
  ];
}

function startOf({ lookups }: RunTrace): number | null {
  const starts = lookups.flatMap(({ measured }) => measured.retrieve?.startedAt ?? []);
  return starts.length === 0 ? null : Math.min(...starts);
}

function lookupPart(lookup: LookupTrace, paint: Paint): TrailPart {
  const { toolCallId, outcome, code, query, mode, topK, queryPlan, retrievalTrace } = lookup;
  return {
    heading: `${paint('strong', `lookup ${safeText(toolCallId)}`)}  ${listed([outcome ?? 'not answered', code])}`,
    lines: [
      ...field('took', durations(lookup)),
      ...(query === null ? [] : field('question', quoted(query, false).join(' '))),
      ...field('asked', listed([mode, topK === null ? null : `top ${topK}`])),
      ...(queryPlan === null ? [] : field('plan', JSON.stringify(queryPlan))),
      ...(retrievalTrace === null ? [] : field('retriever', JSON.stringify(retrievalTrace))),
      ...hits(lookup, paint),
    ],
  };
}

function durations({ durations: ms }: LookupTrace): string {
  const steps = (['plan', 'retrieve', 'postprocess', 'project', 'assemble'] as const).flatMap((step) => {
    const took = ms[step];
    return took === null ? [] : [`${step} ${duration(took)}`];
  });
  return ms.total === null ? listed(steps) : `${duration(ms.total)} in all: ${listed(steps)}`;
}

function hits(lookup: LookupTrace, paint: Paint): readonly string[] {
  const { retrievedHits, rerankedHits, leftOut } = lookup;
  if (retrievedHits === null) return [];
  const found = new Map(retrievedHits.map((hit) => [nameOf(hit), hit] as const));
  const ranked = rerankedHits ?? [];
  const left = Math.max(leftOut.retrieved, leftOut.reranked);
  return [
    ...field('hits', plural(retrievedHits.length + leftOut.retrieved, 'hit')),
    ...below(
      rerankedHits === null
        ? retrievedHits.map((hit) => hitLine(hit, hit, 'not known', paint))
        : ranked.map((hit) => hitLine(hit, found.get(nameOf(hit)), fateOf(hit), paint)),
    ),
    ...(left === 0 ? [] : below([`and ${left} more, which the audit did not keep`])),
  ];
}

function nameOf({ evidenceKey, originalRank }: Pick<RetrievedHit, 'evidenceKey' | 'originalRank'>): string {
  return JSON.stringify([evidenceKey, originalRank]);
}

function fateOf({ finalRank, dropped }: RerankedHit): string {
  return finalRank === null ? `dropped ${dropped ?? ''}`.trimEnd() : `kept as ${finalRank}`;
}

function hitLine(
  { evidenceKey, originalRank }: Pick<RetrievedHit, 'evidenceKey' | 'originalRank'>,
  found: RetrievedHit | undefined,
  fate: string,
  paint: Paint,
): string {
  const score = found?.score ?? null;
  const columns = [
    column(originalRank === null ? '-' : String(originalRank), 3),
    column(score === null ? '-' : String(Number(score.toFixed(4))), 7),
    paint(fate.startsWith('kept') ? 'good' : 'unsure', column(fate, 22)),
    safeText(evidenceKey),
  ];
  const text = found?.content ?? null;
  return text === null ? columns.join(' ') : `${columns.join(' ')}  ${quoted(text, false).join(' ')}`;
}
