/** The prompt kit: what a model is told, what it writes and what it asks with, each with its version and digest. */
export { draftOutputSchema } from './draft-output-schema.js';
export { anthropicDraftTool, inForm, openAiResponseFormat, type PromptFormat } from './forms.js';
export {
  draftSchemaItem,
  kitItem,
  lookupToolItem,
  promptKit,
  promptRefOf,
  systemPrompt,
  type KitItem,
} from './kit.js';
export { languages, type Language } from './language.js';
export { lookupTool } from './lookup-tool.js';
export { anthropicTool, mcpTool, openAiTool, type ToolDefinition } from './tool-definition.js';
