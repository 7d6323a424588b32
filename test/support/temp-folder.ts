import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();

/** A new empty folder; `removeTempFolders` takes it away again. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-test-'));
  made.add(folder);
  return folder;
}

/** For `afterEach` or `afterAll`. */
export function removeTempFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
  made.clear();
}
