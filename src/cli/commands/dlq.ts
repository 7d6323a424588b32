import type { DeadLetterFilter, DeadLetterSummary } from '../../line/dead-letters.js';
import type { DoorClient } from '../../line/line-client.js';
import type { PlannedReplay } from '../../line/replay-plans.js';
import type { AddCommand, CommandContext } from '../command.js';
import type { ReplayLine } from '../render/dlq.js';

const HELP = `
Examples:
  proofline dlq                                        every record that was given up
  proofline dlq list --code PL_PARTITION_WRONG
  proofline dlq show 3f9c                              one of them, whole, with what to do (a beginning of its id)
  proofline dlq replay 3f9c                            what a replay would write, and where
  proofline dlq replay 3f9c --yes                      does it, once
  proofline dlq replay --all --station guard --rate 5 --yes

A replay writes the record's own bytes to its topic again, on the partition where its run belongs. What was replayed
is marked and goes no second time; what fails again is a new dead letter. A running line does it itself.
`;

interface FilterOptions {
  readonly station?: string;
  readonly code?: string;
  readonly run?: string;
}

interface ReplayOptions extends FilterOptions {
  readonly all?: true;
  readonly rate: string;
  readonly by?: string;
  readonly yes?: true;
}

export const addDlq: AddCommand = (program, context) => {
  const dlq = program
    .command('dlq')
    .description('records that were given up: look into them, replay them')
    .addHelpText('after', HELP);
  dlq
    .command('list', { isDefault: true })
    .description('what was given up, by whom and why')
    .option('--station <name>', 'only by this station')
    .option('--code <code>', 'only with this code')
    .option('--run <run>', 'only of this run')
    .action((options: FilterOptions) => list(options, context));
  dlq
    .command('show')
    .description('one dead letter, whole')
    .argument('<id>', 'its event id, or a beginning that no other has')
    .action((id: string) => show(id, context));
  dlq
    .command('replay')
    .description('write the record to its topic again; without --yes only say what would be written')
    .argument('[id]', 'the event id of the dead letter, or a beginning that no other has')
    .option('--all', 'all that were not replayed yet')
    .option('--station <name>', 'with --all: only by this station')
    .option('--code <code>', 'with --all: only with this code')
    .option('--run <run>', 'with --all: only of this run')
    .option('--rate <n>', 'with --all: at most so many a second', '10')
    .option('--by <name>', 'who replays it, for the marker; you, without it')
    .option('--yes', 'do it')
    .action((id: string | undefined, options: ReplayOptions) => replay(id, options, context));
};

function filterOf({ station, code, run }: FilterOptions): DeadLetterFilter {
  return { station, code, runId: run };
}

async function list(options: FilterOptions, context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const { listDeadLetters } = await import('../../line/dead-letters.js');
  const { letterJson, renderLetters } = await import('../render/dlq.js');
  const { letters, unreadable } = await readingLine(context, ({ bus, codec }) =>
    listDeadLetters(bus, codec, filterOf(options)),
  );
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify({ dead_letters: letters.map(letterJson), unreadable })}\n`);
  else if (letters.length === 0) io.out('No dead letters.\n');
  else io.out(renderLetters(letters));
  if (unreadable > 0) io.err(`warning: ${unreadable} records of dead-letter.v1 are no dead letters\n`);
}

async function show(id: string, context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const { findDeadLetter } = await import('../../line/dead-letters.js');
  const { coloursFor } = await import('../render/error.js');
  const { paintFor } = await import('../render/page.js');
  const { knownLetterJson, renderLetter } = await import('../render/dlq.js');
  const { io, global } = context;
  await readingLine(context, async ({ bus, codec }) => {
    const known = await findDeadLetter(bus, codec, id);
    if (global().json) io.out(`${JSON.stringify(knownLetterJson(known, codec))}\n`);
    else io.out(renderLetter(known, codec, paintFor({ colours: coloursFor(io) })));
  });
}

async function replay(
  id: string | undefined,
  options: ReplayOptions,
  context: CommandContext,
): Promise<void> {
  const { invalid, wholeNumber } = await import('../option-values.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  if ((options.all === true) === (id !== undefined))
    throw invalid('give the id of one dead letter, or --all');
  const rate = wholeNumber('--rate', options.rate, 1, 10_000);
  const plans = await plansFor(id, options, context);
  const problem = plans[0]?.problem ?? null;
  if (id !== undefined && problem !== null) throw new ProoflineError('PL_REPLAY_REFUSED', { problem });
  const dryRun = options.yes !== true;
  const print = await printer(dryRun, context);
  if (dryRun) for (const planned of plans) print({ planned, replayed: null, failure: null });
  else await replayAll(plans, { rate, by: nameOf(options, context) }, context, print);
  if (context.global().json) return;
  if (plans.length === 0) context.io.out('No dead letter to replay.\n');
  else if (dryRun) context.io.out('Nothing was written. --yes does it.\n');
}

async function plansFor(
  id: string | undefined,
  options: ReplayOptions,
  context: CommandContext,
): Promise<PlannedReplay[]> {
  const { readingLine } = await import('../reading-line.js');
  const { findDeadLetter, listDeadLetters } = await import('../../line/dead-letters.js');
  const { planReplays } = await import('../../line/replay-plans.js');
  return readingLine(context, async ({ bus, codec }) => {
    const letters: readonly DeadLetterSummary[] =
      id === undefined
        ? (await listDeadLetters(bus, codec, filterOf(options))).letters
        : [{ ...(await findDeadLetter(bus, codec, id)), valueBytes: null }];
    const isOpen = ({ replay: before }: DeadLetterSummary): boolean => id !== undefined || before === null;
    return planReplays(bus, codec, letters.filter(isOpen));
  });
}

/** Who the marker names. */
function nameOf({ by }: ReplayOptions, { io }: CommandContext): string {
  return by ?? io.env['USER'] ?? io.env['USERNAME'] ?? 'unknown';
}

/** Each is told as soon as it is done: whoever stops it in between knows how far it came. */
async function replayAll(
  plans: readonly PlannedReplay[],
  how: { readonly rate: number; readonly by: string },
  context: CommandContext,
  print: (line: ReplayLine) => void,
): Promise<void> {
  const { atDoors } = await import('../with-line.js');
  const { setTimeout: pause } = await import('node:timers/promises');
  const todo = plans.filter(({ target }) => target !== null);
  for (const planned of plans) if (planned.target === null) print({ planned, replayed: null, failure: null });
  if (todo.length === 0) return;
  await atDoors(context, 'a line', async (client) => {
    for (const [i, planned] of todo.entries()) {
      if (i > 0) await pause(1000 / how.rate, undefined, { signal: context.io.signal });
      print(await replayOne(client, planned, how.by, todo.length > 1));
    }
  });
}

/** Somebody may have replayed it meanwhile: of several, that is told and the others go on. */
async function replayOne(
  client: DoorClient,
  planned: PlannedReplay,
  by: string,
  goOn: boolean,
): Promise<ReplayLine> {
  const { isProoflineError } = await import('../../contracts/errors.js');
  const { letter, at } = planned.summary;
  const request = { deadLetterEventId: letter.eventId, partition: at.partition, offset: at.offset, by };
  try {
    return { planned, replayed: await client.replay(request), failure: null };
  } catch (error) {
    const isItsOwn = isProoflineError(error, 'PL_REPLAY_REFUSED', 'PL_NOT_FOUND', 'PL_RECORD_TOO_LARGE');
    if (!isItsOwn || !goOn) throw error;
    return { planned, replayed: null, failure: error.message };
  }
}

async function printer(
  dryRun: boolean,
  { io, global, exit }: CommandContext,
): Promise<(line: ReplayLine) => void> {
  const { coloursFor } = await import('../render/error.js');
  const { paintFor } = await import('../render/page.js');
  const { renderReplay, replayLineJson } = await import('../render/dlq.js');
  const { json } = global();
  const paint = paintFor({ colours: coloursFor(io) });
  return (line) => {
    if (line.failure !== null) exit(1);
    if (json) io.out(`${JSON.stringify({ dry_run: dryRun, ...replayLineJson(line) })}\n`);
    else io.out(renderReplay(line, paint));
  };
}
