import type { Config } from '../../config/config.js';
import type { LocalLine } from '../../line/local-line.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid, wholeNumber } from '../input.js';
import { print } from '../print.js';
import { warn } from '../render/error.js';
import { configOf } from '../with-line.js';
import { indexWithProgress } from './index.js';

const HELP = `
Examples:
  proofline dev --docs ./runbooks            index a folder and run the line over it
  proofline dev --docs ./runbooks --watch 5  look every 5 seconds for what has changed in it
  proofline dev --data /var/lib/proofline    go on with another data folder

It runs until Ctrl-C. Other commands find it by its socket in the data folder. SIGHUP indexes the folder again.
`;

interface DevOptions {
  readonly docs?: string;
  readonly watch?: string;
}

export const addDev: AddCommand = (program, context) => {
  program
    .command('dev')
    .description('run the whole line on this machine, in one process')
    .option('--docs <DIR>', 'the folder of documents to index and to look things up in')
    .option('--watch <SECONDS>', 'index again what has changed, every so many seconds')
    .addHelpText('after', HELP)
    .action((options: DevOptions) => dev(options, context));
};

async function dev(options: DevOptions, context: CommandContext): Promise<void> {
  const config = await configOf(context);
  const docs = options.docs ?? config.docs;
  const watchSeconds = options.watch === undefined ? null : wholeNumber('--watch', options.watch);
  if (docs === null && watchSeconds !== null) throw inputInvalid('--watch needs a folder: --docs DIR');
  if (docs !== null && config.pyRag !== null)
    throw inputInvalid('--docs and PROOFLINE_PYRAG_URL are both given; lookups go to one of them');
  if (docs !== null) (await import('../../line/retrieval.js')).assertFolder(docs);
  const line = await open(config, context);
  try {
    await run(line, docs, watchSeconds, context);
  } finally {
    await line.close();
  }
}

async function open(config: Config, { io }: CommandContext): Promise<LocalLine> {
  const { openLocalLine } = await import('../../line/local-line.js');
  const { createLineLog } = await import('../dev/incident-log.js');
  const log = createLineLog(io, config.logLevel);
  return openLocalLine({
    config,
    onIncident: (incident, line) => log.incident(incident, line),
    onFatal(error) {
      log.fatal(error);
      process.exit(3);
    },
  });
}

async function run(
  line: LocalLine,
  docs: string | null,
  watchSeconds: number | null,
  context: CommandContext,
): Promise<void> {
  const { serveLine } = await import('../../line/socket-server.js');
  const { folder } = await line.health();
  const server = await serveLine(line, folder);
  try {
    if (docs !== null) await firstIndex(line, docs, context);
    if (context.io.signal.aborted) return;
    await sayWhatRuns(line, server.path, context);
    await untilStopped(line, docs, watchSeconds, context);
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

async function sayWhatRuns(line: LocalLine, socket: string, context: CommandContext): Promise<void> {
  const { devPage } = await import('../render/dev.js');
  const health = await line.health();
  print(
    context,
    () => ({ ...health, socket }),
    (paint, typed) => devPage(health, socket, paint, typed),
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
