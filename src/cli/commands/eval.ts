import type { Command } from 'commander';
import { toSnakeJson } from '../../contracts/json.js';
import type { LabelledQuestion } from '../eval/read-cases.js';
import type { AskedQuestions } from '../eval/ask-index.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import type { CliIo } from '../io.js';
import { wholeNumber } from '../option-values.js';
import { print } from '../print.js';

const HELP = `
Examples:
  proofline eval retrieval answers.jsonl --k 1,5,10         what your retriever found, against what is relevant
  proofline eval retrieval questions.jsonl --docs ./docs    the same of the local index over your own folder
  proofline eval citations claims.jsonl --wrong 20          how far the checks that block can be trusted
`;

const RETRIEVAL_HELP = `
A line is
  {"query": "gateway timeout", "retrieved": ["gw#chunk-1", "dns#chunk-0"], "relevant": ["gw#chunk-1"]}
and with --docs, where the local index answers,
  {"query": "gateway timeout", "relevant": ["gateway-timeout.md"]}

Means are over questions with something relevant; to the others the right answer is none, and they are counted.
The interval beside a mean is a percentile bootstrap over questions: the same --seed gives the same interval.

Examples:
  proofline eval retrieval answers.jsonl
  proofline eval retrieval answers.jsonl --k 3 --queries --json
  proofline eval retrieval questions.jsonl --docs ./runbooks --top-k 10
`;

const CITATIONS_HELP = `
A line is
  {"claim": "The pool holds 50 connections.", "references": [{"document_id": "pool#chunk-0", "excerpt": "…"}],
   "quote": {"document_id": "pool#chunk-0", "text": "…"}, "attributable": true, "kind": "verbatim", "split": "test"}
of which claim, references and attributable must be there. It is judged as an analysis that cites these documents: first
its quotes, then the deterministic reviewer. A claim that says that nothing is known is counted as an abstention alone.

Examples:
  proofline eval citations claims.jsonl
  proofline eval citations claims.jsonl --split test --wrong 50
  proofline eval citations claims.jsonl --at-least 0.95    exit code 1 when less of what was blocked was rightly so
`;

interface RetrievalOptions {
  readonly k: string;
  readonly docs?: string;
  readonly topK: string;
  readonly queries?: true;
  readonly seed: string;
  readonly resamples: string;
}

interface CitationOptions {
  readonly wrong: string;
  readonly split?: string;
  readonly atLeast?: string;
}

export const addEval: AddCommand = (program, context) => {
  const evaluate: Command = program
    .command('eval')
    .description('measure retrieval, or the checks that block, on a labelled set')
    .addHelpText('after', HELP);
  evaluate
    .command('retrieval')
    .description('precision, recall, F1, MRR and nDCG of ranked answers, a question a line')
    .argument('<file>', 'questions as lines of JSON; - for standard input')
    .option('--k <LIST>', 'how many of the first count, several with commas; 0 is all', '1,3,5,10')
    .option('--docs <DIR>', 'let the local index over this folder answer')
    .option('--top-k <N>', 'hits that the index is asked for (with --docs)', '10')
    .option('--queries', 'print every question too')
    .option('--seed <N>', 'of the bootstrap', '1')
    .option('--resamples <N>', 'of the bootstrap', '1000')
    .addHelpText('after', RETRIEVAL_HELP)
    .action((file: string, options: RetrievalOptions) => retrieval(file, options, context));
  evaluate
    .command('citations')
    .description('precision, recall and abstention of the checks that block, a claim a line')
    .argument('<file>', 'claims as lines of JSON; - for standard input')
    .option('--wrong <N>', 'list so many claims that were judged wrongly', '10')
    .option('--split <NAME>', 'only the claims of this part of the set')
    .option('--at-least <SHARE>', 'exit with 1 when less of what was blocked was rightly so')
    .addHelpText('after', CITATIONS_HELP)
    .action((file: string, options: CitationOptions) => citations(file, options, context));
};

async function retrieval(file: string, options: RetrievalOptions, context: CommandContext): Promise<void> {
  const ks = options.k.split(',').map((k) => wholeNumber('--k', k.trim(), 0, 10_000));
  const seed = wholeNumber('--seed', options.seed, 0, 0xffffffff);
  const resamples = wholeNumber('--resamples', options.resamples, 1, 100_000);
  const topK = wholeNumber('--top-k', options.topK, 1, 100);
  const { readQuestions, readRetrievalCases } = await import('../eval/read-cases.js');
  const asked =
    options.docs === undefined
      ? { cases: await readRetrievalCases(context.io, file), run: null }
      : await ask(options.docs, await readQuestions(context.io, file), topK, context.io);
  const { evaluateRetrieval } = await import('../../evaluation/evaluate-retrieval.js');
  const report = evaluateRetrieval(asked.cases, ks, { seed, resamples, level: 0.95 });
  const { retrievalLines } = await import('../render/eval-retrieval.js');
  print(
    context,
    () => toSnakeJson(asked.run === null ? report : { ...report, index: asked.run }, new Set(['grades'])),
    (paint) => retrievalLines(report, asked.run, options.queries === true, paint),
  );
}

async function ask(
  folder: string,
  questions: readonly LabelledQuestion[],
  topK: number,
  io: CliIo,
): Promise<AskedQuestions> {
  const { assertFolder } = await import('../../line/retrieval.js');
  assertFolder(folder);
  const { askIndex } = await import('../eval/ask-index.js');
  const progress = progressOf(io, questions.length, 'questions');
  try {
    return await askIndex(folder, questions, topK, { signal: io.signal, onProgress: progress.show });
  } finally {
    progress.end();
  }
}

async function citations(file: string, options: CitationOptions, context: CommandContext): Promise<void> {
  const listed = wholeNumber('--wrong', options.wrong, 0, 100_000);
  const least = options.atLeast === undefined ? null : shareOf('--at-least', options.atLeast);
  const { readClaims } = await import('../eval/read-cases.js');
  const all = await readClaims(context.io, file);
  const claims = options.split === undefined ? all : all.filter(({ split }) => split === options.split);
  if (claims.length === 0) throw inputInvalid(`no claim is of the split ${JSON.stringify(options.split)}`);
  const { evaluateCitations } = await import('../../evaluation/evaluate-citations.js');
  const progress = progressOf(context.io, claims.length, 'claims');
  const report = evaluateCitations(claims, progress.show);
  progress.end();
  const { citationLines, citationJson } = await import('../render/eval-citations.js');
  print(
    context,
    () => citationJson(report, listed),
    (paint) => citationLines(report, listed, paint),
  );
  const { value } = report.all.blockPrecision;
  if (least !== null && (value === null || value < least)) context.exit(1);
}

function shareOf(option: string, text: string): number {
  const value = Number(text);
  if (/^[\d.]+$/.test(text) && value >= 0 && value <= 1) return value;
  throw inputInvalid(`${option} is ${JSON.stringify(text)}, and must be a share from 0 to 1`);
}

const STEP = 50;

/** One line that is written over and over where a person watches. */
function progressOf(io: CliIo, of: number, what: string) {
  return {
    show: (done: number): void => {
      if (io.interactive && done % STEP === 0) io.err(`\r\u001b[2K${done} of ${of} ${what}`);
    },
    end: (): void => {
      if (io.interactive) io.err('\r\u001b[2K');
    },
  };
}
