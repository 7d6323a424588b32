import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** How the command is called here: an installed package has it by its name, a checkout, which has sources, by npm. */
export function commandName(): string {
  return existsSync(join(packageFolder(), 'src')) ? 'npm run -s proofline --' : 'proofline';
}
