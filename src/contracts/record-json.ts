import { avroSchemas, type SchemaName } from './generated.js';
import type { JsonObject } from './json.js';
import { camelCase } from './names.js';

/**
 * A message as programs and people read it: JSON with the names of its Avro schema (snake_case, in the schema's
 * order), instants as RFC 3339 UTC with milliseconds, bytes as base64. Texts that hold JSON, as `agent_view` and
 * `filters_json` do, stay the texts that they are. What is not in the schema is left out.
 */
export function recordToJson(name: SchemaName, message: object): JsonObject {
  let toJson = converters.get(name);
  if (toJson === undefined) {
    toJson = converterOf(avroSchemas[name], new Map());
    converters.set(name, toJson);
  }
  return toJson(message) as JsonObject;
}

/** An instant in RFC 3339 UTC; one beyond what a date can hold (a producer may send any) stays a number. */
export function instantToJson(epochMs: number): string | number {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? epochMs : date.toISOString();
}

type Converter = (value: unknown) => unknown;

const converters = new Map<SchemaName, Converter>();

/** The parts of an Avro schema that decide about its JSON form. */
interface ComplexType {
  readonly type: unknown;
  readonly name?: string;
  readonly logicalType?: string;
  readonly fields?: readonly { readonly name: string; readonly type: unknown }[];
  readonly items?: unknown;
  readonly values?: unknown;
}

const asIs: Converter = (value) => value;

/** @param named the named types that were met on the way, which later ones refer to by name */
function converterOf(schema: unknown, named: Map<string, Converter>): Converter {
  if (typeof schema === 'string') return schema === 'bytes' ? base64 : (named.get(schema) ?? asIs);
  if (Array.isArray(schema)) return ofUnion(schema, named);
  const complex = schema as ComplexType;
  if (complex.logicalType === 'timestamp-millis') return (value) => instantToJson(value as number);
  switch (complex.type) {
    case 'record':
      return ofRecord(complex, named);
    case 'array':
      return ofArray(converterOf(complex.items, named));
    case 'map':
      return ofMap(converterOf(complex.values, named));
    default:
      return converterOf(complex.type, named);
  }
}

function base64(value: unknown): unknown {
  return (value as Buffer).toString('base64');
}

/** The contracts know one kind of union: a type, or null. */
function ofUnion(branches: readonly unknown[], named: Map<string, Converter>): Converter {
  const [branch, ...others] = branches.filter((each) => each !== 'null');
  if (branch === undefined || others.length > 0) throw new Error('a union is of more than null and one type');
  const toJson = converterOf(branch, named);
  return (value) => (value === null || value === undefined ? null : toJson(value));
}

function ofRecord({ name = '', fields = [] }: ComplexType, named: Map<string, Converter>): Converter {
  const parts: { readonly json: string; readonly key: string; readonly toJson: Converter }[] = [];
  const toJson: Converter = (value) => {
    const record = value as Readonly<Record<string, unknown>>;
    const json: Record<string, unknown> = {};
    for (const part of parts) json[part.json] = part.toJson(record[part.key]);
    return json;
  };
  // Known before its fields are: a type may hold itself.
  named.set(name, toJson);
  for (const field of fields)
    parts.push({ json: field.name, key: camelCase(field.name), toJson: converterOf(field.type, named) });
  return toJson;
}

function ofArray(toJson: Converter): Converter {
  return (value) => (value as readonly unknown[]).map(toJson);
}

/** Keys of a map are data: any text, `__proto__` too. */
function ofMap(toJson: Converter): Converter {
  return (value) =>
    Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, toJson(item)]));
}
