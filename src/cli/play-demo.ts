import { trailOf } from '../demo/demo-trail.js';
import { commandName, examplesFolder } from '../demo/examples-folder.js';
import { demoReportJson } from '../demo/report-json.js';
import { runDemo } from '../demo/run-demo.js';
import { runTrailJson } from '../line/run-trail.js';
import type { CommandContext } from './command.js';
import { print } from './print.js';
import { demoStory, demoSummary } from './render/demo.js';
import { demoNext } from './render/demo-next.js';
import { renderTrail } from './render/trail.js';

export interface DemoCommandOptions {
  readonly keep?: true;
  readonly examples?: string;
}

/** The run whose trail ends the story: the shortest. */
const TRAIL_OF = 'demo-gpu';

/** Plays the demo, prints it, and says by the exit code whether it came to what it promises. */
export async function playDemo(options: DemoCommandOptions, context: CommandContext): Promise<void> {
  const { io, global, exit } = context;
  const cwd = process.cwd();
  const examples = options.examples ?? examplesFolder();
  const folder = options.keep === true ? global().data : null;
  const { report, trail } = await runDemo({ examples, folder, signal: io.signal }, async (played, line) => ({
    report: played,
    trail: await trailOf(line, TRAIL_OF),
  }));
  print(
    context,
    () => ({ ...demoReportJson(report), trail: runTrailJson(trail) }),
    (paint) => [
      ...demoStory(report, paint),
      '',
      paint('strong', 'TRAIL  every run can be told afterwards, step by step'),
      renderTrail(trail, { paint, texts: false }),
      ...demoSummary(report, paint),
      '',
      ...demoNext({ command: commandName(cwd), examples, cwd, kept: folder }, paint),
    ],
  );
  if (!report.kept) exit(1);
}
