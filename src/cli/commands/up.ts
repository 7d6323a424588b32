import type { StationName } from '../../line/station-names.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { SAMPLE_OPTION, withSample } from '../sample-option.js';
import { configOf } from '../with-line.js';

const HELP = `
Examples:
  proofline up                               every station of the line, on Kafka
  proofline up --stations retrieve,project   some of them; others run them elsewhere
  proofline up --stations gateway            the gateway alone; any of them can answer for any run
  proofline up --no-gateway                  every station, and no gateway
  proofline up --docs ./runbooks             look things up in a folder, indexed first

Several processes of one line share the work: each partition is with one of them at a time. What it needs is said by
PROOFLINE_KAFKA_BROKERS, PROOFLINE_REDIS_URL, PROOFLINE_AUDIT_URL and PROOFLINE_KEYS; \`proofline doctor\` checks it.
What is wrong with any of that is told in one error before anything is consumed; what is down is waited for.
It makes nothing by itself: see \`proofline topics create\`, \`keys create\`, \`audit migrate\` and \`schemas register\`.

The gateway (/v1, /docs, /openapi.json) is at PROOFLINE_HTTP_HOST:PROOFLINE_HTTP_PORT, beside /livez, /readyz and
/metrics, which every process has there. Where others can reach that, PROOFLINE_GATEWAY_TOKENS must name a file of
tokens (\`proofline tokens create\`): without it the gateway does not start. The log goes to standard error, one JSON
object a line. A first Ctrl-C or SIGTERM lets the work at hand end; a second one does not.
`;

interface UpOptions {
  readonly stations?: string;
  readonly docs?: string;
  readonly sample?: string;
  readonly gateway: boolean;
}

export const addUp: AddCommand = (program, context) => {
  program
    .command('up')
    .description('run stations of the line on Kafka')
    .option('--stations <LIST>', 'only these, with commas between them; gateway is one of them')
    .option('--no-gateway', 'leave the gateway out')
    .option('--docs <DIR>', 'the folder of documents that retrieve looks things up in')
    .option(...SAMPLE_OPTION)
    .addHelpText('after', HELP)
    .action((options: UpOptions) => up(options, context));
};

async function up(options: UpOptions, context: CommandContext): Promise<void> {
  const { stationNames } = await import('../../line/station-names.js');
  const config = withSample(await configOf(context), options.sample);
  const { stations, gateway } =
    options.stations === undefined
      ? { stations: stationNames, gateway: true }
      : await partsOf(options.stations.split(','));
  const { runUp } = await import('../up/run-up.js');
  await runUp(
    { config, stations, gateway: gateway && options.gateway, docs: options.docs ?? config.docs },
    context,
  );
}

interface Parts {
  readonly stations: readonly StationName[];
  readonly gateway: boolean;
}

const GATEWAY = 'gateway';

async function partsOf(names: readonly string[]): Promise<Parts> {
  const { isStationName, stationNames } = await import('../../line/station-names.js');
  const trimmed = names.map((name) => name.trim());
  const unknown = trimmed.filter((name) => !isStationName(name) && name !== GATEWAY);
  if (unknown.length > 0)
    throw inputInvalid(
      `--stations names ${unknown.map((name) => JSON.stringify(name)).join(', ')}; there are ${[...stationNames, GATEWAY].join(', ')}`,
    );
  return {
    stations: stationNames.filter((name) => trimmed.includes(name)),
    gateway: trimmed.includes(GATEWAY),
  };
}
