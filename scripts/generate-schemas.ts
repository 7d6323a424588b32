/**
 * Writes the JSON Schemas of the two JSON contracts, schemas/draft.v1.schema.json and
 * schemas/agent-view.v1.schema.json, from the zod schemas that the guard checks with.
 * `--check` writes nothing and exits 1 when a file on disk is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { agentViewJsonSchema } from '../src/guard/agent-view-schema.js';
import { draftJsonSchema } from '../src/guard/draft-schema.js';

const SCHEMAS: Readonly<Record<string, () => Record<string, unknown>>> = {
  'schemas/agent-view.v1.schema.json': agentViewJsonSchema,
  'schemas/draft.v1.schema.json': draftJsonSchema,
};

/** The text of every file by its path. */
export async function render(): Promise<Map<string, string>> {
  const files = Object.entries(SCHEMAS).map(async ([path, schema]) => {
    const text = await format(JSON.stringify(schema()), { parser: 'json', printWidth: 110 });
    return [path, text] as const;
  });
  return new Map(await Promise.all(files));
}

async function main(): Promise<void> {
  const isCheck = process.argv.includes('--check');
  for (const [path, text] of await render()) {
    if (!isCheck) {
      writeFileSync(path, text);
    } else if (readFileSync(path, 'utf8') !== text) {
      console.error(`${path} is stale: run npm run generate`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1]?.endsWith('generate-schemas.ts')) await main();
