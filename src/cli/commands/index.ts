import type { LineClient, IndexAnswer } from '../../line/line-client.js';
import type { IndexProgress } from '../../retrieval/local/index-folder.js';
import type { AddCommand, CommandContext } from '../command.js';
import type { CliIo } from '../io.js';
import { print } from '../print.js';
import { adviceLines } from '../render/advice.js';
import { withLine } from '../with-line.js';

const HELP = `
Examples:
  proofline index ./runbooks                  index a folder, or what changed in it since
  proofline index ./docs --data /var/lib/pl   into another data folder
  proofline index ./docs --json               what was indexed and what was left out, as JSON

An index is of one folder: what was indexed of another one vanishes from it. A running line indexes itself.
Exit code 1 when nothing was found to index.
`;

export const addIndex: AddCommand = (program, context) => {
  program
    .command('index')
    .description('index a folder of documents (.md, .mdx, .txt, .html), to look things up in')
    .argument('<dir>', 'the folder')
    .addHelpText('after', HELP)
    .action((dir: string) => index(dir, context));
};

async function index(dir: string, context: CommandContext): Promise<void> {
  const { assertFolder } = await import('../../line/retrieval.js');
  // Before a data folder is made for it.
  assertFolder(dir);
  const answer = await withLine(context, 'nothing', (client) => indexWithProgress(client, dir, context.io));
  const { indexLines } = await import('../render/index-report.js');
  print(
    context,
    () => answer,
    (paint, typed) => [
      ...indexLines(answer, paint),
      ...adviceLines([{ command: typed('lookup "…"'), why: 'ask something' }], paint),
    ],
  );
  if (answer.documents === 0) context.exit(1);
}

/** Indexes, and tells a person who watches how far it is. */
export async function indexWithProgress(client: LineClient, dir: string, io: CliIo): Promise<IndexAnswer> {
  const { progressLine, PROGRESS_END } = await import('../render/index-report.js');
  const { interactive, signal } = io;
  const options = interactive
    ? { signal, onProgress: throttled((progress) => io.err(progressLine(progress))) }
    : { signal };
  try {
    return await client.index(dir, options);
  } finally {
    if (interactive) io.err(PROGRESS_END);
  }
}

const REDRAW_MS = 50;

/** A terminal cannot be read faster. */
function throttled(show: (progress: IndexProgress) => void): (progress: IndexProgress) => void {
  let shown = 0;
  return (progress) => {
    if (performance.now() - shown < REDRAW_MS) return;
    shown = performance.now();
    show(progress);
  };
}
