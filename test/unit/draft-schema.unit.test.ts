import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { render } from '../../scripts/generate-schemas.js';
import { avroType } from '../../src/contracts/codec.js';
import { camelCase } from '../../src/contracts/names.js';
import { isJsonObject, parseJson, toSnakeJson } from '../../src/contracts/json.js';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';
import { agentViewJsonSchema, agentViewSchema } from '../../src/guard/agent-view-schema.js';
import { readDraft } from '../../src/guard/draft.js';
import { draftJsonSchema, draftSchema } from '../../src/guard/draft-schema.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { loadCases } from '../support/cases.js';

interface GuardCase {
  readonly evidence: {
    readonly entries: readonly { readonly tool_call_id: string; readonly agent_view: string | null }[];
  };
  readonly draft_json: string;
}

const inputs = loadCases('guard').map((c) => [c.name, c.input as GuardCase] as const);
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const isDraft = ajv.compile(draftJsonSchema());
const isView = ajv.compile(agentViewJsonSchema());

/** JSON with the field names that the code has. */
function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [camelCase(key), camel(field)]));
}

const isAvro = (name: 'draft.v1' | 'agent-view.v1', value: unknown): boolean =>
  avroType(name).isValid(value, { noUndeclaredFields: true });

describe('the JSON Schemas on disk', () => {
  it('are what the zod schemas say', async () => {
    for (const [path, text] of await render()) expect(readFileSync(path, 'utf8'), path).toBe(text);
  });
});

describe('zod, Avro and JSON Schema agree on the draft', () => {
  it.each(inputs)('%s', (_, { draft_json: text }) => {
    const json = parseJson(text.replace(/^```\w*\n|\n```$/g, ''));
    const isZod = draftSchema().safeParse(json).success;
    expect(isDraft(json)).toBe(isZod);
    const reading = readDraft(text, defaultGuardLimits);
    // Only a key that stands twice is lost before a schema can see it.
    expect('draft' in reading).toBe(isZod && !text.includes('"conclusion":null,"conclusion"'));
    if (!('draft' in reading)) return;
    expect(isAvro('draft.v1', reading.draft)).toBe(true);
    // What is published is a draft again, in all three.
    const published = toSnakeJson(reading.draft);
    expect(isDraft(published)).toBe(true);
    expect(draftSchema().safeParse(published).success).toBe(true);
    expect(readDraft(JSON.stringify(published), defaultGuardLimits)).toEqual(reading);
    const binary = avroType('draft.v1').toBuffer(reading.draft);
    expect({ ...(avroType('draft.v1').fromBuffer(binary) as object) }).toEqual(reading.draft);
  });
});

describe('zod, Avro and JSON Schema agree on the agent view', () => {
  const views = inputs.flatMap(([name, { evidence }]) =>
    evidence.entries.flatMap(({ tool_call_id: id, agent_view: text }) =>
      text === null ? [] : [[`${name}: ${id}`, id, text] as const],
    ),
  );

  it.each(views)('%s', (_, id, text) => {
    const json = parseJson(text);
    const isZod = agentViewSchema.safeParse(json).success;
    expect(isView(json)).toBe(isZod);
    expect(isAvro('agent-view.v1', camel(json))).toBe(isZod);
    // The strict reader refuses more: a count that is off, another call, white space.
    if ('view' in parseAgentView(text, id)) expect(isZod).toBe(true);
  });

  it('and refuse one field too many', () => {
    const extra = views.filter(([name]) => name.endsWith(': extra'));
    expect(extra.length).toBeGreaterThan(0);
    for (const [, , text] of extra) expect(isView(parseJson(text))).toBe(false);
  });
});
