/**
 * How well the local index answers questions whose answers are known.
 *
 *   npx tsx scripts/eval-questions.ts FOLDER QUESTIONS.jsonl [--list]
 *
 * A question is `{question, answerable, expected?: [paths], kind?}`, one a line. `--list` prints each of them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Hit } from '../src/contracts/generated.js';
import { openLocalIndex } from '../src/retrieval/local/local-index.js';

interface Question {
  readonly question: string;
  readonly answerable: boolean;
  readonly expected?: readonly string[];
  readonly kind?: string;
}

interface Result extends Question {
  readonly hits: readonly Hit[];
  readonly milliseconds: number;
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
const [folder, questionFile] = positionals;
if (folder === undefined || questionFile === undefined) {
  console.error('Usage: tsx scripts/eval-questions.ts FOLDER QUESTIONS.jsonl [--list]');
  process.exit(2);
}
await evaluate(folder, questionFile);

async function evaluate(folder: string, questionFile: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'proofline-eval-'));
  const index = openLocalIndex(join(scratch, 'index.db'));
  try {
    const report = await index.indexFolder(folder);
    console.log(`indexed ${report.documents} files, ${report.chunks} chunks in ${report.milliseconds} ms`);
    const results: Result[] = [];
    for (const question of readQuestions(questionFile)) {
      const started = performance.now();
      const outcome = await index.search({ query: question.question, mode: 'hybrid', filters: {}, topK: 10 });
      const milliseconds = performance.now() - started;
      if (outcome.kind !== 'hits') throw new Error(`${question.question}: ${outcome.kind}`);
      results.push({ ...question, hits: outcome.hits, milliseconds });
    }
    if (values.list === true) results.forEach(printOne);
    printSummary(results);
  } finally {
    await index.close();
    rmSync(scratch, { recursive: true });
  }
}

function readQuestions(file: string): Question[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Question);
}

function gradeOf({ hits }: Result): 'PRECISE' | 'REFERENCE' | 'none' {
  const score = hits[0]?.score ?? 0;
  return score >= 0.75 ? 'PRECISE' : score >= 0.5 ? 'REFERENCE' : 'none';
}

/** Place, from 1, of the first hit of a document that answers; 0 when none does. */
function placeOf({ hits, expected = [] }: Result): number {
  return hits.findIndex((hit) => expected.includes(hit.source ?? '')) + 1;
}

function printOne(result: Result): void {
  const place = result.answerable ? `@${placeOf(result)}` : (result.kind ?? '');
  const first = result.hits[0];
  const found = first === undefined ? '-' : `${(first.score ?? 0).toFixed(2)} ${first.evidenceKey}`;
  console.log(`${gradeOf(result).padEnd(9)} ${place.padEnd(5)} ${result.question}  →  ${found}`);
}

function printSummary(results: readonly Result[]): void {
  const answerable = results.filter((result) => result.answerable);
  const others = results.filter((result) => !result.answerable);
  console.log(`answerable (${answerable.length}): ${gradeCounts(answerable)}`);
  console.log(`  right document first: ${answerable.filter((result) => placeOf(result) === 1).length}`);
  const inTop = answerable.filter((result) => placeOf(result) >= 1 && placeOf(result) <= 5);
  console.log(`  right document in the first five: ${inTop.length}`);
  console.log(`unanswerable (${others.length}): ${gradeCounts(others)}`);
  console.log(`lookups: p50 ${quantile(results, 0.5)} ms, p99 ${quantile(results, 0.99)} ms`);
}

function gradeCounts(results: readonly Result[]): string {
  const count = (grade: string) => results.filter((result) => gradeOf(result) === grade).length;
  return ['PRECISE', 'REFERENCE', 'none'].map((grade) => `${grade} ${count(grade)}`).join(', ');
}

function quantile(results: readonly Result[], share: number): string {
  const sorted = results.map((result) => result.milliseconds).sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}
