import type { AddCommand, CommandContext } from '../command.js';
import { wholeNumber } from '../input.js';
import { madeUpId } from '../made-up-id.js';
import { print } from '../print.js';
import { readText } from '../read-input.js';
import { atDoors } from '../with-line.js';

const HELP = `
Examples:
  proofline submit report.json --run r1                 hand in a report of the run
  proofline submit - --run r1 --draft-id d2 --attempt 2 < mended.json
  proofline submit report.json --run r1 --json          verdict, review and outcome as JSON

\`proofline schemas draft\` prints what a report looks like. Exit code 0 when it passed and is published, else 1.
`;

/** Twice what the guard takes at most: what is larger is no report. */
const MAX_DRAFT_BYTES = 512 * 1024;

interface SubmitOptions {
  readonly run: string;
  readonly draftId?: string;
  readonly attempt?: string;
}

export const addSubmit: AddCommand = (program, context) => {
  program
    .command('submit')
    .description('hand in a report: is every citation real, and is it published?')
    .argument('<file>', 'the report as JSON; - for standard input')
    .requiredOption('--run <ID>', 'the run whose lookups it cites')
    .option('--draft-id <ID>', 'the id of this report (made up without)')
    .option('--attempt <N>', 'number of the report in the run, from 1', '1')
    .addHelpText('after', HELP)
    .action((file: string, options: SubmitOptions) => submit(file, options, context));
};

async function submit(file: string, options: SubmitOptions, context: CommandContext): Promise<void> {
  const draft = {
    runId: options.run,
    draftId: options.draftId ?? madeUpId('draft'),
    attempt: wholeNumber('--attempt', options.attempt ?? '1'),
    draftJson: await readText(context.io, file, MAX_DRAFT_BYTES),
  };
  const answer = await atDoors(context, 'a line', (client) => client.submit(draft));
  const { isPublished, submissionJson, submissionPage } = await import('../render/submission.js');
  if (!isPublished(answer)) context.exit(1);
  print(
    context,
    () => submissionJson(answer),
    (paint, typed) => submissionPage(answer, paint, typed),
  );
}
