import { isProoflineError } from '../../contracts/errors.js';
import { isJsonObject } from '../../contracts/json.js';
import { errorToJson } from '../../line/error-json.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { nameOf, parseJsonText, readText } from '../read-input.js';
import { safeText } from '../render/safe-text.js';
import { loadStation, stationNames, type TryStation } from '../try/stations.js';

const HELP = `
Examples:
  proofline try map --input pyrag-response.json        what a retrieval answer is read as
  proofline try project --input - < lookup.json        the agent view, and what was cut
  proofline try guard --input cases.jsonl --check      how many cases come out as they expect

Stations: ${stationNames.join(', ')}.
One JSON object is answered with one; lines of JSON (.jsonl) with as many lines. A case has its input under "input".
`;

interface TryOptions {
  readonly input: string;
  readonly check?: true;
}

export const addTry: AddCommand = (program, context) => {
  program
    .command('try')
    .description('run one rule on JSON by hand, without a line')
    .argument('<station>', 'the rule')
    .requiredOption('--input <FILE>', 'its input; - for standard input')
    .option('--check', 'compare with what the cases of the file expect')
    .addHelpText('after', HELP)
    .action((station: string, options: TryOptions) => tryStation(station, options, context));
};

async function tryStation(name: string, options: TryOptions, context: CommandContext): Promise<void> {
  const run = await loadStation(name);
  const inputs = inputsOf(await readText(context.io, options.input), options.input);
  if (options.check === true) return check(run, name, inputs, context);
  if (inputs.kind === 'one') {
    const indent = context.global().json ? 0 : 2;
    context.io.out(`${JSON.stringify(run(inputOf(inputs.value, name)), null, indent)}\n`);
    return;
  }
  for (const line of inputs.lines) context.io.out(`${JSON.stringify(answerOf(run, line, name, context))}\n`);
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
}

type Inputs =
  | { readonly kind: 'one'; readonly value: unknown }
  | { readonly kind: 'lines'; readonly lines: readonly Line[] };

/** Lines where the name says so, or where the whole is not one JSON value but each line is. */
function inputsOf(text: string, file: string): Inputs {
  const value = file.endsWith('.jsonl') ? undefined : parseJsonText(text);
  if (value !== undefined) return { kind: 'one', value };
  const lines = text.split('\n').map((line, i) => ({ number: i + 1, line }));
  const values = lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ number, line }) => ({ number, value: parseJsonText(line) }));
  const broken = values.find((each) => each.value === undefined);
  if (values.length === 0) throw inputInvalid(`${nameOf(file)} is empty`);
  if (broken !== undefined)
    throw inputInvalid(
      values.length === 1 || !file.endsWith('.jsonl')
        ? `${nameOf(file)} is no JSON`
        : `line ${broken.number} of ${file} is no JSON`,
    );
  return { kind: 'lines', lines: values };
}

/** A case of this station holds the input inside. */
function inputOf(value: unknown, station: string): unknown {
  return isCase(value) && value.station === station ? value.input : value;
}

interface Case {
  readonly name: string;
  readonly station: string;
  readonly input: unknown;
  readonly expect: unknown;
}

function isCase(value: unknown): value is Case {
  return isJsonObject(value) && typeof value['station'] === 'string' && 'input' in value && 'expect' in value;
}

/** A line that cannot be used is answered in its place, and the others are tried. */
function answerOf(run: TryStation, { number, value }: Line, name: string, { exit }: CommandContext): unknown {
  try {
    return run(inputOf(value, name));
  } catch (error) {
    if (!isProoflineError(error)) throw error;
    exit(2);
    return { error: { ...errorToJson(error), line: number } };
  }
}

interface CaseResult {
  readonly name: string;
  readonly problems: readonly string[];
}

/** Prints how many cases come out as expected, and in what the others differ. */
async function check(
  run: TryStation,
  station: string,
  inputs: Inputs,
  context: CommandContext,
): Promise<void> {
  const { differences } = await import('../try/compare.js');
  const values = inputs.kind === 'one' ? [inputs.value] : inputs.lines.map((line) => line.value);
  const cases = values.filter(isCase).filter((each) => each.station === station);
  if (cases.length === 0)
    throw inputInvalid(`there is no case of ${station} in it: {name, station, input, expect}`);
  const results = cases.map((each) => resultOf(run, each, differences));
  const failed = results.filter(({ problems }) => problems.length > 0);
  if (failed.length > 0) context.exit(1);
  printResults(results, failed, context);
}

function resultOf(
  run: TryStation,
  { name, input, expect }: Case,
  differences: (actual: unknown, expected: unknown) => readonly string[],
): CaseResult {
  try {
    return { name, problems: differences(run(input), expect) };
  } catch (error) {
    if (!isProoflineError(error)) throw error;
    return { name, problems: [error.message] };
  }
}

function printResults(
  results: readonly CaseResult[],
  failed: readonly CaseResult[],
  { io, global }: CommandContext,
): void {
  const passed = results.length - failed.length;
  if (global().json) {
    io.out(`${JSON.stringify({ cases: results.length, passed, failed })}\n`);
    return;
  }
  for (const { name, problems } of failed)
    io.out(`${safeText(name)}\n${problems.map((problem) => `  ${safeText(problem)}\n`).join('')}`);
  io.out(`${passed} of ${results.length} as expected\n`);
}
