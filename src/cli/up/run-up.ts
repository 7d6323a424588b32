import type { Config } from '../../config/config.js';
import { assertMayStart } from '../../doctor/may-start.js';
import type { GatewayLine } from '../../gateway/gateway-line.js';
import { createGatewayServer, type GatewayServer } from '../../gateway/gateway-server.js';
import { dataFolder } from '../../line/data-folder.js';
import { openKafkaLine, type KafkaLine, type KafkaLineOptions } from '../../line/kafka-line.js';
import { openKafkaDoors } from '../../line/kafka-doors.js';
import { kafkaServices } from '../../line/kafka-services.js';
import { assertFolder, openRetrieval } from '../../line/retrieval.js';
import type { StationName } from '../../line/station-names.js';
import { createHttpServer } from '../../observe/http.js';
import { createLog, type Log } from '../../observe/log.js';
import { createObservability, type Observability } from '../../observe/observability.js';
import type { KnowledgeSearch } from '../../retrieval/knowledge-search.js';
import { down } from '../../retrieval/outcomes.js';
import type { CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import { whenPossible, type Starting, type Waiting } from './when-possible.js';

/** The life of a process of `proofline up`: open what it needs, run until it is told to stop, drain, leave. */

export interface UpRequest {
  readonly config: Config;
  readonly stations: readonly StationName[];
  /** Whether agents are answered here. */
  readonly gateway: boolean;
  /** The folder to index before anything runs; null where the index is there already, or py-rag answers. */
  readonly docs: string | null;
}

export async function runUp(request: UpRequest, context: CommandContext): Promise<void> {
  const { io } = context;
  const { config } = request;
  // Said before anything is opened.
  kafkaServices(config);
  const log = createLog(config.logLevel, (line) => io.err(line));
  const starting: Starting = { missing: null, since: 0 };
  const observe = await createObservability({
    log,
    env: io.env,
    dependencies: () =>
      starting.missing === null
        ? []
        : [{ code: starting.missing.code, params: starting.missing.params, since: starting.since }],
  });
  const serving: Serving = { line: null };
  const ended = endOnUnexpected(observe);
  let http: UpServer | null = null;
  try {
    http = serverOf(request, { observe, log, serving });
    const address = await http.listen(config.http);
    log.listening(address);
    const waiting: Waiting = { observe, starting, signal: io.signal };
    if ((await whenPossible(() => assertMayStart(config), waiting)) === null) return;
    const search = await openSearch(request, io.signal);
    const failed = new AbortController();
    const onFatal = (error: unknown): void => failed.abort(error);
    const line = await openWhenPossible(request, { search, observe, onFatal }, waiting);
    if (line === null) return;
    const doors = request.gateway ? openKafkaDoors(line, config.topicPrefix) : null;
    if (doors !== null) serving.line = { ...line, ...doors };
    tell(request, address, line, context);
    await aborted(AbortSignal.any([io.signal, failed.signal]));
    observe.drain();
    await http.drain();
    await doors?.answers.stop();
    await line.stop();
    failed.signal.throwIfAborted();
  } finally {
    ended();
    await observe.stop();
    await http?.close();
  }
}

/** What the gateway stands before, once it is open. */
interface Serving {
  line: GatewayLine | null;
}

interface ServerPorts {
  readonly observe: Observability;
  readonly log: Log;
  readonly serving: Serving;
}

type UpServer = Pick<GatewayServer, 'listen' | 'close' | 'drain'>;

/** Every process says how it is; one with a gateway answers agents too. */
function serverOf({ config, gateway }: UpRequest, { observe, log, serving }: ServerPorts): UpServer {
  const { host } = config.http;
  if (!gateway) return { ...createHttpServer({ routes: [observe.routes] }), drain: () => Promise.resolve() };
  if (config.gateway.tokens === null) log.openGateway();
  return createGatewayServer({ config, host, observe, log, line: () => serving.line });
}

/** Where retrieve looks things up. Nothing is opened where it does not run here. */
async function openSearch(
  { config, stations, docs }: UpRequest,
  signal: AbortSignal,
): Promise<KnowledgeSearch> {
  if (!stations.includes('retrieve')) return nowhere;
  if (docs !== null && config.pyRag !== null)
    throw inputInvalid('--docs and PROOFLINE_PYRAG_URL are both given; lookups go to one of them');
  if (docs !== null) assertFolder(docs);
  const retrieval = openRetrieval(dataFolder(config.data), config.pyRag);
  try {
    if (docs !== null) await retrieval.index(docs, { signal });
    retrieval.assertReady();
    return retrieval.search;
  } catch (error) {
    await retrieval.search.close();
    throw error;
  }
}

const nowhere: KnowledgeSearch = {
  name: 'none',
  search: () => Promise.resolve(down('no station of this process looks anything up')),
  close: () => Promise.resolve(),
};

/** Null when it is stopped before the line could be opened. */
async function openWhenPossible(
  { config, stations }: UpRequest,
  ports: Pick<KafkaLineOptions, 'search' | 'observe' | 'onFatal'>,
  waiting: Waiting,
): Promise<KafkaLine | null> {
  const opened = await whenPossible(() => openKafkaLine({ config, stations, ...ports }), waiting);
  if (opened === null) await ports.search.close();
  return opened?.done ?? null;
}

function tell(
  { stations, gateway }: UpRequest,
  address: string,
  { bus }: KafkaLine,
  { io, global }: CommandContext,
): void {
  const { partitions, epoch } = bus;
  if (global().json) io.out(`${JSON.stringify({ address, partitions, epoch, stations, gateway })}\n`);
  else if (io.interactive)
    io.out(
      `running ${[...stations, ...(gateway ? ['gateway'] : [])].join(', ')} over ${partitions} partitions; ${address}/readyz; Ctrl-C stops it\n`,
    );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Nothing can be believed after an error that nobody expected: the process ends, and others take over its lanes. */
function endOnUnexpected(observe: Observability): () => void {
  const end = (error: unknown): void => {
    observe.onFatal(error);
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  return () => {
    process.off('uncaughtException', end);
    process.off('unhandledRejection', end);
  };
}
