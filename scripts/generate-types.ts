/**
 * Writes src/contracts/generated.ts from schemas/*.avsc: an interface for every record, a union for every
 * enum, and the schemas themselves, so that a built package needs no file of its own at run time.
 * `--check` writes nothing and exits 1 when the file on disk is stale.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { camelCase } from '../src/contracts/names.js';

type Schema = string | Schema[] | SchemaObject;
interface SchemaObject {
  type: string | SchemaObject;
  name?: string;
  namespace?: string;
  doc?: string;
  logicalType?: string;
  symbols?: string[];
  items?: Schema;
  values?: Schema;
  fields?: { name: string; type: Schema; doc?: string }[];
}

const PRIMITIVES: Record<string, string> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  double: 'number',
  string: 'string',
  bytes: 'Buffer',
};

export const TARGET = 'src/contracts/generated.ts';

function tsType(schema: Schema, declare: (s: SchemaObject) => void): string {
  if (typeof schema === 'string') return PRIMITIVES[schema] ?? schema;
  if (Array.isArray(schema)) {
    const branches = schema.filter((s) => s !== 'null').map((s) => tsType(s, declare));
    return [...branches, 'null'].join(' | ');
  }
  if (typeof schema.type !== 'string') return tsType(schema.type, declare);
  if (schema.type === 'array') return `readonly (${tsType(schema.items as Schema, declare)})[]`;
  if (schema.type === 'map') return `Readonly<Record<string, ${tsType(schema.values as Schema, declare)}>>`;
  if (schema.type === 'record' || schema.type === 'enum') {
    declare(schema);
    return schema.name as string;
  }
  return tsType(schema.type, declare);
}

function declaration(schema: SchemaObject, declare: (s: SchemaObject) => void): string {
  const doc = `/** ${schema.doc ?? ''} */`;
  if (schema.type === 'enum') {
    return `${doc}\nexport type ${schema.name} = ${(schema.symbols ?? []).map((s) => `'${s}'`).join(' | ')};`;
  }
  const fields = (schema.fields ?? []).map((f) => {
    const unit =
      typeof f.type === 'object' && !Array.isArray(f.type) && f.type.logicalType
        ? ' Epoch milliseconds.'
        : '';
    return `/** ${f.doc ?? ''}${unit} */\nreadonly ${camelCase(f.name)}: ${tsType(f.type, declare)};`;
  });
  return `${doc}\nexport interface ${schema.name} {\n${fields.join('\n')}\n}`;
}

/** Same type name, other shape: refused, since readers would not know which one is meant. */
export function generate(files: ReadonlyMap<string, SchemaObject>): string {
  const declared = new Map<string, string>();
  const declare = (schema: SchemaObject): void => {
    const text = declaration(schema, declare);
    const before = declared.get(schema.name as string);
    if (before !== undefined && before !== text)
      throw new Error(`${schema.name}: declared twice, differently`);
    declared.set(schema.name as string, text);
  };
  for (const schema of files.values()) declare(schema);
  const constants = [...files].map(([name, schema]) => `  '${name}': ${JSON.stringify(schema)},`).join('\n');
  return [
    '// Generated from schemas/*.avsc by `npm run generate`. Do not edit.',
    ...declared.values(),
    `/** Every schema by the name of its file, as it stands in schemas/. */\n// prettier-ignore\nexport const avroSchemas = {\n${constants}\n} as const;`,
    '/** Name of a schema: the topic without its prefix, or one of the two JSON contracts. */\nexport type SchemaName = keyof typeof avroSchemas;',
  ].join('\n\n');
}

export function readSchemas(dir = 'schemas'): Map<string, SchemaObject> {
  const names = readdirSync(dir)
    .filter((f) => f.endsWith('.avsc'))
    .sort();
  return new Map(
    names.map((f) => [
      f.replace(/\.avsc$/, ''),
      JSON.parse(readFileSync(`${dir}/${f}`, 'utf8')) as SchemaObject,
    ]),
  );
}

export async function render(): Promise<string> {
  return format(generate(readSchemas()), { parser: 'typescript', singleQuote: true, printWidth: 110 });
}

async function main(): Promise<void> {
  const text = await render();
  if (!process.argv.includes('--check')) {
    writeFileSync(TARGET, text);
  } else if (readFileSync(TARGET, 'utf8') !== text) {
    console.error(`${TARGET} is stale: run npm run generate`);
    process.exitCode = 1;
  }
}

if (process.argv[1]?.endsWith('generate-types.ts')) await main();
