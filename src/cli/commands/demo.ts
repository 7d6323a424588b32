import type { DemoReport } from '../../demo/run-demo.js';
import type { RunTrail } from '../../line/run-trail.js';
import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline demo                                plays it in a folder of its own, which is removed
  proofline --data .proofline-demo demo --keep  keeps the folder, to look around in
  proofline demo --json                         every record of it as one JSON value
  proofline demo --examples DIR                 plays a copy of examples/ that you changed

Exit code 1 when a draft does not come to what the demo promises.
`;

interface DemoCommandOptions {
  readonly keep?: true;
  readonly examples?: string;
}

export const addDemo: AddCommand = (program, context) => {
  program
    .command('demo')
    .description('the whole line over examples/: a forged report caught, a true one published')
    .option('--keep', 'keep the data folder (--data), which has to be new or empty')
    .option('--examples DIR', 'docs and drafts to play instead of those of the package')
    .addHelpText('after', HELP)
    .action((options: DemoCommandOptions) => playDemo(options, context));
};

/** The run whose trail ends the story: the shortest. */
const TRAIL_OF = 'demo-gpu';

async function playDemo({ keep, examples }: DemoCommandOptions, context: CommandContext): Promise<void> {
  const { examplesFolder } = await import('../../demo/examples-folder.js');
  const { runDemo } = await import('../../demo/run-demo.js');
  const { trailOf } = await import('../../demo/demo-trail.js');
  const place = {
    examples: examples ?? examplesFolder(),
    folder: keep === true ? context.global().data : null,
  };
  const played = await runDemo({ ...place, signal: context.io.signal }, async (report, line) => ({
    report,
    trail: await trailOf(line, TRAIL_OF),
  }));
  await (context.global().json ? printJson(played, context) : printStory(played, place, context));
  if (!played.report.kept) context.exit(1);
}

interface Played {
  readonly report: DemoReport;
  readonly trail: RunTrail;
}

async function printJson({ report, trail }: Played, { io }: CommandContext): Promise<void> {
  const { demoReportJson } = await import('../../demo/report-json.js');
  const { runTrailJson } = await import('../../line/run-trail.js');
  io.out(`${JSON.stringify({ ...demoReportJson(report), trail: runTrailJson(trail) })}\n`);
}

async function printStory(
  { report, trail }: Played,
  { examples, folder }: { readonly examples: string; readonly folder: string | null },
  { io }: CommandContext,
): Promise<void> {
  const { commandName } = await import('../../demo/examples-folder.js');
  const { demoStory, demoSummary } = await import('../render/demo.js');
  const { demoNext } = await import('../render/demo-next.js');
  const { paintFor } = await import('../render/page.js');
  const { renderTrail } = await import('../render/trail.js');
  const paint = paintFor({ colours: io.interactive && io.env['NO_COLOR'] === undefined });
  const place = { command: commandName(), examples, cwd: process.cwd(), kept: folder };
  const parts = [
    demoStory(report, paint),
    [paint('strong', 'TRAIL  every run can be told afterwards, step by step')],
    [renderTrail(trail, { paint, texts: false }).trimEnd()],
    demoSummary(report, paint),
    demoNext(place, paint),
  ];
  io.out(`${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`);
}
