import { BOOTSTRAP, bootstrapMeans } from './bootstrap.js';
import type { BootstrapOptions, Interval } from './bootstrap.js';
import { RETRIEVAL_METRICS, retrievalMetrics } from './retrieval-metrics.js';
import type { RankedAnswer, RetrievalMetrics } from './retrieval-metrics.js';

/** A question with what was retrieved for it and what is relevant to it. */
export interface RetrievalCase extends RankedAnswer {
  readonly query: string | null;
}

export interface QueryMetrics {
  /** Of the question in the file, from 1. */
  readonly position: number;
  readonly query: string | null;
  /** Of each k, in the order of the report's `ks`. */
  readonly at: readonly RetrievalMetrics[];
}

/** The mean of a metric over questions, with its bootstrap interval. */
export interface MeanMetric extends Interval {
  readonly mean: number;
}

export interface RetrievalReport {
  readonly questions: number;
  /** Questions with something relevant to find. The means are over these. */
  readonly answerable: number;
  /** Questions to which nothing is relevant: their metrics are 0 by definition and would only dilute the means. */
  readonly unanswerable: number;
  /** Of those, the ones for which nothing was retrieved, as is right. */
  readonly rightlyEmpty: number;
  /** 0 is all. */
  readonly ks: readonly number[];
  /** Of each k; null where no question is answerable. */
  readonly means: readonly (Readonly<Record<keyof RetrievalMetrics, MeanMetric>> | null)[];
  readonly bootstrap: BootstrapOptions;
  readonly queries: readonly QueryMetrics[];
}

/** Metrics at every k, of each question and in the mean. */
export function evaluateRetrieval(
  cases: readonly RetrievalCase[],
  ks: readonly number[],
  bootstrap: BootstrapOptions = BOOTSTRAP,
): RetrievalReport {
  const queries = cases.map((each, i) => ({
    position: i + 1,
    query: each.query,
    at: ks.map((k) => retrievalMetrics(each, k)),
  }));
  const answerable = queries.filter((_, i) => (cases[i]?.relevant.length ?? 0) > 0);
  const unanswerable = cases.filter(({ relevant }) => relevant.length === 0);
  return {
    questions: cases.length,
    answerable: answerable.length,
    unanswerable: unanswerable.length,
    rightlyEmpty: unanswerable.filter(({ retrieved }) => retrieved.length === 0).length,
    ks,
    means: ks.map((_, i) =>
      means(
        answerable.flatMap(({ at }) => at[i] ?? []),
        bootstrap,
      ),
    ),
    bootstrap,
    queries,
  };
}

function means(
  rows: readonly RetrievalMetrics[],
  bootstrap: BootstrapOptions,
): Readonly<Record<keyof RetrievalMetrics, MeanMetric>> | null {
  if (rows.length === 0) return null;
  const columns = RETRIEVAL_METRICS.map((name) => rows.map((row) => row[name]));
  const intervals = bootstrapMeans(columns, bootstrap);
  const of = (name: keyof RetrievalMetrics): MeanMetric => {
    const i = RETRIEVAL_METRICS.indexOf(name);
    const column = columns[i] ?? [];
    const mean = column.reduce((total, value) => total + value, 0) / column.length;
    const { low, high } = intervals[i] ?? { low: mean, high: mean };
    return { mean, low, high };
  };
  return {
    precision: of('precision'),
    recall: of('recall'),
    f1: of('f1'),
    mrr: of('mrr'),
    ndcg: of('ndcg'),
  };
}
