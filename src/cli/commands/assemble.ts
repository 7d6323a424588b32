import type { AssembledContext } from '../../context/assemble.js';
import type { AnswerSpans } from '../../spans/bind-answer.js';
import type { OffsetUnit } from '../../spans/offsets.js';
import type { AssembleOptions } from '../assemble/options.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { print } from '../print.js';
import { readText } from '../read-input.js';

const HELP = `
Examples:
  proofline assemble --input hits.json --tokens 3000 --model gpt-4o-mini    one text for a prompt, and its sources
  proofline assemble --run r1 --call c1 --call c2 --query "gateway timeout" of what the run's model was shown
  proofline assemble --run r1 --call c1 --query "…" --text                  the text alone, byte for byte
  proofline assemble --run r1 --call c1 --query "…" --answer answer.txt     what each sentence of an answer cites

An input is {"query": "…", "hits": [{"content": "…", "source_name": "…", …}]}. A context of a run is recorded before it
is printed, by the line that runs on the data folder where one does; text that was assembled outside a run cannot be
cited. Exit code 1 when a sentence of --answer needs a citation, or names an unknown source.
`;

export const addAssemble: AddCommand = (program, context) => {
  program
    .command('assemble')
    .description('put evidence into one text for a prompt, with its sources; bind an answer to them')
    .option('--input <FILE>', 'hits as JSON, outside any run; - for standard input')
    .option('--run <ID>', 'the run whose evidence it is')
    .option('--call <ID>', 'a lookup of the run; may be repeated', collected, [])
    .option('--query <TEXT>', 'the question of the prompt (with --run)')
    .option('--tokens <N>', 'the most tokens that the text may have')
    .option('--model <NAME>', 'count tokens as this model does')
    .option('--encoding <NAME>', 'count tokens in cl100k_base or o200k_base')
    .option('--no-labels', 'leave the [S1] lines out of the text')
    .option('--delimiter <TEXT>', 'what stands between two passages (an empty line without)')
    .option('--packed', 'the packed text of 4000 characters instead (with --run)')
    .option('--answer <FILE>', 'bind the markers of this answer; - for standard input')
    .option('--unit <UNIT>', 'places count utf16, code_points or utf8_bytes', 'utf16')
    .option('--text', 'print only the text, byte for byte')
    .addHelpText('after', HELP)
    .action((options: AssembleOptions) => assemble(options, context));
};

function collected(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

async function assemble(options: AssembleOptions, context: CommandContext): Promise<void> {
  assertOneSource(options);
  const unit = unitOf(options.unit ?? 'utf16');
  const answer = options.answer === undefined ? null : await readText(context.io, options.answer);
  const { assembleInputFile, assembleRun } = await import('../assemble/sources.js');
  const assembled =
    options.run === undefined
      ? await assembleInputFile(options, context)
      : await assembleRun(options.run, options, context);
  if (options.text === true) {
    context.io.out(assembled.text);
    return;
  }
  const spans = answer === null ? null : await bind(answer, assembled, unit);
  if (spans !== null && !isBound(spans)) context.exit(1);
  const { assembledJson, assembledPage } = await import('../render/assemble.js');
  print(
    context,
    () => assembledJson(assembled, spans),
    (paint) => assembledPage(assembled, answer, spans, paint),
  );
}

function assertOneSource({ input, run, call, query, answer, packed }: AssembleOptions): void {
  if ((input === undefined) === (run === undefined))
    throw inputInvalid('it takes either --input or --run, which says where the evidence is');
  if (run !== undefined && (call.length === 0 || query === undefined))
    throw inputInvalid('--run needs a --call for each lookup, and --query');
  if (run === undefined && (call.length > 0 || query !== undefined))
    throw inputInvalid('--call and --query go with --run');
  if (run === undefined && packed === true) throw inputInvalid('--packed goes with --run');
  if (input === '-' && answer === '-') throw inputInvalid('only one of --input and --answer can be -');
}

const UNITS: readonly OffsetUnit[] = ['utf16', 'code_points', 'utf8_bytes'];

function unitOf(text: string): OffsetUnit {
  const unit = UNITS.find((each) => each === text);
  if (unit === undefined)
    throw inputInvalid(`--unit is ${JSON.stringify(text)}, and must be ${UNITS.join(', ')}`);
  return unit;
}

async function bind(answer: string, context: AssembledContext, unit: OffsetUnit): Promise<AnswerSpans> {
  const { bindAnswer } = await import('../../spans/bind-answer.js');
  return bindAnswer(answer, context, { unit });
}

function isBound({ claims }: AnswerSpans): boolean {
  return claims.every(({ needsCitation, unknown }) => !needsCitation && unknown.length === 0);
}
