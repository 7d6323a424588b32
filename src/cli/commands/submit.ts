import type { PromptRef } from '../../contracts/generated.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid, wholeNumber } from '../input.js';
import { madeUpId } from '../made-up-id.js';
import { print } from '../print.js';
import { readText } from '../read-input.js';
import { addLimitOptions, limitsOf, type LimitOptions } from '../run-limits.js';
import { atDoors } from '../with-line.js';

const HELP = `
Examples:
  proofline submit report.json --run r1                 hand in a report of the run
  proofline submit - --run r1 --draft-id d2 --attempt 2 < mended.json
  proofline submit report.json --run r1 --json          verdict, review and outcome as JSON
  proofline submit report.json --run r1 --prompt proofline.system.en

A run has the limits of its first lookup; review goes by those of its first report: give both the same.
\`proofline schemas draft\` prints what a report looks like. Exit code 0 when it passed and is published, else 1.
`;

/** Twice what the guard takes at most: what is larger is no report. */
const MAX_DRAFT_BYTES = 512 * 1024;

interface SubmitOptions extends LimitOptions {
  readonly run: string;
  readonly draftId?: string;
  readonly attempt?: string;
  readonly prompt?: string;
  readonly lang: string;
}

export const addSubmit: AddCommand = (program, context) => {
  const command = program
    .command('submit')
    .description('hand in a report: is every citation real, and is it published?')
    .argument('<file>', 'the report as JSON; - for standard input')
    .requiredOption('--run <ID>', 'the run whose lookups it cites')
    .option('--draft-id <ID>', 'the id of this report (made up without)')
    .option('--attempt <N>', 'number of the report in the run, from 1', '1')
    .option(
      '--prompt <ID>',
      'the prompt that the model was given: an id of `proofline prompts`, or ID@VERSION:SHA256',
    )
    .option('--lang <LANG>', 'the language of the repair prompt: en or zh', 'en');
  addLimitOptions(command)
    .addHelpText('after', HELP)
    .action((file: string, options: SubmitOptions) => submit(file, options, context));
};

async function submit(file: string, options: SubmitOptions, context: CommandContext): Promise<void> {
  const language = languageOf(options.lang);
  const draft = {
    runId: options.run,
    draftId: options.draftId ?? madeUpId('draft'),
    attempt: wholeNumber('--attempt', options.attempt ?? '1'),
    draftJson: await readText(context.io, file, MAX_DRAFT_BYTES),
    prompt: options.prompt === undefined ? null : await promptOf(options.prompt),
    limits: limitsOf(options, Date.now()),
  };
  const answer = await atDoors(context, 'a line', (client) => client.submit(draft));
  const { isPublished, submissionJson, submissionPage } = await import('../render/submission.js');
  if (!isPublished(answer)) context.exit(1);
  print(
    context,
    () => submissionJson(answer),
    (paint, typed) => submissionPage(answer, paint, typed, language),
  );
}

function languageOf(text: string): 'en' | 'zh' {
  if (text === 'en' || text === 'zh') return text;
  throw inputInvalid(`--lang is ${JSON.stringify(text.slice(0, 40))}; it must be en or zh`);
}

/** @throws ProoflineError PL_INPUT_INVALID. */
async function promptOf(text: string): Promise<PromptRef> {
  const { kitItem, promptRefOf } = await import('../../prompts/kit.js');
  const item = kitItem(text);
  if (item !== null) return promptRefOf(item);
  const [, id, version, sha256] = OWN_PROMPT.exec(text) ?? [];
  if (id !== undefined && version !== undefined && sha256 !== undefined) return { id, version, sha256 };
  throw inputInvalid(
    `--prompt is ${JSON.stringify(text.slice(0, 300))}; it must be an id that \`proofline prompts\` lists, or ID@VERSION:SHA256`,
  );
}

const OWN_PROMPT = /^([^@\s]{1,128})@([^:\s]{1,64}):([0-9a-f]{64})$/;
