import type { CheckedEntry } from '../../line/ledger-entries.js';
import type { LedgerReport } from '../../line/ledger-verify.js';
import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline ledger get run-7                  the entries of a run, each checked
  proofline ledger get run-7 call-1           one of them: its blocks, what was dropped, what was cut
  proofline ledger get run-7 call-1 --view    the text that the model was given, byte for byte
  proofline ledger verify                     every digest and signature of the ledger, and the view beside it

Exit code 1 when something is wrong with an entry.
`;

export const addLedger: AddCommand = (program, context) => {
  const ledger = program
    .command('ledger')
    .description('the record of what the model was shown')
    .addHelpText('after', HELP);
  ledger
    .command('get')
    .description('the entries of a run, or one of them, checked')
    .argument('<run>', 'run_id')
    .argument('[call]', 'tool_call_id')
    .option('--view', 'print the agent view and nothing else (with a call)')
    .action((run: string, call: string | undefined, options: { view?: true }) =>
      options.view === true ? printView(run, call, context) : getEntries(run, call, context),
    );
  ledger
    .command('verify')
    .description('read the whole ledger again and check it')
    .action(() => verify(context));
};

async function entriesOf(
  run: string,
  call: string | undefined,
  context: CommandContext,
): Promise<readonly CheckedEntry[]> {
  const { publicKeys, readingLine } = await import('../reading-line.js');
  const { checkEntry, readRunEntries } = await import('../../line/ledger-entries.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  const keyring = await publicKeys(context);
  const entries = await readingLine(context, async ({ bus, codec }) => {
    const all = await readRunEntries(bus, codec, run);
    return all
      .filter(({ toolCallId }) => call === undefined || toolCallId === call)
      .map((entry) => checkEntry(codec, keyring, entry));
  });
  if (entries.length > 0) return entries;
  const what =
    call === undefined
      ? `a ledger entry of run ${JSON.stringify(run)}`
      : `the ledger entry of ${JSON.stringify(call)} in run ${JSON.stringify(run)}`;
  throw new ProoflineError('PL_NOT_FOUND', { what });
}

async function getEntries(run: string, call: string | undefined, context: CommandContext): Promise<void> {
  const { coloursFor } = await import('../render/error.js');
  const { paintFor } = await import('../render/page.js');
  const { entryJson, renderEntries } = await import('../render/ledger.js');
  const entries = await entriesOf(run, call, context);
  if (entries.some(({ problems }) => problems.length > 0)) context.exit(1);
  const { io, global } = context;
  const json = call === undefined ? { entries: entries.map(entryJson) } : entries.map(entryJson)[0];
  const paint = paintFor({ colours: coloursFor(io) });
  io.out(
    global().json
      ? `${JSON.stringify(json)}\n`
      : renderEntries(entries, { paint, whole: call !== undefined }),
  );
}

/** A person's terminal gets the text made safe; whoever reads the bytes gets the bytes. */
async function printView(run: string, call: string | undefined, context: CommandContext): Promise<void> {
  const { invalid } = await import('../option-values.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  const { safeText } = await import('../render/safe-text.js');
  if (call === undefined) throw invalid('--view needs the tool_call_id too');
  const [entry] = await entriesOf(run, call, context);
  const view = entry?.entry?.agentView ?? null;
  if (view === null) {
    const what = `the agent view of an entry that is ${entry?.state ?? 'gone'}`;
    throw new ProoflineError('PL_NOT_FOUND', { what });
  }
  if (entry !== undefined && entry.problems.length > 0) {
    context.exit(1);
    context.io.err(`warning: the entry is not what its writer signed: ${entry.problems.join(', ')}\n`);
  }
  context.io.out(context.io.interactive ? `${safeText(view)}\n` : view);
}

/** Fields that count by name: the names are data. */
const COUNTS: ReadonlySet<string> = new Set(['states', 'signatures']);

async function verify(context: CommandContext): Promise<void> {
  const { publicKeys, readingLine } = await import('../reading-line.js');
  const { verifyLedger } = await import('../../line/ledger-verify.js');
  const { toSnakeJson } = await import('../../contracts/json.js');
  const { renderReport } = await import('../render/ledger.js');
  const keyring = await publicKeys(context);
  const { io, global } = context;
  const onProgress = (entries: number): void => {
    if (io.interactive) io.err(`\r${entries} entries`);
  };
  const report: LedgerReport = await readingLine(context, async (line) => {
    const { bus, codec } = line;
    const view = await line.openView();
    try {
      return await verifyLedger({ bus, codec, keyring, scan: view.scan, signal: io.signal, onProgress });
    } finally {
      await view.close();
    }
  });
  if (io.interactive) io.err('\r');
  const unchecked = report.signatures.NO_KEYS > 0;
  if (report.problemCount > 0 || unchecked) context.exit(1);
  if (global().json) io.out(`${JSON.stringify(toSnakeJson(report, COUNTS))}\n`);
  else io.out(renderReport(report));
}
