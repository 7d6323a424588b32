import { isJsonObject, type JsonObject } from '../contracts/json.js';
import { draftJsonSchema } from '../guard/draft-schema.js';

/**
 * The draft's JSON Schema as providers can enforce it while a model writes: the subset that OpenAI's strict mode,
 * Anthropic's tools and plain JSON modes all take. Derived from the guard's own, so that the two cannot differ.
 *
 * Every field is required and no other is allowed. What the guard takes as absent is asked for as an empty list; what
 * it takes as null stays null where that is of use (`conclusion`, `prefix`, `suffix`), and is a string elsewhere,
 * because a text without words is refused. Limits that the subset cannot express are said in the descriptions.
 */
export function draftOutputSchema(): JsonObject {
  return strict(draftJsonSchema());
}

function strict(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf, items, properties } = schema;
  return {
    ...(type === undefined ? {} : { type }),
    ...described(schema),
    ...(values === undefined ? {} : { enum: values }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => strict(each as JsonObject)) } : {}),
    ...(isJsonObject(items) ? { items: strict(items) } : {}),
    ...(isJsonObject(properties) ? strictFields(properties) : {}),
  };
}

function strictFields(properties: JsonObject): JsonObject {
  const fields = Object.entries(properties).map(([name, field]) => {
    const schema = strict(field as JsonObject);
    return [name, name === 'text' ? { ...schema, type: 'string' } : schema];
  });
  return {
    properties: Object.fromEntries(fields) as JsonObject,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function described({ description, maxItems }: JsonObject): JsonObject {
  if (typeof description !== 'string') return {};
  return { description: typeof maxItems === 'number' ? `${description} At most ${maxItems}.` : description };
}
