import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import { unwrapped } from '../guard/draft.js';

/** Strings are passed over; an unterminated one ends with the text, so that this is linear. */
const NOT_A_NUMBER = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/g;

/**
 * The one JSON object of a model's answer, or null: in a Markdown fence or not, and with nothing around it. A bare NaN
 * or Infinity, which some languages write as JSON, becomes the string of it: it is no number, and nothing else is lost.
 */
export function opinionJson(text: string): JsonObject | null {
  const json = unwrapped(text);
  const value = parseJson(json) ?? parseJson(json.replace(NOT_A_NUMBER, quoted));
  return isJsonObject(value) ? value : null;
}

function quoted(token: string): string {
  return token.startsWith('"') ? token : `"${token}"`;
}
