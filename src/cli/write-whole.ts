import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ProoflineError } from '../contracts/errors.js';

/**
 * Writes a file whole or not at all: readers see the old one until the new one is on the disk. Only its owner may
 * read it, as the data folder.
 * @throws ProoflineError PL_INPUT_INVALID when the place cannot be written to.
 */
export function writeWhole(file: string, text: string): void {
  const unfinished = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    writeDurably(unfinished, text);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const problem = `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    throw new ProoflineError('PL_INPUT_INVALID', { problem }, { cause: error });
  }
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
