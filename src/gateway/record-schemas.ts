import * as z from 'zod';
import { avroSchemas } from '../contracts/generated.js';
import type { TopicName } from '../contracts/topics.js';

/** The JSON form of the line's records as zod schemas, made from their Avro schemas: `recordToJson` writes what they say. */

interface Complex {
  readonly type: unknown;
  readonly logicalType?: string;
  readonly name?: string;
  readonly doc?: string;
  readonly fields?: readonly { readonly name: string; readonly type: unknown; readonly doc?: string }[];
  readonly symbols?: readonly string[];
  readonly items?: unknown;
  readonly values?: unknown;
}

type Named = Map<string, z.ZodType>;

const PLAIN: Readonly<Record<string, z.ZodType>> = {
  string: z.string(),
  boolean: z.boolean(),
  int: z.int32(),
  long: z.int(),
  double: z.number(),
  bytes: z.string().describe('base64'),
};

export function recordSchema(topic: TopicName): z.ZodType {
  return schemaOf(avroSchemas[topic], new Map());
}

/** @param named the named types that were met on the way, which later ones refer to by name */
function schemaOf(avro: unknown, named: Named): z.ZodType {
  if (typeof avro === 'string') return PLAIN[avro] ?? named.get(avro) ?? z.unknown();
  if (Array.isArray(avro)) {
    const [branch] = (avro as readonly unknown[]).filter((each) => each !== 'null');
    return schemaOf(branch, named).nullable();
  }
  const complex = avro as Complex;
  if (complex.logicalType === 'timestamp-millis') return z.string().meta({ format: 'date-time' });
  switch (complex.type) {
    case 'record':
      return recordOf(complex, named);
    case 'enum':
      return remember(complex, z.enum((complex.symbols ?? []) as [string, ...string[]]), named);
    case 'array':
      return z.array(schemaOf(complex.items, named));
    case 'map':
      return z.record(z.string(), schemaOf(complex.values, named));
    default:
      return schemaOf(complex.type, named);
  }
}

function recordOf(complex: Complex, named: Named): z.ZodType {
  const fields = (complex.fields ?? []).map(({ name, type, doc }) => {
    const schema = schemaOf(type, named);
    return [name, doc === undefined ? schema : schema.describe(doc)] as const;
  });
  return remember(complex, z.object(Object.fromEntries(fields)), named);
}

function remember({ name = '', doc }: Complex, schema: z.ZodType, named: Named): z.ZodType {
  const described = doc === undefined ? schema : schema.describe(doc);
  named.set(name, described);
  return described;
}
