import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline keys                    the keys that sign ledger entries and verify them
  proofline keys new                a private key, where there is none yet
  proofline keys rotate             a new private key; the old one stays, to verify what it signed
  proofline keys import other.pem   somebody's public key, to verify what they signed

The keys lie in the data folder, or where PROOFLINE_KEYS says. A running line signs with the key that it began with:
start it again after a rotation.
`;

/** A PEM file of one key is about 120 bytes. */
const MAX_BYTES = 16_384;

export const addKeys: AddCommand = (program, context) => {
  const keys = program
    .command('keys')
    .description('the keys that sign and verify the ledger')
    .addHelpText('after', HELP);
  keys
    .command('list', { isDefault: true })
    .description('what is there, and whether it can be used')
    .action(() => list(context));
  keys
    .command('new')
    .description('make a private key where there is none')
    .action(() => makeKey(context));
  keys
    .command('rotate')
    .description('replace the private key')
    .action(() => rotate(context));
  keys
    .command('import')
    .description('add a public key')
    .argument('<file>', 'its PEM text (SPKI, Ed25519); - reads standard input')
    .action((file: string) => importKey(file, context));
};

async function list(context: CommandContext): Promise<void> {
  const { listKeys } = await import('../../ledger/keyring.js');
  const { keysFolder } = await import('../reading-line.js');
  const { toSnakeJson } = await import('../../contracts/json.js');
  const { renderTable } = await import('../render/table.js');
  const { safeText } = await import('../render/safe-text.js');
  const folder = await keysFolder(context);
  const keys = listKeys(folder);
  if (keys.some(({ problem }) => problem !== null)) context.exit(1);
  const { io, global } = context;
  if (global().json) io.out(`${JSON.stringify({ folder, keys: toSnakeJson(keys) })}\n`);
  else if (keys.length === 0)
    io.out(`No key in ${safeText(folder)}; \`proofline dev\` or \`keys new\` makes one.\n`);
  else {
    const rows = keys.map(({ keyId, kind, file, problem }) => [keyId, USES[kind], file, problem ?? 'usable']);
    io.out(renderTable(['key id', 'what it does', 'file', 'state'], rows));
  }
}

const USES = { private: 'signs and verifies', public: 'verifies' } as const;

async function makeKey(context: CommandContext): Promise<void> {
  const { createKey } = await import('../../ledger/keyring.js');
  const { keysFolder } = await import('../reading-line.js');
  tell(context, createKey(await keysFolder(context)), 'is the new private key');
}

async function rotate(context: CommandContext): Promise<void> {
  const { rotateKey } = await import('../../ledger/keyring.js');
  const { keysFolder } = await import('../reading-line.js');
  const keyId = rotateKey(await keysFolder(context));
  tell(context, keyId, 'is the new private key; a running line signs with it once it was started again');
}

async function importKey(file: string, context: CommandContext): Promise<void> {
  const { importPublicKey } = await import('../../ledger/keyring.js');
  const { keysFolder } = await import('../reading-line.js');
  const { readText } = await import('../read-input.js');
  const pem = await readText(context.io, file, MAX_BYTES);
  tell(context, importPublicKey(await keysFolder(context), pem), 'was added, and verifies from now on');
}

function tell({ io, global }: CommandContext, keyId: string, what: string): void {
  io.out(global().json ? `${JSON.stringify({ key_id: keyId })}\n` : `${keyId} ${what}\n`);
}
