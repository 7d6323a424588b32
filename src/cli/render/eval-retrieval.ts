import type { MeanMetric, RetrievalReport } from '../../evaluation/evaluate-retrieval.js';
import { RETRIEVAL_METRICS } from '../../evaluation/retrieval-metrics.js';
import type { Grades, IndexRun } from '../eval/ask-index.js';
import { counted, LABEL } from './advice.js';
import type { Paint } from './page.js';
import { safeCut } from './safe-text.js';
import { renderTable } from './table.js';

/** How well a retriever answers, for a person. */
export function retrievalLines(
  report: RetrievalReport,
  run: IndexRun | null,
  withQueries: boolean,
  paint: Paint,
): readonly string[] {
  const { questions, answerable, unanswerable, rightlyEmpty, bootstrap } = report;
  const nothing =
    unanswerable === 0 ? '' : `; ${unanswerable} with nothing, ${rightlyEmpty} of them answered so`;
  return [
    `${'questions'.padEnd(LABEL)}${paint('strong', String(questions))}: ${answerable} with something to find${nothing}`,
    ...(run === null ? [] : indexLines(run)),
    '',
    ...meanLines(report),
    ...(withQueries ? ['', ...queryLines(report)] : []),
    '',
    paint(
      'faint',
      `In brackets the ${100 * bootstrap.level} % interval: percentile bootstrap over questions, ${bootstrap.resamples} resamples, seed ${bootstrap.seed}.`,
    ),
  ];
}

function indexLines({ documents, chunks, grades, milliseconds }: IndexRun): readonly string[] {
  const { p50, p99 } = milliseconds;
  const label = ' '.repeat(LABEL);
  return [
    `${'index'.padEnd(LABEL)}${counted(documents, 'document')}, ${counted(chunks, 'passage')}; lookups p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    `${'grades'.padEnd(LABEL)}something to find: ${gradeWords(grades.answerable)}`,
    `${label}nothing to find: ${gradeWords(grades.unanswerable)}`,
  ];
}

function gradeWords({ PRECISE, REFERENCE, NONE }: Grades): string {
  return `PRECISE ${PRECISE}, REFERENCE ${REFERENCE}, none ${NONE}`;
}

function meanLines({ ks, means }: RetrievalReport): readonly string[] {
  const rows = ks.map((k, i) => {
    const of = means[i] ?? null;
    return [kName(k), ...RETRIEVAL_METRICS.map((name) => (of === null ? '-' : meanWords(of[name])))];
  });
  return tableLines(['k', ...RETRIEVAL_METRICS], rows);
}

function meanWords({ mean, low, high }: MeanMetric): string {
  return `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

const QUERY_LENGTH = 60;

function queryLines({ ks, queries }: RetrievalReport): readonly string[] {
  const rows = queries.flatMap(({ position, query, at }) =>
    at.map((metrics, i) => [
      String(position),
      kName(ks[i] ?? 0),
      ...RETRIEVAL_METRICS.map((name) => metrics[name].toFixed(3)),
      safeCut(query ?? '', QUERY_LENGTH),
    ]),
  );
  return tableLines(['#', 'k', ...RETRIEVAL_METRICS, 'query'], rows);
}

function kName(k: number): string {
  return k === 0 ? 'all' : String(k);
}

function tableLines(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return renderTable(heading, rows).trimEnd().split('\n');
}
