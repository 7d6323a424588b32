import type { BusReader } from '../../bus/bus.js';
import type { TopicName } from '../../contracts/topics.js';
import type { ShownRecord, TailOptions } from '../../line/tail.js';
import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline tail verdict.v1                       every verdict that is kept, in order of time
  proofline tail projected.v1 --follow            what agents are answered from now on
  proofline tail ledger.v1 --run run-7 --json     the records of one run, one JSON value a line
  proofline tail raw-hits.v1 --partition 3 --from 120 --limit 1

It reads from the beginning, and with --follow from the end, unless --from says where. What cannot be decoded is
shown with the reason.
`;

interface TailCommandOptions {
  readonly from?: string;
  readonly run?: string;
  readonly partition?: string;
  readonly limit?: string;
  readonly follow?: true;
}

export const addTail: AddCommand = (program, context) => {
  program
    .command('tail')
    .description('the records of a topic')
    .argument('<topic>', 'its name; `proofline topics` lists them')
    .option('--from <place>', 'beginning, end, or an offset (with --partition)')
    .option('--run <run>', 'only records of this run')
    .option('--partition <n>', 'only this partition')
    .option('--limit <n>', 'stop after so many records')
    .option('--follow', 'go on with what comes, until stopped')
    .addHelpText('after', HELP)
    .action((topic: string, options: TailCommandOptions) => tailTopic(topic, options, context));
};

async function tailTopic(name: string, options: TailCommandOptions, context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const { wholeNumber } = await import('../option-values.js');
  const { isOfRun, showRecord, tailRecords } = await import('../../line/tail.js');
  const topic = await topicNamed(name);
  const limit = options.limit === undefined ? Infinity : wholeNumber('--limit', options.limit, 1, 1e9);
  const { mayBeOfRun } = await import('../../line/scan.js');
  const run = options.run === undefined ? null : Buffer.from(options.run, 'utf8');
  const print = await printer(context);
  await readingLine(context, async ({ bus, codec }) => {
    let printed = 0;
    for await (const record of tailRecords(bus, await tailOptions(topic, options, bus, context))) {
      if (context.io.signal.aborted) return;
      if (run !== null && !mayBeOfRun(record, run)) continue;
      const shown = showRecord(codec, record);
      if (options.run !== undefined && !isOfRun(shown, options.run)) continue;
      print(shown);
      printed += 1;
      if (printed >= limit) return;
    }
  });
}

async function topicNamed(name: string): Promise<TopicName> {
  const { isTopicName } = await import('../../contracts/topics.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  const short = name.replace(/^proofline\./, '');
  if (isTopicName(short)) return short;
  throw new ProoflineError('PL_NOT_FOUND', { what: `topic ${JSON.stringify(name)}` });
}

async function tailOptions(
  topic: TopicName,
  options: TailCommandOptions,
  bus: BusReader,
  { io }: CommandContext,
): Promise<TailOptions> {
  const { from, partition } = options;
  const follow = options.follow === true;
  const { invalid, wholeNumber } = await import('../option-values.js');
  const all = Array.from({ length: bus.partitions }, (_, number) => number);
  const only = partition === undefined ? null : wholeNumber('--partition', partition, 0, bus.partitions - 1);
  const where = { topic, partitions: only === null ? all : [only], follow, signal: io.signal };
  if (from === undefined) return { ...where, from: follow ? 'end' : 'beginning' };
  if (from === 'beginning' || from === 'end') return { ...where, from };
  if (only === null)
    throw invalid('--from with an offset needs --partition: offsets count in each by itself');
  return { ...where, from: wholeNumber('--from', from, 0, Number.MAX_SAFE_INTEGER) };
}

async function printer({ io, global }: CommandContext): Promise<(shown: ShownRecord) => void> {
  const { coloursFor } = await import('../render/error.js');
  const { paintFor } = await import('../render/page.js');
  const { renderRecord } = await import('../render/records.js');
  const { shownRecordJson } = await import('../../line/tail.js');
  const paint = paintFor({ colours: coloursFor(io) });
  if (global().json) return (shown) => io.out(`${JSON.stringify(shownRecordJson(shown))}\n`);
  return (shown) => io.out(`${renderRecord(shown, paint)}\n`);
}
