import { contextAssembler, tokenAwareAssembler, type AssembledContext } from '../../context/assemble.js';
import type { RunContext } from '../../context/run-context.js';
import { tokenBudget } from '../../context/token-budget.js';
import type { CommandContext } from '../command.js';
import { readJson } from '../read-input.js';
import { assemblyOf, readAssembleInput } from '../try/assemble.js';
import { atDoors } from '../with-line.js';
import { assemblyOption, budgetAsked, type AssembleOptions } from './options.js';

/** Where `proofline assemble` takes evidence from. */

/** Hits of a file, outside any run. What the command line says wins. @throws ProoflineError PL_INPUT_INVALID. */
export async function assembleInputFile(
  options: AssembleOptions,
  { io }: CommandContext,
): Promise<AssembledContext> {
  const input = readAssembleInput(await readJson(io, options.input ?? '-'));
  const asked = budgetAsked(options) ?? input.budget;
  const budget = asked === null ? null : await tokenBudget(asked);
  const form = { ...assemblyOf(input), ...assemblyOption(options) };
  const assembler = budget === null ? contextAssembler(form) : tokenAwareAssembler(budget, form);
  return assembler(input.query, input.hits);
}

/**
 * The READY views of a run's lookups, recorded by the line: the one that runs, or else one in this process.
 * @throws ProoflineError as `assembleInRun` and opening the line do
 */
export async function assembleRun(
  runId: string,
  options: AssembleOptions,
  context: CommandContext,
): Promise<RunContext> {
  const handIn = {
    runId,
    toolCallIds: options.call,
    query: options.query ?? '',
    budget: budgetAsked(options),
    ...assemblyOption(options),
    ...(options.packed === true ? { packed: true } : {}),
  };
  return atDoors(context, 'a line', (client) => client.assemble(handIn));
}
