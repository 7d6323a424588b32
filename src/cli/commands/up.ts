import type { StationName } from '../../line/station-names.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { configOf } from '../with-line.js';

const HELP = `
Examples:
  proofline up                               every station of the line, on Kafka
  proofline up --stations retrieve,project   some of them; others run them elsewhere
  proofline up --docs ./runbooks             look things up in a folder, indexed first

Several processes of one line share the work: each partition is with one of them at a time. What it needs is said by
PROOFLINE_KAFKA_BROKERS, PROOFLINE_REDIS_URL, PROOFLINE_AUDIT_URL and PROOFLINE_KEYS; \`proofline doctor\` checks it.
What is wrong with any of that is told in one error before anything is consumed; what is down is waited for.
It makes nothing by itself: see \`proofline topics create\`, \`keys create\`, \`audit migrate\` and \`schemas register\`.

/livez, /readyz and /metrics are at PROOFLINE_HTTP_HOST:PROOFLINE_HTTP_PORT. The log goes to standard error, one JSON
object a line. A first Ctrl-C or SIGTERM lets the work at hand end; a second one does not.
`;

interface UpOptions {
  readonly stations?: string;
  readonly docs?: string;
}

export const addUp: AddCommand = (program, context) => {
  program
    .command('up')
    .description('run stations of the line on Kafka')
    .option('--stations <LIST>', 'only these, with commas between them')
    .option('--docs <DIR>', 'the folder of documents that retrieve looks things up in')
    .addHelpText('after', HELP)
    .action((options: UpOptions) => up(options, context));
};

async function up(options: UpOptions, context: CommandContext): Promise<void> {
  const { stationNames } = await import('../../line/station-names.js');
  const config = await configOf(context);
  const stations =
    options.stations === undefined ? stationNames : await stationsOf(options.stations.split(','));
  const { runUp } = await import('../up/run-up.js');
  await runUp({ config, stations, docs: options.docs ?? config.docs }, context);
}

async function stationsOf(names: readonly string[]): Promise<readonly StationName[]> {
  const { isStationName, stationNames } = await import('../../line/station-names.js');
  const trimmed = names.map((name) => name.trim());
  const unknown = trimmed.filter((name) => !isStationName(name));
  if (unknown.length > 0)
    throw inputInvalid(
      `--stations names ${unknown.map((name) => JSON.stringify(name)).join(', ')}; there are ${stationNames.join(', ')}`,
    );
  return stationNames.filter((name) => trimmed.includes(name));
}
