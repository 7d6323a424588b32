import type { Codec } from '../../contracts/codec.js';
import type { RunData } from '../../line/run-snapshot.js';
import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline trail                              the runs that were at work last
  proofline trail run-7                        its story: questions, evidence, drafts, verdicts, outcome
  proofline trail run-7 --texts                with questions, excerpts and drafts whole
  proofline trail run-7 --snapshot run-7.json  everything that is known of it, as one JSON file
  proofline trail run-7 --json                 the story as JSON

It reads beside a running line. What the topics keep no longer is said to be gone; what the audit and the
ledger have of it is shown.
`;

interface TrailOptions {
  readonly texts?: true;
  readonly snapshot?: string;
  readonly limit: string;
}

export const addTrail: AddCommand = (program, context) => {
  program
    .command('trail')
    .description('what happened in a run, from question to verdict')
    .argument('[run]', 'run_id; without it, the latest runs are listed')
    .option('--texts', 'show texts whole')
    .option('--snapshot <file>', 'write all records of the run into a JSON file')
    .option('--limit <n>', 'how many runs to list', '20')
    .addHelpText('after', HELP)
    .action((run: string | undefined, options: TrailOptions) =>
      run === undefined ? listRuns(options, context) : tellRun(run, options, context),
    );
};

async function listRuns({ limit }: TrailOptions, context: CommandContext): Promise<void> {
  const { readingWithAudit } = await import('../reading-line.js');
  const { wholeNumber } = await import('../option-values.js');
  const { instantToJson } = await import('../../contracts/record-json.js');
  const { renderRuns } = await import('../render/trail.js');
  const most = wholeNumber('--limit', limit, 1, 10_000);
  const runs = await readingWithAudit(context, ({ audit }) => audit.recentRuns(most));
  const json = runs.map(({ runId, firstAt, lastAt }) => ({
    run_id: runId,
    first_at: instantToJson(firstAt),
    last_at: instantToJson(lastAt),
  }));
  context.io.out(context.global().json ? `${JSON.stringify({ runs: json })}\n` : renderRuns(runs));
}

async function tellRun(run: string, options: TrailOptions, context: CommandContext): Promise<void> {
  const { publicKeys, readingWithAudit } = await import('../reading-line.js');
  const { ProoflineError } = await import('../../contracts/errors.js');
  await readingWithAudit(context, async (folder) => {
    const { readRun } = await import('../../line/run-snapshot.js');
    const data = await readRun({ ...folder, keyring: await publicKeys(context) }, run);
    if (data === null) throw new ProoflineError('PL_NOT_FOUND', { what: `run ${JSON.stringify(run)}` });
    if (options.snapshot !== undefined) await writeSnapshot(data, options.snapshot, context);
    else await printTrail(data, folder.codec, options, context);
  });
}

async function writeSnapshot(data: RunData, file: string, { io, global }: CommandContext): Promise<void> {
  const { snapshotJson, SNAPSHOT_FORMAT } = await import('../../line/run-snapshot.js');
  const { writeWhole } = await import('../write-whole.js');
  const { safeText } = await import('../render/safe-text.js');
  const text = `${JSON.stringify(snapshotJson(data), null, 2)}\n`;
  writeWhole(file, text);
  const bytes = Buffer.byteLength(text);
  if (global().json) io.out(`${JSON.stringify({ file, bytes, format: SNAPSHOT_FORMAT })}\n`);
  else io.out(`${safeText(file)}: ${bytes} bytes, format ${SNAPSHOT_FORMAT}\n`);
}

async function printTrail(
  data: RunData,
  codec: Codec,
  { texts = false }: { readonly texts?: boolean },
  { io, global }: CommandContext,
): Promise<void> {
  const { runTrail, runTrailJson } = await import('../../line/run-trail.js');
  const { coloursFor } = await import('../render/error.js');
  const { paintFor } = await import('../render/page.js');
  const { renderTrail } = await import('../render/trail.js');
  const trail = runTrail(data, codec);
  const paint = paintFor({ colours: coloursFor(io) });
  const json = (): string => `${JSON.stringify(runTrailJson(trail))}\n`;
  io.out(global().json ? json() : renderTrail(trail, { paint, texts }));
}
