import type { JsonObject } from '../contracts/json.js';
import { isJsonObject } from '../contracts/json.js';
import type { KitItem, KitSchema } from './kit.js';
import { anthropicTool, openAiTool } from './tool-definition.js';

/** The forms in which the kit is handed to a provider. */
export const promptFormats = ['text', 'openai', 'anthropic', 'json'] as const;
export type PromptFormat = (typeof promptFormats)[number];

/** `response_format` of OpenAI's Chat Completions with structured outputs. */
export function openAiResponseFormat({ schema }: KitSchema): JsonObject {
  return { type: 'json_schema', json_schema: { name: 'draft', strict: true, schema } };
}

const HAND_IN = 'Hands the report in. Its citations are checked against what the lookups of this run showed.';

/** The draft as the arguments of a tool, for who gets structure from tools alone. */
export function anthropicDraftTool({ schema }: KitSchema): JsonObject {
  return anthropicTool({ name: 'submit_draft', description: HAND_IN, parameters: schema });
}

/** The item in a form: as a text, or as what stands in a request to the provider. */
export function inForm(item: KitItem, format: PromptFormat): string | JsonObject {
  switch (format) {
    case 'text':
      return contentOf(item);
    case 'openai':
      return openAiForm(item);
    case 'anthropic':
      return anthropicForm(item);
    case 'json':
      return jsonForm(item);
  }
}

function contentOf(item: KitItem): string | JsonObject {
  switch (item.name) {
    case 'system':
      return item.text;
    case 'draft':
      return item.schema;
    case 'lookup_knowledge':
      return { ...item.tool };
  }
}

function openAiForm(item: KitItem): JsonObject {
  switch (item.name) {
    case 'system':
      return { role: 'system', content: item.text };
    case 'draft':
      return openAiResponseFormat(item);
    case 'lookup_knowledge':
      return openAiTool(item.tool);
  }
}

function anthropicForm(item: KitItem): JsonObject {
  switch (item.name) {
    case 'system':
      return { type: 'text', text: item.text };
    case 'draft':
      return anthropicDraftTool(item);
    case 'lookup_knowledge':
      return anthropicTool(item.tool);
  }
}

function jsonForm(item: KitItem): JsonObject {
  const { id, version, sha256, language } = item;
  const content = contentOf(item);
  return {
    id,
    version,
    sha256,
    language,
    ...(isJsonObject(content) ? { json: content } : { text: content }),
  };
}
