import type { ToolInvocation } from '../contracts/generated.js';
import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';

/** The key fields that a station noted beside the columns. Written by this version or another: nothing is sure. */
export function factsOf(note: Pick<ToolInvocation, 'factsJson'> | undefined): JsonObject {
  const facts = note === undefined ? undefined : parseJson(note.factsJson);
  return isJsonObject(facts) ? facts : {};
}

export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
