import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenPromises, lockOf, unlocked, withoutDoc, type Lock } from '../contracts/freeze.js';
import { avroSchemas } from '../contracts/generated.js';
import { agentViewJsonSchema } from '../guard/agent-view-schema.js';
import { draftJsonSchema } from '../guard/draft-schema.js';

/** The schemas as they lie in the package: what others build their clients from. */

const JSON_SCHEMAS = {
  'agent-view.v1.schema.json': agentViewJsonSchema,
  'draft.v1.schema.json': draftJsonSchema,
} as const;

/** The folder of schemas of the package, also where it runs from what was built of it. */
function schemasFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the package has no package.json');
    folder = above;
  }
  return join(folder, 'schemas');
}

/** The text of a file of the folder, as it lies there. */
export function schemaText(file: string, folder = schemasFolder()): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** What is wrong with the schemas of the package, each with what to do; empty when nothing is. */
export function schemaProblems(folder = schemasFolder()): string[] {
  const read = (file: string): unknown => JSON.parse(schemaText(file, folder)) as unknown;
  const files = (suffix: string): string[] => readdirSync(folder).filter((file) => file.endsWith(suffix));
  const lock = read('frozen.lock.json') as Lock;
  const avro = files('.avsc').map((file) => [file.replace('.avsc', ''), read(file)] as const);
  const json = files('.schema.json').map((file) => [file, read(file)] as const);
  const current = lockOf(avro, json);
  const used: Readonly<Record<string, unknown>> = {
    ...avroSchemas,
    ...Object.fromEntries(Object.entries(JSON_SCHEMAS).map(([file, schema]) => [file, schema()])),
  };
  return [
    ...brokenPromises(lock, current),
    ...unlocked(lock, current).map((name) => `${name} is not in the lock`),
    ...[...avro, ...json]
      .filter(([name, schema]) => !isSame(schema, used[name]))
      .map(([name]) => `schemas/${name} is not what this version uses: install the package again`),
  ];
}

function isSame(schema: unknown, used: unknown): boolean {
  return JSON.stringify(withoutDoc(schema)) === JSON.stringify(withoutDoc(used));
}
