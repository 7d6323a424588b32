import type { TopicRow } from '../../line/topic-table.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid, wholeNumber } from '../input.js';
import { configOf } from '../with-line.js';

const HELP = `
Examples:
  proofline topics          every topic: what it carries, how much it holds, who reads it and how far
  proofline topics --json   the same as JSON

Offsets are summed over the partitions. The lag of a group is what it has not consumed yet.
`;

export const addTopics: AddCommand = (program, context) => {
  const topics = program
    .command('topics')
    .description('the topics of the line, what they hold and how far each consumer is')
    .addHelpText('after', HELP)
    .action(() => showTopics(context));
  topics
    .command('create')
    .description('make the topics that are missing in Kafka, and check the others')
    .option('--partitions <N>', 'partitions of every topic; it cannot be changed later')
    .option('--dry-run', 'only say what would be made')
    .addHelpText('after', CREATE_HELP)
    .action((options: CreateOptions) => createTopics(options, context));
};

const CREATE_HELP = `
Examples:
  proofline topics create --partitions 12 --dry-run   what is missing in Kafka
  proofline topics create --partitions 12             make it

It works on PROOFLINE_KAFKA_BROKERS, with PROOFLINE_KAFKA_REPLICATION replicas of what it makes. A topic that is there
is never changed: one with other settings than the line needs is an error that says which. As many processes as there
are partitions can share the work of a station.
`;

interface CreateOptions {
  readonly partitions?: string;
  readonly dryRun?: true;
}

const DEFAULT_PARTITIONS = 12;

async function createTopics(options: CreateOptions, context: CommandContext): Promise<void> {
  const { kafka, topicPrefix: prefix, partitions: configured } = await configOf(context);
  if (kafka === null) throw inputInvalid('PROOFLINE_KAFKA_BROKERS is not set, and it says where');
  const { createKafkaTopics } = await import('../../bus/kafka/create-topics.js');
  const { kafkaConnectionOf } = await import('../../bus/kafka/connection.js');
  const dryRun = options.dryRun === true;
  const partitions =
    options.partitions === undefined
      ? (configured ?? DEFAULT_PARTITIONS)
      : wholeNumber('--partitions', options.partitions);
  const how = { prefix, partitions, replicationFactor: kafka.replication, dryRun };
  const made = await createKafkaTopics({ ...kafkaConnectionOf(kafka), ...how });
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify({ dry_run: dryRun, partitions, topics: made })}\n`);
  else io.out(madeText(made, partitions, dryRun));
}

function madeText(made: readonly string[], partitions: number, dryRun: boolean): string {
  if (made.length === 0) return 'every topic is there\n';
  const lines = made.map((name) => `${dryRun ? 'missing' : 'made'}  ${name}`);
  return `${lines.join('\n')}\n${made.length} topics of ${partitions} partitions each\n`;
}

async function showTopics(context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const { topicTable } = await import('../../line/topic-table.js');
  const { toSnakeJson } = await import('../../contracts/json.js');
  const { rows, partitions } = await readingLine(context, async ({ bus, facts }) => ({
    rows: await topicTable(bus, facts),
    partitions: bus.partitions,
  }));
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify({ partitions, topics: toSnakeJson(rows) })}\n`);
  else io.out(`${await tableOf(rows)}${partitions} partitions each\n`);
}

async function tableOf(rows: readonly TopicRow[]): Promise<string> {
  const { renderTable } = await import('../render/table.js');
  const heading = ['topic', 'key', 'contract', 'cleanup', 'records', 'low', 'end', 'consumers (lag)'];
  return renderTable(
    heading,
    rows.map(({ name, key, contract, cleanup, retentionDays, records, low, end, groups }) => [
      name,
      key,
      contract,
      retentionDays === null ? keptFor(cleanup) : `${cleanup} ${retentionDays} d`,
      records === null ? '' : String(records),
      String(low),
      String(end),
      groups.map(({ group, lag }) => `${group} (${lag})`).join(', '),
    ]),
  );
}

function keptFor(cleanup: TopicRow['cleanup']): string {
  return cleanup === 'compact' ? 'compact' : 'never';
}
