import { existsSync } from 'node:fs';
import type { AuditReader } from '../audit/audit-store.js';
import { openEmbeddedReader } from '../bus/embedded/embedded-bus.js';
import { createCodec, type Codec } from '../contracts/codec.js';
import { isProoflineError, ProoflineError } from '../contracts/errors.js';
import { openKeyring, type Keyring } from '../ledger/keyring.js';
import { dataFolder, type DataFolder } from '../line/data-folder.js';
import type { CommandContext } from './command.js';
import { configOf } from './with-line.js';

/** A data folder that is only read, beside the line that may be running on it. */
export interface ReadFolder {
  readonly paths: DataFolder;
  readonly bus: ReturnType<typeof openEmbeddedReader>;
  readonly codec: Codec;
}

/**
 * Opens the data folder for reading, and closes it after the work.
 * @throws ProoflineError PL_DATA_FOLDER_UNUSABLE when there is no line in it.
 */
export async function readingFolder<T>(
  context: CommandContext,
  work: (folder: ReadFolder) => Promise<T>,
): Promise<T> {
  const paths = dataFolder((await configOf(context)).data);
  // Asking whether the file is there does not open it.
  if (!existsSync(paths.bus)) {
    const problem = `there is no line in it; \`proofline dev\` makes one, and --data names another folder`;
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder: paths.folder, problem });
  }
  const bus = openEmbeddedReader(paths.folder);
  try {
    return await work({ paths, bus, codec: createCodec() });
  } finally {
    await bus.close();
  }
}

/** `readingFolder` with the audit beside it. */
export function readingWithAudit<T>(
  context: CommandContext,
  work: (folder: ReadFolder & { readonly audit: AuditReader }) => Promise<T>,
): Promise<T> {
  return readingFolder(context, async (folder) => {
    const { openSqliteAuditReader } = await import('../audit/sqlite-audit-store.js');
    const audit = openSqliteAuditReader(folder.paths.audit);
    try {
      return await work({ ...folder, audit });
    } finally {
      await audit.close();
    }
  });
}

/** The folder of keys: PROOFLINE_KEYS, else the data folder's own. */
export async function keysFolder(context: CommandContext): Promise<string> {
  const { keys, data } = await configOf(context);
  return keys ?? dataFolder(data).keys;
}

/** The keys that verify; null where there is none. @throws ProoflineError PL_KEY_INVALID. */
export async function publicKeys(context: CommandContext): Promise<Keyring | null> {
  const folder = await keysFolder(context);
  try {
    return openKeyring(folder, { create: false, verifyOnly: true });
  } catch (error) {
    if (isProoflineError(error, 'PL_NOT_FOUND')) return null;
    throw error;
  }
}
