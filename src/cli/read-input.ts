import { open, type FileHandle } from 'node:fs/promises';
import { parseJson } from '../contracts/json.js';
import { inputInvalid } from './input.js';
import type { CliIo } from './io.js';

/** Files that a person names, and standard input for `-`. */

/** More than any evidence, draft or answer that a rule is tried on. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** @throws ProoflineError PL_INPUT_INVALID where it cannot be read, is too large or no UTF-8. */
export async function readText(io: CliIo, file: string, maxBytes = MAX_INPUT_BYTES): Promise<string> {
  return file === '-' ? io.stdin(maxBytes) : readFile(file, maxBytes);
}

/** The JSON value in the file. @throws ProoflineError PL_INPUT_INVALID. */
export async function readJson(io: CliIo, file: string, maxBytes = MAX_INPUT_BYTES): Promise<unknown> {
  const value = parseJsonText(await readText(io, file, maxBytes));
  if (value === undefined) throw inputInvalid(`${nameOf(file)} is no JSON`);
  return value;
}

/** `parseJson` that does not mind the byte order mark which some editors write. */
export function parseJsonText(text: string): unknown {
  return parseJson(text.startsWith('\ufeff') ? text.slice(1) : text);
}

/** What messages call it. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function readFile(file: string, maxBytes: number): Promise<string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    return decode(await readBounded(handle, file, maxBytes), file);
  } catch (error) {
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
    if (problem === undefined) throw error;
    throw inputInvalid(`${file} ${problem}`, error);
  } finally {
    await handle?.close();
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read by you',
  EPERM: 'may not be read by you',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'is a link to itself',
};

/** Reads no more than it takes to know that there is too much: the size of a pipe is not known. */
async function readBounded(handle: FileHandle, file: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of handle.createReadStream({
    autoClose: false,
    end: maxBytes,
  }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    chunks.push(chunk);
  }
  if (bytes > maxBytes) throw inputInvalid(`${file} has more than ${maxBytes} bytes`);
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw inputInvalid(`${file} is no UTF-8 text`, error);
  }
}
