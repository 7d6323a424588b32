import type { TextOfHit } from '../trace/convention.js';
import type { RunTrace } from '../trace/run-trace.js';
import type { RunData } from './run-snapshot.js';

/** The texts of a run's hits, while their topic keeps them. */
export function hitTexts({ records }: Pick<RunData, 'records'>): TextOfHit {
  const texts = new Map<string, string>();
  for (const { message } of records['raw-hits.v1'])
    for (const { evidenceKey, originalRank, content } of message.hits) {
      const name = nameOf(message.toolCallId, evidenceKey, originalRank);
      if (!texts.has(name)) texts.set(name, content);
    }
  return (toolCallId, { evidenceKey, originalRank }) =>
    texts.get(nameOf(toolCallId, evidenceKey, originalRank)) ?? null;
}

function nameOf(...parts: readonly [toolCallId: string, evidenceKey: string, rank: number | null]): string {
  return JSON.stringify(parts);
}

/** The trace with the texts of its hits. */
export function withTexts(trace: RunTrace, textOf: TextOfHit): RunTrace {
  const lookups = trace.lookups.map((lookup) => ({
    ...lookup,
    retrievedHits:
      lookup.retrievedHits?.map((hit) => ({ ...hit, content: textOf(lookup.toolCallId, hit) })) ?? null,
  }));
  return { ...trace, lookups };
}
