import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { LeftOutReason } from './left-out.js';

/** The bytes of a file, or why it is left out. */
export type FileBytes = { readonly bytes: Buffer } | { readonly leftOut: LeftOutReason };

/**
 * Reads a file of at most `maxBytes`. What it is may have changed since the folder was listed: a link is not
 * followed, and a pipe that nobody writes to does not hold up the index.
 */
export async function readFileBounded(location: string, maxBytes: number): Promise<FileBytes> {
  let file: FileHandle | null = null;
  try {
    file = await open(location, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, isFile } = await kindAndSize(file);
    if (!isFile) return { leftOut: 'not_a_file' };
    return size > maxBytes ? { leftOut: 'too_large' } : await readWhole(file, maxBytes);
  } catch {
    return { leftOut: 'unreadable' };
  } finally {
    await file?.close();
  }
}

async function kindAndSize(file: FileHandle): Promise<{ size: number; isFile: boolean }> {
  const stats = await file.stat();
  return { size: stats.size, isFile: stats.isFile() };
}

/** Reads on while the file grows, up to the limit. */
async function readWhole(file: FileHandle, maxBytes: number): Promise<FileBytes> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024);
    if (bytesRead === 0) return { bytes: Buffer.concat(chunks, size) };
    size += bytesRead;
    if (size > maxBytes) return { leftOut: 'too_large' };
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

/** The text of a file, with `\n` for line ends and without a byte order mark, or why it is no text. */
export function decodeText(bytes: Buffer): { readonly text: string } | { readonly leftOut: LeftOutReason } {
  if (bytes.length >= 2 && (bytes.readUInt16BE(0) === 0xfeff || bytes.readUInt16BE(0) === 0xfffe))
    return { leftOut: 'not_utf8' };
  if (bytes.includes(0)) return { leftOut: 'binary' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return shareOfControls(text) > MAX_CONTROLS
      ? { leftOut: 'binary' }
      : { text: text.replace(/\r\n?/g, '\n') };
  } catch {
    return { leftOut: shareOfReplacements(bytes) > MAX_REPLACEMENTS ? 'binary' : 'not_utf8' };
  }
}

/** Text has hardly a control character; and of text in an old encoding, ASCII is left readable. */
const MAX_CONTROLS = 0.05;
const MAX_REPLACEMENTS = 0.6;

function shareOfControls(text: string): number {
  return text.length === 0
    ? 0
    : (text.match(/[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]/g)?.length ?? 0) / text.length;
}

function shareOfReplacements(bytes: Buffer): number {
  const text = bytes.subarray(0, 64 * 1024).toString('utf8');
  return (text.match(/\ufffd/g)?.length ?? 0) / text.length;
}
