import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';
import type { Language } from '../../prompts/language.js';
import type { PromptFormat } from '../../prompts/forms.js';

const HELP = `
Examples:
  proofline prompts                                    what there is, with version and digest
  proofline prompts show system --lang zh              the system prompt, as a text
  proofline prompts show draft --format openai         response_format for structured outputs
  proofline prompts show lookup_knowledge --format anthropic

Hand a draft in with \`proofline submit --prompt ID\`, and its verdict says which prompt the model was given.
`;

interface ShowOptions {
  readonly lang: string;
  readonly format: string;
}

export const addPrompts: AddCommand = (program, context) => {
  const prompts = program
    .command('prompts')
    .description('what a model is given so that it writes drafts that can be checked')
    .addHelpText('after', HELP);
  prompts
    .command('list', { isDefault: true })
    .description('every prompt, schema and tool')
    .action(() => listPrompts(context));
  prompts
    .command('show')
    .description('one of them, ready to hand to a provider')
    .argument('<id>', 'its id, or its name: system, draft or lookup_knowledge')
    .option('--lang <LANG>', 'en or zh', 'en')
    .option('--format <FORMAT>', 'text, openai, anthropic or json', 'text')
    .action((id: string, options: ShowOptions) => showPrompt(id, options, context));
};

async function listPrompts({ io, global }: CommandContext): Promise<void> {
  const { promptKit } = await import('../../prompts/kit.js');
  const items = promptKit().map(({ id, version, sha256, language }) => ({ id, version, language, sha256 }));
  if (global().json) {
    io.out(`${JSON.stringify({ prompts: items })}\n`);
    return;
  }
  const { renderTable } = await import('../render/table.js');
  const cells = items.map(({ id, version, language, sha256 }) => [id, version, language ?? '', sha256]);
  io.out(renderTable(['id', 'version', 'lang', 'sha256'], cells));
}

async function showPrompt(id: string, options: ShowOptions, { io, global }: CommandContext): Promise<void> {
  const language = await languageOf(options.lang);
  const format = global().json ? 'json' : await formatOf(options.format);
  const { kitItem } = await import('../../prompts/kit.js');
  const { inForm } = await import('../../prompts/forms.js');
  const item = kitItem(id, language);
  if (item === null) {
    const { ProoflineError } = await import('../../contracts/errors.js');
    const what = `prompt ${JSON.stringify(id.slice(0, 100))} (\`proofline prompts\` lists them)`;
    throw new ProoflineError('PL_NOT_FOUND', { what });
  }
  const shown = inForm(item, format);
  const pretty = global().json ? undefined : 2;
  io.out(typeof shown === 'string' ? shown : `${JSON.stringify(shown, null, pretty)}\n`);
}

/** @throws ProoflineError PL_INPUT_INVALID. */
export async function languageOf(text: string): Promise<Language> {
  const { languages } = await import('../../prompts/language.js');
  return oneOf('--lang', text, languages);
}

async function formatOf(text: string): Promise<PromptFormat> {
  const { promptFormats } = await import('../../prompts/forms.js');
  return oneOf('--format', text, promptFormats);
}

function oneOf<T extends string>(option: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw inputInvalid(`${option} is ${JSON.stringify(text)}, and must be one of ${values.join(', ')}`);
}
