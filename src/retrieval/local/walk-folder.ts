import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { LeftOutTally } from './left-out.js';
import { indexLimits } from './limits.js';
import type { IndexLimits } from './limits.js';
import { parserOf } from './parsers.js';

/** A file to index. */
export interface FoundFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Where to read it: no link, and inside the folder. */
  readonly location: string;
}

/** Folders of packages that are somebody else's documents. */
const FOREIGN = new Set(['node_modules']);

/**
 * The files of a folder that can be indexed, by path; the others are told to `leftOut`. Never leaves the
 * folder: a link to a file is followed only to a file inside that is not found otherwise, one to a folder never.
 * Rejects when the folder itself cannot be read.
 */
export async function walkFolder(
  folder: string,
  leftOut: LeftOutTally,
  limits: IndexLimits = indexLimits,
): Promise<readonly FoundFile[]> {
  const root = await realpath(folder);
  const found: FoundFile[] = [];
  const links: string[] = [];
  const folders = [''];
  // The folder itself must be readable; of those below it, one that is not is left out.
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of await entriesOf(root, at, leftOut)) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      const kind = kindOf(entry, path, limits);
      if (kind === 'folder') folders.push(path);
      else if (kind === 'link') links.push(path);
      else if (kind !== 'file') leftOut.add(kind, path);
      else if (found.length >= limits.maxFiles) leftOut.add('too_many_files', path);
      else found.push({ path, location: join(root, path) });
    }
  }
  await addLinked(root, links, found, leftOut, limits);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function entriesOf(root: string, folder: string, leftOut: LeftOutTally): Promise<Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder === '') throw error;
    leftOut.add('unreadable', folder);
    return [];
  }
}

function kindOf(entry: Dirent, path: string, limits: IndexLimits) {
  if (entry.name.startsWith('.') || FOREIGN.has(entry.name)) return 'hidden';
  if (entry.isDirectory()) return path.split('/').length > limits.maxDepth ? 'too_deep' : 'folder';
  if (entry.isSymbolicLink()) return 'link';
  if (parserOf(entry.name) === null) return 'extension';
  return entry.isFile() ? 'file' : 'not_a_file';
}

/** Adds what links lead to: files of the folder that are not found under a name of their own. */
async function addLinked(
  root: string,
  links: readonly string[],
  found: FoundFile[],
  leftOut: LeftOutTally,
  limits: IndexLimits,
): Promise<void> {
  const locations = new Set(found.map((file) => file.location));
  for (const path of [...links].sort()) {
    const location = await linkedFile(root, path);
    if (location === 'link_broken' || location === 'link_outside') leftOut.add(location, path);
    else if (location === null || locations.has(location)) leftOut.add('link_repeats', path);
    else if (parserOf(path) === null) leftOut.add('extension', path);
    else if (found.length >= limits.maxFiles) leftOut.add('too_many_files', path);
    else {
      locations.add(location);
      found.push({ path, location });
    }
  }
}

/** Where a link inside the folder leads: null for what is no file. */
async function linkedFile(root: string, path: string): Promise<string | null> {
  try {
    const location = await realpath(join(root, path));
    if (!location.startsWith(root.endsWith(sep) ? root : root + sep)) return 'link_outside';
    return (await stat(location)).isFile() ? location : null;
  } catch {
    return 'link_broken';
  }
}
