import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's examples, which lie beside its package.json: found from the source and from what is built of it. */
export function examplesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the package has no package.json');
    folder = above;
  }
  return join(folder, 'examples');
}
