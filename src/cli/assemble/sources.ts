import { contextAssembler, tokenAwareAssembler, type AssembledContext } from '../../context/assemble.js';
import type { RunContext } from '../../context/run-context.js';
import { tokenBudget } from '../../context/token-budget.js';
import { openCodec } from '../../line/kafka-services.js';
import { assembleInRun } from '../../line/run-context.js';
import type { CommandContext } from '../command.js';
import { readJson } from '../read-input.js';
import { publicKeys, readingLine } from '../reading-line.js';
import { assemblyOf, readAssembleInput } from '../try/assemble.js';
import { withBus } from '../with-bus.js';
import { configOf } from '../with-line.js';
import { assemblyOption, budgetOption, type AssembleOptions } from './options.js';

/** Where `proofline assemble` takes evidence from. */

/** Hits of a file, outside any run. What the command line says wins. @throws ProoflineError PL_INPUT_INVALID. */
export async function assembleInputFile(
  options: AssembleOptions,
  { io }: CommandContext,
): Promise<AssembledContext> {
  const input = readAssembleInput(await readJson(io, options.input ?? '-'));
  const said = input.budget === null ? null : await tokenBudget(input.budget);
  const budget = (await budgetOption(options)) ?? said;
  const form = { ...assemblyOf(input), ...assemblyOption(options) };
  const assembler = budget === null ? contextAssembler(form) : tokenAwareAssembler(budget, form);
  return assembler(input.query, input.hits);
}

/**
 * The READY views of a run's lookups, recorded in the line's own logs.
 * @throws ProoflineError as `assembleInRun` and opening the line do; PL_DATA_FOLDER_LOCKED beside a running one.
 */
export async function assembleRun(
  runId: string,
  options: AssembleOptions,
  context: CommandContext,
): Promise<RunContext> {
  const { call: toolCallIds, query = '' } = options;
  const request = {
    runId,
    toolCallIds,
    query,
    budget: await budgetOption(options),
    ...assemblyOption(options),
  };
  const config = await configOf(context);
  // A folder without a line is refused, and not made.
  await readingLine(context, () => Promise.resolve());
  const keyring = await publicKeys(context);
  const codec = await openCodec(config);
  return withBus(context, (bus) => {
    const { partitions } = bus;
    const emitter = { station: 'context', codec, partitions, prefix: config.topicPrefix, now: Date.now };
    return assembleInRun({ bus, codec, emitter, keyring }, request);
  });
}
