import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { parseJson } from '../contracts/json.js';

/** Which folder an index was made of, kept beside it. */
export interface IndexSource {
  /** Absolute path. */
  readonly folder: string;
  /** When the last run began, RFC 3339: what changed since is not in the index. */
  readonly indexedAt: string;
}

const schema = z.object({ folder: z.string().min(1), indexed_at: z.iso.datetime() });

/** Null where nobody wrote it down, or not legibly. */
export function readIndexSource(file: string): IndexSource | null {
  const parsed = schema.safeParse(parseJson(readOrEmpty(file)));
  return parsed.success ? { folder: parsed.data.folder, indexedAt: parsed.data.indexed_at } : null;
}

export function writeIndexSource(file: string, { folder, indexedAt }: IndexSource): void {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${JSON.stringify({ folder, indexed_at: indexedAt })}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
