/**
 * How well a ranked list answers a question whose relevant documents are known: binary relevance, the field's
 * standard formulas.
 */

export interface RetrievalMetrics {
  /** Share of the first k that is relevant. */
  readonly precision: number;
  /** Share of what is relevant that is among the first k. */
  readonly recall: number;
  /** Harmonic mean of the two. */
  readonly f1: number;
  /** 1 / rank of the first relevant one among the first k. */
  readonly mrr: number;
  /** Gain 1 / log2(rank + 1) of each relevant one, as a share of the best order's. */
  readonly ndcg: number;
}

export const RETRIEVAL_METRICS = ['precision', 'recall', 'f1', 'mrr', 'ndcg'] as const;

export interface RankedAnswer {
  /** Ids in the order in which they were retrieved. Of a repeated id the first place counts. */
  readonly retrieved: readonly string[];
  readonly relevant: readonly string[];
}

const NOTHING: RetrievalMetrics = { precision: 0, recall: 0, f1: 0, mrr: 0, ndcg: 0 };

/**
 * Metrics of the first `k` distinct ids; k ≤ 0, or more than there are, means all. Where nothing is relevant or
 * nothing was retrieved, all are 0: never NaN. The best order is one of as many ids as were looked at: a list that is
 * too short is told by recall, not by nDCG.
 */
export function retrievalMetrics({ retrieved, relevant }: RankedAnswer, k: number): RetrievalMetrics {
  const distinct = [...new Set(retrieved)];
  const wanted = new Set(relevant);
  const top = k > 0 ? distinct.slice(0, k) : distinct;
  const ranks = top.flatMap((id, i) => (wanted.has(id) ? [i + 1] : []));
  const [first] = ranks;
  if (first === undefined) return NOTHING;
  const precision = ranks.length / top.length;
  const recall = ranks.length / wanted.size;
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall),
    mrr: 1 / first,
    ndcg: sum(ranks.map(gain)) / idealGain(Math.min(wanted.size, top.length)),
  };
}

function gain(rank: number): number {
  return 1 / Math.log2(rank + 1);
}

/** Of a list that begins with all that is relevant, as far as k lets it. */
function idealGain(count: number): number {
  let total = 0;
  for (let rank = 1; rank <= count; rank++) total += gain(rank);
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
