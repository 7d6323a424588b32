import type { Scope, TokenRow } from '../../gateway/tokens.js';
import type { AddCommand, CommandContext } from '../command.js';
import { inputInvalid } from '../input.js';

const HELP = `
Examples:
  proofline tokens create --scope lookup,submit --runs 'team-a-*' --name "team A's agents"
  proofline tokens create --scope read                     every run, to look at
  proofline tokens list
  proofline tokens revoke 3f9c0a1b2c3d4e5f

A token is printed once; the file keeps its SHA-256. The file is PROOFLINE_GATEWAY_TOKENS, else tokens.json in the data
folder; a gateway asks for tokens when PROOFLINE_GATEWAY_TOKENS names it, and reads it again when it changes.

Scopes: lookup asks, submit hands in drafts, read looks at runs, review decides about held drafts.
`;

interface CreateOptions {
  readonly scope: string;
  readonly runs: string;
  readonly name: string;
}

export const addTokens: AddCommand = (program, context) => {
  const tokens = program.command('tokens').description('who may use the gateway').addHelpText('after', HELP);
  tokens
    .command('list', { isDefault: true })
    .description('which tokens there are, and what they may do')
    .action(() => list(context));
  tokens
    .command('create')
    .description('make a token, and print it once')
    .requiredOption(
      '--scope <LIST>',
      'what it may do: lookup, submit, read, review, with commas between them',
    )
    .option('--runs <LIST>', 'the runs that it may touch: patterns with *, with commas between them', '*')
    .option('--name <TEXT>', 'for people, to know it by', '')
    .action((options: CreateOptions) => create(options, context));
  tokens
    .command('revoke')
    .description('take a token away; running gateways refuse it within a second')
    .argument('<id>', 'as `tokens list` shows it')
    .action((id: string) => revoke(id, context));
};

async function fileOf(
  context: CommandContext,
): Promise<{ readonly file: string; readonly configured: boolean }> {
  const path = await import('node:path');
  const { configOf } = await import('../with-line.js');
  const { gateway, data } = await configOf(context);
  return { file: gateway.tokens ?? path.join(data, 'tokens.json'), configured: gateway.tokens !== null };
}

async function list(context: CommandContext): Promise<void> {
  const { readTokenFile } = await import('../../gateway/tokens.js');
  const { renderTable } = await import('../render/table.js');
  const { safeText } = await import('../render/safe-text.js');
  const { file } = await fileOf(context);
  const rows = readTokenFile(file, { mayBeMissing: true });
  const { io } = context;
  if (context.global().json) io.out(`${JSON.stringify({ file, tokens: rows.map(shown) })}\n`);
  else if (rows.length === 0)
    io.out(`No token in ${safeText(file)}; \`proofline tokens create\` makes one.\n`);
  else
    io.out(
      renderTable(
        ['id', 'scopes', 'runs', 'created', 'name'],
        rows.map(({ id, scopes, runs, created_at: at, name }) => [
          id,
          scopes.join(','),
          runs.join(','),
          at,
          name,
        ]),
      ),
    );
}

/** A digest is of no use to anybody, and is left out. */
function shown({ id, name, scopes, runs, created_at }: TokenRow): Omit<TokenRow, 'sha256'> {
  return { id, name, scopes, runs, created_at };
}

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { newToken } = await import('../../gateway/tokens.js');
  const { safeText } = await import('../render/safe-text.js');
  const scopes = await scopesOf(options.scope);
  const runs = await patternsOf(options.runs);
  if (options.name.length > MAX_NAME) throw inputInvalid(`--name has more than ${MAX_NAME} characters`);
  const { file, configured } = await fileOf(context);
  const { token, row } = newToken({ name: options.name, scopes, runs }, Date.now());
  await change(file, { mayBeMissing: true }, (rows) => [...rows, row]);
  const { io } = context;
  if (context.global().json) {
    io.out(`${JSON.stringify({ token, file, ...shown(row) })}\n`);
    return;
  }
  io.out(`${token}\n`);
  io.err(
    `It is not shown again. ${row.id} may ${scopes.join(', ')}, for runs ${safeText(runs.join(', '))}.\n`,
  );
  if (!configured)
    io.err(
      `The gateway asks for tokens once it is started with PROOFLINE_GATEWAY_TOKENS=${safeText(file)}\n`,
    );
}

const MAX_NAME = 200;

async function scopesOf(text: string): Promise<Scope[]> {
  const { SCOPES } = await import('../../gateway/tokens.js');
  const names = [...new Set(text.split(',').map((each) => each.trim()))];
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  if (scopes.length === names.length) return scopes;
  throw inputInvalid(`--scope is ${JSON.stringify(text)}; it must be some of ${SCOPES.join(', ')}`);
}

async function patternsOf(text: string): Promise<string[]> {
  const { isRunPattern } = await import('../../gateway/tokens.js');
  const patterns = [...new Set(text.split(',').map((each) => each.trim()))];
  const wrong = patterns.find((pattern) => !isRunPattern(pattern));
  if (wrong === undefined && patterns.length <= MAX_PATTERNS) return patterns;
  throw inputInvalid(
    `--runs has ${JSON.stringify(wrong ?? patterns.length)}; it must be at most ${MAX_PATTERNS} ids of runs, with * for any characters`,
  );
}

const MAX_PATTERNS = 64;

async function revoke(id: string, context: CommandContext): Promise<void> {
  const { ProoflineError } = await import('../../contracts/errors.js');
  const { file } = await fileOf(context);
  await change(file, { mayBeMissing: false }, (rows) => {
    const left = rows.filter((row) => row.id !== id);
    if (left.length === rows.length)
      throw new ProoflineError('PL_NOT_FOUND', { what: `token ${JSON.stringify(id)}` });
    return left;
  });
  const { io } = context;
  if (context.global().json) io.out(`${JSON.stringify({ revoked: id, file })}\n`);
  else io.out(`${id} is revoked\n`);
}

/** Reads and writes with nobody between: a token that is revoked meanwhile must not come back. */
async function change(
  file: string,
  options: { readonly mayBeMissing: boolean },
  edit: (rows: readonly TokenRow[]) => readonly TokenRow[],
): Promise<void> {
  const { mkdirSync } = await import('node:fs');
  const path = await import('node:path');
  const { readTokenFile } = await import('../../gateway/tokens.js');
  const { whileLocked } = await import('../file-lock.js');
  const { writeWhole } = await import('../write-whole.js');
  // One that cannot be used is said before anything is made beside it.
  readTokenFile(file, options);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  whileLocked(file, () => {
    const tokens = edit(readTokenFile(file, options));
    writeWhole(file, `${JSON.stringify({ format: 1, tokens }, null, 2)}\n`);
  });
}
