/**
 * Writes schemas/frozen.lock.json, against which a test and `proofline schemas check` hold the schemas. Of a frozen
 * one: the digest of its parsing canonical form (what the binary is made of), and one of all but its docs (defaults,
 * logical types, aliases as well). Of an internal one: the schema itself, since records that were written with it
 * must stay readable. Run it when a schema is new, and at a release. A frozen schema that moved is refused; before
 * the first release `--remake` takes it over, with a line in the CHANGELOG.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brokenPromises, lockOf, mergedLock, type Lock } from '../src/contracts/freeze.js';
import { readSchemas } from './generate-types.js';

export {
  avroTypeOf,
  brokenPromises,
  lockEntry,
  mergedLock,
  unlocked,
  withoutDoc,
  type FrozenSchema,
  type InternalSchema,
  type Lock,
} from '../src/contracts/freeze.js';

export const LOCK_FILE = 'schemas/frozen.lock.json';

/** The lock of the schemas as they are now. */
export function currentLock(folder = 'schemas'): Lock {
  const jsonFiles = readdirSync(folder).filter((file) => file.endsWith('.schema.json'));
  const jsonSchemas = jsonFiles
    .toSorted()
    .map((file) => [file, JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as unknown] as const);
  return lockOf(readSchemas(folder), jsonSchemas);
}

export function readLock(file = LOCK_FILE): Lock {
  if (!existsSync(file)) return { avro: {}, json: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Lock;
}

function main(): void {
  const lock = readLock();
  const current = currentLock();
  const remake = process.argv.includes('--remake');
  const broken = remake ? [] : brokenPromises(lock, current);
  for (const problem of broken) console.error(problem);
  if (broken.length > 0) process.exitCode = 1;
  else writeFileSync(LOCK_FILE, `${JSON.stringify(remake ? current : mergedLock(lock, current), null, 2)}\n`);
}

if (process.argv[1]?.endsWith('freeze-schemas.ts')) main();
