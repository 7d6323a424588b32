import type { Config } from '../../config/config.js';
import type { LocalLine } from '../../line/local-line.js';
import type { Log } from '../../observe/log.js';
import type { Observability } from '../../observe/observability.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid, wholeNumber } from '../input.js';
import { print } from '../print.js';
import { warn } from '../render/error.js';
import { SAMPLE_OPTION, withSample } from '../sample-option.js';
import { configOf } from '../with-line.js';
import { indexWithProgress } from './index.js';

const HELP = `
Examples:
  proofline dev --docs ./runbooks            index a folder and run the line over it
  proofline dev --docs ./runbooks --watch 5  look every 5 seconds for what has changed in it
  proofline dev --data /var/lib/proofline    go on with another data folder
  proofline dev --docs ./runbooks --port 0   let the gateway listen on any free port

It runs until Ctrl-C. Other commands find it by its socket in the data folder. SIGHUP indexes the folder again.

Agents use the gateway: HTTP on 127.0.0.1, at --port or PROOFLINE_HTTP_PORT (a free one where that is in use). It says
where; /docs shows its routes. Without PROOFLINE_GATEWAY_TOKENS every program on this machine may use it.
`;

interface DevOptions {
  readonly docs?: string;
  readonly watch?: string;
  readonly port?: string;
  readonly sample?: string;
}

export const addDev: AddCommand = (program, context) => {
  program
    .command('dev')
    .description('run the whole line on this machine, in one process')
    .option('--docs <DIR>', 'the folder of documents to index and to look things up in')
    .option('--port <N>', 'where the gateway listens on 127.0.0.1; 0 takes a free port')
    .option('--watch <SECONDS>', 'index again what has changed, every so many seconds')
    .option(...SAMPLE_OPTION)
    .addHelpText('after', HELP)
    .action((options: DevOptions) => dev(options, context));
};

async function dev(options: DevOptions, context: CommandContext): Promise<void> {
  const config = withSample(await configOf(context), options.sample);
  const docs = options.docs ?? config.docs;
  const watchSeconds = options.watch === undefined ? null : wholeNumber('--watch', options.watch);
  if (docs === null && watchSeconds !== null) throw inputInvalid('--watch needs a folder: --docs DIR');
  if (docs !== null && config.pyRag !== null)
    throw inputInvalid('--docs and PROOFLINE_PYRAG_URL are both given; lookups go to one of them');
  const port = options.port === undefined ? null : await portOf(options.port);
  if (docs !== null) (await import('../../line/retrieval.js')).assertFolder(docs);
  const watched = await watch(config, context);
  try {
    const line = await open(config, watched);
    try {
      await run({ ...watched, config, line, docs, watchSeconds, port }, context);
    } finally {
      await line.close();
    }
  } finally {
    await watched.observe.stop();
  }
}

async function portOf(text: string): Promise<number> {
  const { wholeNumber: within } = await import('../option-values.js');
  return within('--port', text, 0, 65_535);
}

/** What is seen of the line while it runs. */
interface Watched {
  readonly observe: Observability;
  readonly log: Log;
}

interface Running extends Watched {
  readonly config: Config;
  readonly line: LocalLine;
  readonly docs: string | null;
  readonly watchSeconds: number | null;
  readonly port: number | null;
}

async function watch(config: Config, { io }: CommandContext): Promise<Watched> {
  const { createLineLog } = await import('../dev/incident-log.js');
  const { createObservability } = await import('../../observe/observability.js');
  const log = createLineLog(io, config.logLevel);
  return { log, observe: await createObservability({ log, env: io.env }) };
}

async function open(config: Config, { observe }: Watched): Promise<LocalLine> {
  const { openLocalLine } = await import('../../line/local-line.js');
  return openLocalLine({
    config,
    observe,
    onFatal(error) {
      observe.onFatal(error);
      process.exit(3);
    },
  });
}

async function run(running: Running, context: CommandContext): Promise<void> {
  const { serveLine } = await import('../../line/socket-server.js');
  const { openDevGateway } = await import('../dev/gateway.js');
  const { line, docs, watchSeconds, config, observe, log, port } = running;
  const { folder } = await line.health();
  const server = await serveLine(line, folder);
  try {
    const gateway = await openDevGateway({ config, local: line, observe, log, io: context.io, port });
    try {
      if (docs !== null) await firstIndex(line, docs, context);
      if (context.io.signal.aborted) return;
      await sayWhatRuns(line, { socket: server.path, url: gateway.url }, context);
      await untilStopped(line, docs, watchSeconds, context);
    } finally {
      observe.drain();
      await gateway.close();
    }
  } finally {
    await server.close();
  }
  if (!context.global().json) context.io.err('stopped\n');
}

/** A stop while it indexes is a stop; what is indexed by then stays. */
async function firstIndex(line: LocalLine, docs: string, context: CommandContext): Promise<void> {
  const { io, global } = context;
  try {
    const answer = await indexWithProgress(line, docs, io);
    const { indexLines } = await import('../render/index-report.js');
    if (!global().json)
      print(
        context,
        () => answer,
        (paint) => [...indexLines(answer, paint), ''],
      );
    if (answer.documents === 0) warn(io, `there is nothing to index in ${docs}`);
  } catch (error) {
    if (!io.signal.aborted) throw error;
  }
}

interface Places {
  readonly socket: string;
  readonly url: string;
}

async function sayWhatRuns(line: LocalLine, places: Places, context: CommandContext): Promise<void> {
  const { devPage } = await import('../render/dev.js');
  const health = await line.health();
  print(
    context,
    () => ({ ...health, ...places }),
    (paint, typed) => devPage(health, places, paint, typed),
  );
}

/** Until a signal asks to stop; meanwhile the folder is indexed again when asked, or every so often. */
async function untilStopped(
  line: LocalLine,
  docs: string | null,
  watchSeconds: number | null,
  { io }: CommandContext,
): Promise<void> {
  const { createRepeater } = await import('../dev/repeater.js');
  const again = createRepeater(() => (docs === null ? Promise.resolve() : indexAgain(line, docs, io)));
  const stopListening = io.onHangUp?.(() => again.request());
  const timer = watchSeconds === null ? null : setInterval(() => again.request(), 1000 * watchSeconds);
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    else io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stopListening?.();
  if (timer !== null) clearInterval(timer);
  await again.stop();
}

/** Never rejects: a folder that is away for a moment does not stop the line. */
async function indexAgain(line: LocalLine, docs: string, io: CommandContext['io']): Promise<void> {
  try {
    const { documents, chunks, indexed, removed } = await line.index(docs, { signal: io.signal });
    if (indexed + removed === 0) return;
    io.err(
      `indexed again: ${indexed} new or changed, ${removed} gone; ${documents} documents, ${chunks} passages\n`,
    );
  } catch (error) {
    if (!io.signal.aborted) warn(io, error instanceof Error ? error.message : String(error));
  }
}
