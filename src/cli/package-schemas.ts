import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { avroTypeOf, brokenPromises, lockOf, unlocked, withoutDoc, type Lock } from '../contracts/freeze.js';
import { avroSchemas } from '../contracts/generated.js';
import { agentViewJsonSchema } from '../guard/agent-view-schema.js';
import { draftJsonSchema } from '../guard/draft-schema.js';

/** The schemas as they lie in the package: what others build their clients from. */

const JSON_SCHEMAS = {
  'agent-view.v1.schema.json': agentViewJsonSchema,
  'draft.v1.schema.json': draftJsonSchema,
} as const;

/** The folder of schemas of the package, also where it runs from what was built of it. */
export function schemasFolder(): string {
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

/** The schemas of the folder as they are now: the Avro ones by name, and the lock that all of them would have. */
export function packageLock(folder = schemasFolder()): {
  readonly avro: ReadonlyMap<string, unknown>;
  readonly lock: Lock;
} {
  const { avro, json } = readFolder(folder);
  return { avro: byName(avro), lock: lockOf(byName(avro), json.read) };
}

/** What is wrong with the schemas of the package, each with what to do; empty when nothing is. */
export function schemaProblems(folder = schemasFolder()): string[] {
  const { avro, json } = readFolder(folder);
  const lock = JSON.parse(schemaText('frozen.lock.json', folder)) as Lock;
  const current = lockOf(byName(avro), json.read);
  const foreign = [...avro.read, ...json.read].filter(([file, schema]) => !isSame(schema, used(file)));
  return [
    ...avro.problems,
    ...json.problems,
    ...brokenPromises(lock, current),
    ...unlocked(lock, current).map((name) => `${name} is not in the lock`),
    ...foreign.map(([file]) => `schemas/${file} is not what this version uses: install the package again`),
  ];
}

interface ReadSchemas {
  readonly read: readonly (readonly [file: string, schema: unknown])[];
  readonly problems: readonly string[];
}

function readFolder(folder: string): { readonly avro: ReadSchemas; readonly json: ReadSchemas } {
  const files = readdirSync(folder);
  return {
    avro: readAll(folder, files, '.avsc', avroTypeOf),
    json: readAll(folder, files, '.schema.json'),
  };
}

function byName(avro: ReadSchemas): ReadonlyMap<string, unknown> {
  return new Map(avro.read.map(([file, schema]) => [file.replace('.avsc', ''), schema]));
}

function readAll(
  folder: string,
  files: readonly string[],
  suffix: string,
  check: (schema: unknown) => unknown = () => true,
): ReadSchemas {
  const read: [string, unknown][] = [];
  const problems: string[] = [];
  for (const file of files.filter((each) => each.endsWith(suffix)).sort()) {
    try {
      const schema = JSON.parse(schemaText(file, folder)) as unknown;
      check(schema);
      read.push([file, schema]);
    } catch (error) {
      problems.push(
        `schemas/${file} is no schema: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return { read, problems };
}

/** The schema that this version works with. */
function used(file: string): unknown {
  if (isOneOf(JSON_SCHEMAS, file)) return JSON_SCHEMAS[file]();
  const name = file.replace('.avsc', '');
  return isOneOf(avroSchemas, name) ? avroSchemas[name] : undefined;
}

function isOneOf<T extends object>(table: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(table, name);
}

function isSame(schema: unknown, used: unknown): boolean {
  return JSON.stringify(withoutDoc(schema)) === JSON.stringify(withoutDoc(used));
}
