import type { Lookup } from '../../../producers/lookups.js';
import { parseJson } from '../../contracts/json.js';
import type { LookupAnswer } from '../../line/line-client.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid, wholeNumber } from '../input.js';
import { madeUpId } from '../made-up-id.js';
import { print } from '../print.js';
import { addLimitOptions, limitsOf, type LimitOptions } from '../run-limits.js';
import { atDoors } from '../with-line.js';

const HELP = `
Examples:
  proofline lookup "gateway timeout"                 ask, with ids made up
  proofline lookup "gateway timeout" --run r1 --call c2 --top-k 20
  proofline lookup "网关超时" --filter path=guides/** --json
  proofline lookup "gateway timeout" --view          exactly the bytes that a model is given
  proofline lookup "gateway timeout" --run r2 --max-lookups 5 --deadline 10m

The limits of a run are those of its first lookup. Once they are spent, more lookups are refused; a run that has no
outcome at its deadline, by default 30 minutes after its first lookup, gets the fixed fallback. Give \`proofline submit\`
the same ones.

Asking the same again under the same ids gives the same answer again. No evidence is an answer too: exit code 0.
`;

interface LookupCommandOptions extends LimitOptions {
  readonly run?: string;
  readonly call?: string;
  readonly topK?: string;
  readonly mode?: string;
  readonly filter: readonly string[];
  readonly view?: true;
}

export const addLookup: AddCommand = (program, context) => {
  const command = program
    .command('lookup')
    .description('ask the knowledge base one question, as an agent would')
    .argument('<query...>', 'the question')
    .option('--run <ID>', 'the run that asks (made up without)')
    .option('--call <ID>', 'the id of this tool call (made up without)')
    .option('--top-k <N>', 'how many hits to ask for (10 without)')
    .option('--mode <MODE>', 'hybrid or semantic')
    .option('--filter <NAME=VALUE>', 'a filter of the retriever; may be repeated', collected, [])
    .option('--view', 'print only the agent view, byte for byte');
  addLimitOptions(command)
    .addHelpText('after', HELP)
    .action((query: string[], options: LookupCommandOptions) => lookup(query.join(' '), options, context));
};

function collected(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

async function lookup(query: string, options: LookupCommandOptions, context: CommandContext): Promise<void> {
  const question = lookupOf(query, options);
  const answer = await atDoors(context, 'something to search', (client) => client.lookup(question));
  if (answer.projected['state'] !== 'READY') context.exit(1);
  if (options.view === true) {
    printView(answer, context);
    return;
  }
  const { lookupPage } = await import('../render/lookup.js');
  print(
    context,
    () => answer.projected,
    (paint, typed) => lookupPage(answer, paint, typed),
  );
}

function lookupOf(query: string, options: LookupCommandOptions): Lookup {
  if (query.trim() === '') throw inputInvalid('the question is empty');
  const { run, call, topK, mode, filter } = options;
  return {
    runId: run ?? madeUpId('run'),
    toolCallId: call ?? madeUpId('call'),
    query,
    filters: filtersOf(filter),
    limits: limitsOf(options, Date.now()),
    ...(mode === undefined ? {} : { mode: modeOf(mode) }),
    ...(topK === undefined ? {} : { topK: wholeNumber('--top-k', topK) }),
  };
}

/** Said here, because the line would take it as a lookup and answer that it failed. */
function modeOf(mode: string): string {
  if (mode === 'hybrid' || mode === 'semantic') return mode;
  throw inputInvalid(`--mode is ${JSON.stringify(mode)}, and must be hybrid or semantic`);
}

/** A value that begins as a JSON list, object or string is read as such; a name that comes again makes a list. */
function filtersOf(pairs: readonly string[]): Record<string, unknown> {
  const filters = new Map<string, unknown[]>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw inputInvalid(`--filter is ${JSON.stringify(pair)}, and must be NAME=VALUE`);
    const name = pair.slice(0, at);
    const text = pair.slice(at + 1);
    filters.set(name, [
      ...(filters.get(name) ?? []),
      (/^[[{"]/.test(text) ? parseJson(text) : undefined) ?? text,
    ]);
  }
  return Object.fromEntries(
    [...filters].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

function printView({ projected }: LookupAnswer, { io }: CommandContext): void {
  const { agent_view: view, failure } = projected;
  const { code = '', message = '' } = (failure ?? {}) as { code?: string; message?: string };
  if (typeof view === 'string') io.out(view);
  else io.err(`there is no view: ${code} ${message}\n`);
}
