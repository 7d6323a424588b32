import canonicalize from 'canonicalize';
import { sha256 } from '../contracts/digest.js';
import type { PromptRef } from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { draftOutputSchema } from './draft-output-schema.js';
import { languages, type Language } from './language.js';
import { lookupTool } from './lookup-tool.js';
import { systemEn } from './system-en.js';
import { systemZh } from './system-zh.js';
import type { ToolDefinition } from './tool-definition.js';

/**
 * What a model is given so that it writes drafts that can be checked. Every item has an id, a version and a digest:
 * of a text the SHA-256 of its UTF-8 bytes, of anything else that of its RFC 8785 JSON. A text that changes has a new
 * version; the tests hold every version to its digest.
 */
export type KitItem = SystemPrompt | KitSchema | KitTool;

interface KitItemBase extends PromptRef {
  /** What the item is asked for by, together with its language. */
  readonly name: KitName;
  /** Null where it is the same in every language. */
  readonly language: Language | null;
}

export interface SystemPrompt extends KitItemBase {
  readonly name: 'system';
  readonly text: string;
}

export interface KitSchema extends KitItemBase {
  readonly name: 'draft';
  readonly schema: JsonObject;
}

export interface KitTool extends KitItemBase {
  readonly name: 'lookup_knowledge';
  readonly tool: ToolDefinition;
}

export const kitNames = ['system', 'draft', 'lookup_knowledge'] as const;
export type KitName = (typeof kitNames)[number];

/** Raised whenever what it stands for changes. */
const VERSIONS: Readonly<Record<KitName, string>> = { system: '2', draft: '1', lookup_knowledge: '1' };

const SYSTEM: Readonly<Record<Language, string>> = { en: systemEn, zh: systemZh };

/** The system prompt in one language. */
export function systemPrompt(language: Language): SystemPrompt {
  const text = SYSTEM[language];
  return { ...itemOf('system', language, sha256(text)), name: 'system', text };
}

/** The schema of the draft for structured outputs. */
export function draftSchemaItem(): KitSchema {
  const schema = draftOutputSchema();
  return { ...itemOf('draft', null, digestOf(schema)), name: 'draft', schema };
}

/** The tool by which the model asks. */
export function lookupToolItem(language: Language): KitTool {
  const tool = lookupTool(language);
  return {
    ...itemOf('lookup_knowledge', language, digestOf(tool)),
    name: 'lookup_knowledge',
    tool,
  };
}

/** The whole kit. */
export function promptKit(): readonly KitItem[] {
  return [
    ...languages.map(systemPrompt),
    draftSchemaItem(),
    ...languages.map((language) => lookupToolItem(language)),
  ];
}

/** The item of this id (`proofline.system.en`), or of this name in a language (`system`); null for none. */
export function kitItem(idOrName: string, language: Language = 'en'): KitItem | null {
  const named = (item: KitItem): boolean =>
    item.id === idOrName ||
    (item.name === idOrName && (item.language === null || item.language === language));
  return promptKit().find(named) ?? null;
}

/** What a draft says of the prompt that its model was given. */
export function promptRefOf({ id, version, sha256: digest }: PromptRef): PromptRef {
  return { id, version, sha256: digest };
}

function itemOf(
  name: KitName,
  language: Language | null,
  digest: string,
): PromptRef & { language: Language | null } {
  const id = ['proofline', name, ...(language === null ? [] : [language])].join('.');
  return { id, version: VERSIONS[name], sha256: digest, language };
}

function digestOf(value: object): string {
  return sha256(canonicalize(value) ?? '');
}
