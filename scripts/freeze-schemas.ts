/**
 * Writes schemas/frozen.lock.json, against which a test holds the schemas. Of a frozen one: the digest of its
 * parsing canonical form (what the binary is made of), and one of all but its docs (defaults, logical types,
 * aliases as well). Of an internal one: the schema itself, since records that were written with it must stay
 * readable. Run it when a schema is new, and at a release. A frozen schema that moved is refused; before the
 * first release `--remake` takes it over, with a line in the CHANGELOG.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import avro, { type Schema, type Type } from 'avsc';
import canonicalize from 'canonicalize';
import { sha256 } from '../src/contracts/digest.js';
import type { SchemaName } from '../src/contracts/generated.js';
import { localSchemaId } from '../src/contracts/schema-ids.js';
import { isTopicName, topics } from '../src/contracts/topics.js';
import { readSchemas } from './generate-types.js';

export const LOCK_FILE = 'schemas/frozen.lock.json';

export interface FrozenSchema {
  readonly contract: 'frozen';
  readonly local_id: number;
  readonly canonical_sha256: string;
  readonly without_doc_sha256: string;
}

export interface InternalSchema {
  readonly contract: 'internal';
  readonly local_id: number;
  readonly schema: unknown;
}

export interface Lock {
  /** Avro schemas by the name of their file. One that is gone stays: its id is never given again. */
  readonly avro: Readonly<Record<string, FrozenSchema | InternalSchema>>;
  /** SHA-256 of the RFC 8785 JSON of the JSON Schemas, all of them frozen. */
  readonly json: Readonly<Record<string, string>>;
}

export function avroTypeOf(schema: unknown): Type {
  return avro.Type.forSchema(schema as Schema, { wrapUnions: 'never' });
}

/** The schema without its docs. What a default holds is data, and kept. */
export function withoutDoc(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDoc);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([attribute]) => attribute !== 'doc');
  return Object.fromEntries(
    kept.map(([attribute, value]) => [attribute, attribute === 'default' ? value : withoutDoc(value)]),
  );
}

function digestOf(value: unknown): string {
  return sha256(canonicalize(value) ?? '');
}

export function lockEntry(name: SchemaName, schema: unknown): FrozenSchema | InternalSchema {
  const local_id = localSchemaId(name);
  // The agent view and the draft are no topics, but what the model is given and gives.
  const contract = isTopicName(name) ? topics[name].contract : 'frozen';
  if (contract === 'internal') return { contract, local_id, schema };
  return {
    contract,
    local_id,
    canonical_sha256: avroTypeOf(schema).fingerprint('sha256').toString('hex'),
    without_doc_sha256: digestOf(withoutDoc(schema)),
  };
}

/** The lock of the schemas as they are now. */
export function currentLock(folder = 'schemas'): Lock {
  const avroEntries = [...readSchemas(folder)].map(
    ([name, schema]) => [name, lockEntry(name as SchemaName, schema)] as const,
  );
  const jsonFiles = readdirSync(folder).filter((file) => file.endsWith('.schema.json'));
  const jsonEntries = jsonFiles
    .toSorted()
    .map((file) => [file, digestOf(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))] as const);
  return { avro: Object.fromEntries(avroEntries), json: Object.fromEntries(jsonEntries) };
}

export function readLock(file = LOCK_FILE): Lock {
  if (!existsSync(file)) return { avro: {}, json: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Lock;
}

/** What in `current` breaks a promise of `lock`, each with what to do; empty when nothing does. */
export function brokenPromises(lock: Lock, current: Lock): string[] {
  return [
    ...Object.entries(lock.avro).flatMap(([name, locked]) => brokenAvro(name, locked, current.avro[name])),
    ...Object.entries(lock.json)
      .filter(([file, digest]) => current.json[file] !== digest)
      .map(([file]) => `${file} has changed or is gone. ${asNewVersion(file.replace('.schema.json', ''))}`),
  ];
}

/** Schemas that nobody has put into the lock yet. */
export function unlocked(lock: Lock, current: Lock): string[] {
  return [
    ...Object.keys(current.avro).filter((name) => !Object.hasOwn(lock.avro, name)),
    ...Object.keys(current.json).filter((file) => !Object.hasOwn(lock.json, file)),
  ];
}

function brokenAvro(
  name: string,
  locked: FrozenSchema | InternalSchema,
  now: FrozenSchema | InternalSchema | undefined,
): string[] {
  if (now === undefined)
    return locked.contract === 'frozen'
      ? [`${name} is gone, but records of it may still lie in topics.`]
      : [];
  if (now.local_id !== locked.local_id)
    return [
      `${name} had the local id ${locked.local_id} and now has ${now.local_id}: ids are never given anew.`,
    ];
  if (now.contract === 'frozen') return locked.contract === 'frozen' ? movedParts(name, locked, now) : [];
  if (locked.contract === 'frozen') return [`${name} is frozen and cannot become internal.`];
  return unreadableWith(name, locked.schema, now.schema);
}

function movedParts(name: string, locked: FrozenSchema, now: FrozenSchema): string[] {
  const parts = [
    ...(now.canonical_sha256 === locked.canonical_sha256 ? [] : ['its canonical form']),
    ...(now.without_doc_sha256 === locked.without_doc_sha256 ? [] : ['an attribute other than doc']),
  ];
  return parts.length === 0
    ? []
    : [`${name} is frozen, but ${parts.join(' and ')} moved. ${asNewVersion(name)}`];
}

function unreadableWith(name: string, written: unknown, reading: unknown): string[] {
  try {
    avroTypeOf(reading).createResolver(avroTypeOf(written));
    return [];
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return [
      `${name} can no longer read what was written with it before: ${problem}. Give new fields a default.`,
    ];
  }
}

function asNewVersion(name: string): string {
  const next = name.replace(/\.v(\d+)$/, (_, version: string) => `.v${Number(version) + 1}`);
  return (
    `Undo that. A change is a new file schemas/${next}.avsc with a topic and a local id of its own, beside the old one; ` +
    'then run npx tsx scripts/freeze-schemas.ts.'
  );
}

/** The lock as it is written: what is new added, internal schemas brought up to date, what is gone kept. */
export function mergedLock(lock: Lock, current: Lock): Lock {
  return {
    avro: sorted({ ...lock.avro, ...current.avro }),
    json: sorted({ ...lock.json, ...current.json }),
  };
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
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
