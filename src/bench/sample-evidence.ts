import type { Hit } from '../contracts/generated.js';

/** Made-up evidence of a given size; no two texts are equal. */

const WORDS = [
  'gateway',
  'timeout',
  'upstream',
  'latency',
  'probe',
  'leader',
  'quorum',
  'disk',
  'restart',
  '网关',
  '超时',
  '配置',
];

export interface SampleSize {
  readonly hits: number;
  /** UTF-16 units of each. */
  readonly chars: number;
}

export function sampleText(seed: number, chars: number): string {
  let text = `${seed}: `;
  for (let i = seed; text.length < chars; i++) text += `${WORDS[(i * 7 + seed) % WORDS.length] ?? ''} `;
  return text.slice(0, chars);
}

/** Hits of distinct chunks, two a document. */
export function sampleHits(seed: number, count: number, chars: number): Hit[] {
  return Array.from({ length: count }, (_, i) => {
    const documentId = `runbook-${seed}-${i >> 1}`;
    return {
      evidenceKey: `${documentId}#chunk-${i & 1}`,
      documentId,
      chunkIndex: i & 1,
      content: sampleText(seed * 100 + i, chars),
      score: 0.9 - i / 100,
      scoreLabel: 'rerank',
      originalRank: i + 1,
      attempt: 'UNFILTERED_VECTOR',
      source: `${documentId}.md`,
      title: `Runbook ${seed}-${i >> 1}`,
      breadcrumb: `Runbook ${seed}-${i >> 1} > Steps`,
      sourceUri: null,
      pageNumber: null,
      sectionTitle: 'Steps',
    };
  });
}

/** A draft of as many analyses as there are lookups, each citing one shown document of its lookup. */
export function sampleDraft(lookups: readonly { toolCallId: string; documentId: string }[]): string {
  const analysis = lookups.map(({ toolCallId, documentId }, i) => ({
    id: `a${i + 1}`,
    kind: 'NORMAL',
    text: `The gateway timeout points at upstream latency, see the runbook step ${i + 1}.`,
    tool_call_ids: [toolCallId],
    document_ids: [documentId],
  }));
  const grounded = {
    text: 'Check the upstream configuration.',
    based_on_analysis_ids: analysis.map((a) => a.id),
  };
  return JSON.stringify({
    analysis,
    conclusion: grounded,
    action_plan: [grounded],
    limitations: ['Metrics were not read.'],
  });
}
