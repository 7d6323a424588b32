import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hit } from '../../contracts/generated.js';
import { ProoflineError } from '../../contracts/errors.js';
import { postprocess } from '../../evidence/postprocess.js';
import type { RetrievalCase } from '../../evaluation/evaluate-retrieval.js';
import { openLocalIndex } from '../../retrieval/local/local-index.js';
import type { LabelledQuestion } from './read-cases.js';

/** Questions asked of a local index that is made for them, and thrown away. */

export type Grade = 'PRECISE' | 'REFERENCE' | 'NONE';

export interface IndexRun {
  readonly documents: number;
  readonly chunks: number;
  /** How many first answers had each grade, of questions with something to find and without. */
  readonly grades: { readonly answerable: Grades; readonly unanswerable: Grades };
  /** Of the lookups, as measured here. */
  readonly milliseconds: { readonly p50: number; readonly p99: number };
}

export type Grades = Readonly<Record<Grade, number>>;

export interface AskedQuestions {
  readonly cases: readonly RetrievalCase[];
  readonly run: IndexRun;
}

interface Asked {
  readonly question: LabelledQuestion;
  readonly hits: readonly Hit[];
  readonly milliseconds: number;
}

/** @throws ProoflineError PL_INPUT_INVALID where the folder cannot be read; the signal's reason. */
export async function askIndex(
  folder: string,
  questions: readonly LabelledQuestion[],
  topK: number,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<AskedQuestions> {
  const scratch = mkdtempSync(join(tmpdir(), 'proofline-eval-'));
  const index = openLocalIndex(join(scratch, 'index.db'));
  try {
    const { documents, chunks } = await index.indexFolder(folder, { signal });
    const asked: Asked[] = [];
    for (const question of questions) {
      signal.throwIfAborted();
      const started = performance.now();
      const outcome = await index.search({ query: question.query, mode: 'hybrid', filters: {}, topK });
      if (outcome.kind !== 'hits')
        throw new ProoflineError('PL_INPUT_INVALID', { problem: `the index answered ${outcome.kind}` });
      asked.push({ question, hits: outcome.hits, milliseconds: performance.now() - started });
      onProgress(asked.length);
    }
    return { cases: asked.map(caseOf), run: { documents, chunks, ...figures(asked) } };
  } finally {
    await index.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A hit goes by the name that the question's relevant ids use: its evidence key, its document or its path. */
function caseOf({ question: { query, relevant }, hits }: Asked): RetrievalCase {
  const wanted = new Set(relevant);
  const retrieved = hits.map(({ evidenceKey, documentId, source }) => {
    const path = source ?? documentId;
    return [evidenceKey, documentId, path].find((name) => wanted.has(name)) ?? path;
  });
  return { query, retrieved, relevant };
}

function figures(asked: readonly Asked[]): Pick<IndexRun, 'grades' | 'milliseconds'> {
  const answerable = asked.filter(({ question }) => question.relevant.length > 0);
  const unanswerable = asked.filter(({ question }) => question.relevant.length === 0);
  const times = asked.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const quantile = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    grades: { answerable: gradesOf(answerable), unanswerable: gradesOf(unanswerable) },
    milliseconds: { p50: quantile(0.5), p99: quantile(0.99) },
  };
}

function gradesOf(asked: readonly Asked[]): Grades {
  const grades = asked.map(({ hits }) => postprocess(hits).relevanceLevel ?? 'NONE');
  const count = (grade: Grade): number => grades.filter((each) => each === grade).length;
  return { PRECISE: count('PRECISE'), REFERENCE: count('REFERENCE'), NONE: count('NONE') };
}
