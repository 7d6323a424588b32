import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder of two small runbooks and a file that is not read. */
export function docsFolder(parent: string): string {
  const folder = join(parent, 'docs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'gateway.md'),
    '# Gateway timeout\n\n## First steps\n\nA gateway timeout means that the upstream was slow: check its pool.\n',
  );
  writeFileSync(
    join(folder, 'disk.md'),
    '# Full disk\n\n## First steps\n\nRotate the logs, then find what grew.\n',
  );
  writeFileSync(join(folder, 'logo.png'), Buffer.from([0x89, 0x50, 0, 1]));
  return folder;
}
