import type { BusReader } from '../../bus/bus.js';
import type { OffsetChange, OffsetRow } from '../../line/offsets.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';

const HELP = `
Examples:
  proofline offsets show                       how far every station is, partition by partition
  proofline offsets show guard                 one of them
  proofline offsets set guard draft-submitted.v1 3 1200           what would change; nothing does
  proofline offsets set guard draft-submitted.v1 3 1200 --apply   change it

A station reads on from its offset. Moved forward, it skips what lies between: that is lost to it. Moved back, it does
it again, which changes nothing that is decided already. Stop the station's processes first, and start them afterwards.
In Kafka offsets count the markers of transactions too, so a station that is done may be one behind for a moment.
`;

const SET_HELP = `
OFFSET is a number, or beginning or end. Without --apply it is only said what would be changed.
`;

export const addOffsets: AddCommand = (program, context) => {
  const offsets = program
    .command('offsets')
    .description('how far the stations have read, and putting one elsewhere')
    .addHelpText('after', HELP);
  offsets
    .command('show', { isDefault: true })
    .description('next offset and lag of every station and partition')
    .argument('[station]', 'only this one')
    .action((station: string | undefined) => show(station, context));
  offsets
    .command('set')
    .description('put the next offset of a station on one partition elsewhere')
    .argument('<station>')
    .argument('<topic>')
    .argument('<partition>')
    .argument('<offset>')
    .option('--apply', 'do it')
    .addHelpText('after', SET_HELP)
    .action((station: string, topic: string, partition: string, offset: string, options: { apply?: true }) =>
      set({ station, topic, partition, offset }, options.apply === true, context),
    );
};

async function show(station: string | undefined, context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const { offsetRows } = await import('../../line/offsets.js');
  const { stationNames } = await import('../../line/station-names.js');
  const names = station === undefined ? stationNames : [await stationNamed(station)];
  const rows = await readingLine(context, ({ bus }) => offsetRows(bus, names));
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify({ offsets: rows })}\n`);
  else io.out(await tableOf(rows));
}

async function tableOf(rows: readonly OffsetRow[]): Promise<string> {
  const { renderTable } = await import('../render/table.js');
  const heading = ['station', 'topic', 'partition', 'low', 'next', 'end', 'lag'];
  return renderTable(
    heading,
    rows.map(({ station, topic, partition, low, next, end, lag }) => [
      station,
      topic,
      String(partition),
      String(low),
      next === null ? 'none yet' : String(next),
      String(end),
      String(lag),
    ]),
  );
}

interface Target {
  readonly station: string;
  readonly topic: string;
  readonly partition: string;
  readonly offset: string;
}

async function set(target: Target, apply: boolean, context: CommandContext): Promise<void> {
  const { readingLine } = await import('../reading-line.js');
  const change = await readingLine(context, ({ bus }) => changeOf(target, bus));
  if (apply) {
    const { withBus } = await import('../with-bus.js');
    const { station, topic, partition, to } = change;
    await withBus(context, (bus) => bus.setOffset(station, topic, partition, to));
  }
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify({ applied: apply, ...change })}\n`);
  else io.out(changeText(change, apply));
}

async function changeOf(
  { station, topic, partition, offset }: Target,
  bus: BusReader,
): Promise<OffsetChange> {
  const { planOffset } = await import('../../line/offsets.js');
  const { wholeNumber } = await import('../option-values.js');
  const number = wholeNumber('the partition', partition, 0, bus.partitions - 1);
  const to =
    offset === 'beginning' || offset === 'end'
      ? offset
      : wholeNumber('the offset', offset, 0, Number.MAX_SAFE_INTEGER);
  return planOffset(bus, { station: await stationNamed(station), topic, partition: number, to });
}

async function stationNamed(name: string) {
  const { isStationName, stationNames } = await import('../../line/station-names.js');
  if (isStationName(name)) return name;
  throw inputInvalid(`${JSON.stringify(name)} is no station; there are ${stationNames.join(', ')}`);
}

function changeText(
  { station, topic, partition, from, to, skipped, again }: OffsetChange,
  applied: boolean,
): string {
  const verb = applied ? 'goes on' : 'would go on';
  const effect =
    skipped > 0
      ? `${skipped} records are skipped`
      : again > 0
        ? `${again} records are read again`
        : 'nothing changes';
  const lines = [
    `${station} ${verb} at ${topic}/${partition}@${to}; it was to read ${from === null ? 'from the beginning' : `from ${from}`}`,
    `${effect}${applied ? '' : '; --apply does it'}`,
  ];
  return `${lines.join('\n')}\n`;
}
