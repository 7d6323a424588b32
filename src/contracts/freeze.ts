import avro, { type Schema, type Type } from 'avsc';
import canonicalize from 'canonicalize';
import { sha256 } from './digest.js';
import type { SchemaName } from './generated.js';
import { localSchemaId } from './schema-ids.js';
import { isTopicName, topics } from './topics.js';

/**
 * What is promised of the schemas, and whether it was kept. Of a frozen schema nothing may move but its docs; what
 * was written with an internal one must stay readable.
 */

export interface FrozenSchema {
  readonly contract: 'frozen';
  readonly local_id: number;
  /** Digest of the parsing canonical form: what the binary is made of. */
  readonly canonical_sha256: string;
  /** Digest of all but the docs: defaults, logical types and aliases as well. */
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

/** The lock that these schemas would have: Avro by name, JSON Schemas by file. */
export function lockOf(
  avroSchemas: Iterable<readonly [string, unknown]>,
  jsonSchemas: Iterable<readonly [string, unknown]>,
): Lock {
  return {
    avro: Object.fromEntries(
      [...avroSchemas].map(([name, schema]) => [name, lockEntry(name as SchemaName, schema)]),
    ),
    json: Object.fromEntries([...jsonSchemas].map(([file, schema]) => [file, digestOf(schema)])),
  };
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
