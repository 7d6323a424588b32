import type { JsonObject } from '../contracts/json.js';

/** A tool that a model may call, and the forms in which providers are told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, in the subset that `draftOutputSchema` describes. */
  readonly parameters: JsonObject;
}

/** An element of `tools` in OpenAI's Chat Completions, and in what is compatible with it. */
export function openAiTool({ name, description, parameters }: ToolDefinition): JsonObject {
  return { type: 'function', function: { name, description, strict: true, parameters } };
}

/** An element of `tools` in Anthropic's Messages. */
export function anthropicTool({ name, description, parameters }: ToolDefinition): JsonObject {
  return { name, description, strict: true, input_schema: parameters };
}

/** A tool as the Model Context Protocol lists it. */
export function mcpTool({ name, description, parameters }: ToolDefinition): {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
} {
  return { name, description, inputSchema: { ...parameters, type: 'object' } };
}
