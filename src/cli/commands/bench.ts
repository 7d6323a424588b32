import type { Command } from 'commander';
import type { Figure } from '../../bench/measure.js';
import { ProoflineError } from '../../contracts/errors.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid, wholeNumber } from '../input.js';
import { configOf } from '../with-line.js';

const HELP = `
Examples:
  proofline bench rules                     the pure rules on one core
  proofline bench embedded                  the whole line, durable, in a folder of its own
  proofline bench embedded --lookups 100000 longer, to see that memory stays flat
  proofline bench http                      the gateway over the embedded line, beside a bare fastify echo
  proofline bench kafka                     all stations on PROOFLINE_KAFKA_BROKERS and PROOFLINE_REDIS_URL
  proofline bench kafka --processes 2       shared by two processes, as is kafkajs alone
  proofline bench kafka --peers ./programs  and what other programs make of the same load
  proofline bench ledger --entries 1000000  how soon a line with so many entries serves again

Every figure is printed beside a baseline of the same run. Nothing is asserted.

kafka: the stations run in processes of their own, and the command asks them: processor time and memory are the line's
alone. Three figures show what limits: kafkajs alone passing the same bytes on, the same work without Kafka, and the line.
`;

export const addBench: AddCommand = (program, context) => {
  const bench: Command = program
    .command('bench')
    .description('measure, beside a baseline')
    .addHelpText('after', HELP);
  bench
    .command('rules')
    .description('postprocess, project, guard and review, without a bus')
    .option('--seconds <N>', 'seconds a figure', '2')
    .action(async (options: { seconds: string }) => {
      const { benchRules } = await import('../../bench/rules.js');
      await print(context, benchRules(1000 * positive('--seconds', options.seconds)));
    });
  bench
    .command('embedded')
    .description('the embedded line, with a retriever that answers from memory')
    .option('--lookups <N>', 'lookups in all', '10000')
    .option('--concurrency <N>', 'lookups at a time', '200')
    .action(async (options: { lookups: string; concurrency: string }) => {
      const { benchEmbedded } = await import('../../bench/embedded.js');
      const load = {
        lookups: positive('--lookups', options.lookups),
        concurrency: positive('--concurrency', options.concurrency),
      };
      await print(context, await benchEmbedded(load, (done) => progress(context, done, load.lookups)));
    });
  bench
    .command('http')
    .description('the gateway over the embedded line, beside the line alone and a bare fastify echo')
    .option('--lookups <N>', 'lookups of each measurement', '5000')
    .option('--runs <N>', 'runs that ask at a time', '50')
    .option('--waits <N>', 'requests that wait at a time, for their memory', '2000')
    .action(async (options: { lookups: string; runs: string; waits: string }) => {
      const { benchHttp } = await import('../../bench/http.js');
      const load = {
        lookups: positive('--lookups', options.lookups),
        runs: positive('--runs', options.runs),
        waits: positive('--waits', options.waits),
      };
      await print(context, await benchHttp(load, (stage) => context.io.err(`${stage} …\n`)));
    });
  bench
    .command('kafka')
    .description('the line on Kafka, in topics of its own, beside kafkajs alone')
    .option('--lookups <N>', 'lookups at once', '5000')
    .option('--alone <N>', 'lookups one at a time', '220')
    .option('--partitions <N>', 'partitions of its topics', '4')
    .option('--processes <N>', 'processes that share them, each with all stations', '1')
    .option('--peers <DIR>', 'programs to run as well, each with RECORDS PARTITIONS HOPS, and BOOTSTRAP set')
    .action((options: KafkaOptions) => benchOnKafka(options, context));
  bench
    .command('ledger')
    .description('a start over many ledger entries on Kafka and Redis, with the view as it was and emptied')
    .option('--entries <N>', 'entries of 1 kB', '100000')
    .option('--partitions <N>', 'partitions of its topics', '4')
    .action((options: LedgerOptions) => benchLedgerOnKafka(options, context));
};

interface LedgerOptions {
  readonly entries: string;
  readonly partitions: string;
}

async function benchLedgerOnKafka(options: LedgerOptions, context: CommandContext): Promise<void> {
  const { benchLedger } = await import('../../bench/ledger.js');
  const load = {
    ...(await servicesOf(context)),
    entries: positive('--entries', options.entries),
    partitions: positive('--partitions', options.partitions),
  };
  await print(context, await benchLedger(load, (stage) => context.io.err(`${stage} …\n`)));
}

async function servicesOf(context: CommandContext) {
  const config = await configOf(context);
  const { kafka, redisUrl } = config;
  if (kafka === null || redisUrl === null)
    throw inputInvalid('PROOFLINE_KAFKA_BROKERS and PROOFLINE_REDIS_URL say where, and are not both set');
  return { config, kafka, redisUrl };
}

interface KafkaOptions {
  readonly lookups: string;
  readonly alone: string;
  readonly partitions: string;
  readonly processes: string;
  readonly peers?: string;
}

async function benchOnKafka(options: KafkaOptions, context: CommandContext): Promise<void> {
  const lookups = wholeNumber('--lookups', options.lookups);
  const partitions = wholeNumber('--partitions', options.partitions);
  const processes = wholeNumber('--processes', options.processes);
  const alone = wholeNumber('--alone', options.alone);
  if (processes > partitions)
    throw inputInvalid(
      `--processes is ${processes}, and --partitions ${partitions}: some would have nothing to do`,
    );
  const services = await servicesOf(context);
  const { signal } = context.io;
  const { benchKafka } = await import('../../bench/kafka.js');
  const { runPeers } = await import('../../bench/peers.js');
  const load = { ...services, lookups, partitions, processes, alone, signal };
  const onStage = (stage: string): void => context.io.err(`${stage} …\n`);
  await print(context, await benchKafka(load, onStage));
  if (options.peers === undefined) return;
  const bootstrap = services.kafka.brokers.join(',');
  const peers = { folder: options.peers, bootstrap, records: lookups, partitions };
  for await (const line of runPeers(peers, signal)) context.io.out(`${line}\n`);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new ProoflineError('PL_INPUT_INVALID', {
    problem: `${option} is ${text}, and must be a positive number`,
  });
}

function progress({ io }: CommandContext, done: number, of: number): void {
  if (io.interactive) io.err(`\r${done} of ${of} lookups`);
}

async function print({ io, global }: CommandContext, figures: readonly Figure[]): Promise<void> {
  const { formatFigure } = await import('../../bench/measure.js');
  if (global().json) io.out(`${JSON.stringify(figures)}\n`);
  else for (const figure of figures) io.out(`${formatFigure(figure)}\n`);
}
