import { isJsonObject, type JsonObject } from '../../src/contracts/json.js';

/**
 * The documented restrictions on schemas that providers enforce while a model writes, as of the beginning of 2026.
 *
 * OpenAI, structured outputs with `strict: true`: the root is an object and no anyOf; every field of an object is in
 * `required`; `additionalProperties` is false everywhere; no allOf, not, dependentRequired, dependentSchemas, if, then,
 * else, and for fine-tuned models no limits on texts, numbers, objects and lists; at most 5,000 fields, 10 levels of
 * objects, 120,000 characters in names and values, 1,000 values of enums. (Before: 100 fields and 5 levels.)
 * Anthropic, strict tools and structured outputs: `additionalProperties` is false; no limits on numbers, texts and
 * lists; nothing recursive; at most 16 fields of more than one type, and 24 that are optional.
 */
const KEYWORDS = new Set([
  'type',
  'description',
  'enum',
  'anyOf',
  'items',
  'properties',
  'required',
  'additionalProperties',
]);
const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const FIELDS = 100;
const LEVELS = 5;
const CHARACTERS = 120_000;
const ENUM_VALUES = 1000;
const UNIONS = 16;

/** What a provider would refuse of the schema; empty for one that all of them take. */
export function strictModeProblems(schema: JsonObject): string[] {
  const problems: string[] = [];
  const totals = { fields: 0, characters: 0, enumValues: 0, unions: 0 };

  function look(node: unknown, path: string, level: number): void {
    if (!isJsonObject(node)) {
      problems.push(`${path} is no schema`);
      return;
    }
    for (const key of Object.keys(node)) if (!KEYWORDS.has(key)) problems.push(`${path} has ${key}`);
    const types = [node['type'] ?? []].flat();
    for (const type of types)
      if (!TYPES.has(type as string)) problems.push(`${path} has a type that is none`);
    const anyOf = node['anyOf'];
    if (types.length === 0 && !Array.isArray(anyOf)) problems.push(`${path} has no type`);
    if (types.length > 1 || Array.isArray(anyOf)) totals.unions++;
    if (Array.isArray(node['enum'])) {
      totals.enumValues += node['enum'].length;
      totals.characters += node['enum'].join('').length;
    }
    if (Array.isArray(anyOf)) anyOf.forEach((each, i) => look(each, `${path}/anyOf/${i}`, level));
    if (types.includes('array')) look(node['items'], `${path}/items`, level);
    if (types.includes('object')) lookAtObject(node, path, level + 1);
  }

  function lookAtObject(node: JsonObject, path: string, level: number): void {
    if (level > LEVELS) problems.push(`${path} is on level ${level}`);
    if (node['additionalProperties'] !== false) problems.push(`${path} lets other fields in`);
    const properties = isJsonObject(node['properties']) ? node['properties'] : {};
    const names = Object.keys(properties);
    const required = new Set([node['required'] ?? []].flat());
    for (const name of names) if (!required.has(name)) problems.push(`${path}/${name} is optional`);
    if (required.size !== names.length) problems.push(`${path} requires what it does not have`);
    totals.fields += names.length;
    totals.characters += names.join('').length;
    for (const [name, field] of Object.entries(properties)) look(field, `${path}/${name}`, level);
  }

  if (schema['type'] !== 'object' || 'anyOf' in schema) problems.push('the root is no object');
  look(schema, '', 0);
  if (totals.fields > FIELDS) problems.push(`it has ${totals.fields} fields`);
  if (totals.characters > CHARACTERS)
    problems.push(`its names and values have ${totals.characters} characters`);
  if (totals.enumValues > ENUM_VALUES) problems.push(`its enums have ${totals.enumValues} values`);
  if (totals.unions > UNIONS) problems.push(`it has ${totals.unions} fields of more than one type`);
  return problems;
}
