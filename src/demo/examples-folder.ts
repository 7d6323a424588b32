import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package, also where it runs from what was built of it. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the package has no package.json');
    folder = above;
  }
  return folder;
}

/** The package's examples. */
export function examplesFolder(): string {
  return join(packageFolder(), 'examples');
}

/**
 * How the command is called from a folder: an installed package has it by its name; a checkout, which has sources, by
 * npm from its own folder and as a file from elsewhere.
 */
export function commandName(cwd: string): string {
  const folder = packageFolder();
  if (!existsSync(join(folder, 'src'))) return 'proofline';
  if (cwd === folder) return 'npm run -s proofline --';
  return `node ${join(relative(cwd, folder), 'dist', 'src', 'cli', 'main.js')}`;
}
