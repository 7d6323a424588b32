import type { TopicRow } from '../../line/topic-table.js';
import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline topics          every topic: what it carries, how much it holds, who reads it and how far
  proofline topics --json   the same as JSON

Offsets are summed over the partitions. The lag of a group is what it has not consumed yet.
`;

export const addTopics: AddCommand = (program, context) => {
  program
    .command('topics')
    .description('the topics of the line, what they hold and how far each consumer is')
    .addHelpText('after', HELP)
    .action(() => showTopics(context));
};

async function showTopics(context: CommandContext): Promise<void> {
  const { readingFolder } = await import('../read-folder.js');
  const { topicTable } = await import('../../line/topic-table.js');
  const { toSnakeJson } = await import('../../contracts/json.js');
  const { rows, partitions } = await readingFolder(context, async ({ bus }) => ({
    rows: await topicTable(bus),
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
      String(records),
      String(low),
      String(end),
      groups.map(({ group, lag }) => `${group} (${lag})`).join(', '),
    ]),
  );
}

function keptFor(cleanup: TopicRow['cleanup']): string {
  return cleanup === 'compact' ? 'compact' : 'never';
}
