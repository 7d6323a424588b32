import type { Draft, Place } from '../contracts/generated.js';
import { isJsonObject } from '../contracts/json.js';
import { camelCase } from '../contracts/names.js';
import { isBlank } from '../text/text.js';

/**
 * The words of the draft that a JSON pointer is about: the text or id that stands there or, where it names a list or
 * something that is missing, the text of what it belongs to. `span` is a stretch of the text.
 * Null where there is nothing to show.
 */
export function wordsAt(draft: Draft, path: string, span: Place | null = null): string | null {
  let owner: unknown = draft;
  let value: unknown = draft;
  for (const segment of path.split('/').slice(1)) {
    if (isJsonObject(value) && typeof value['text'] === 'string') owner = value;
    value = memberOf(value, segment);
  }
  if (typeof value === 'string') return shownOrNull(span === null ? value : stretch(value, span));
  const text = isJsonObject(owner) ? owner['text'] : undefined;
  return typeof text === 'string' ? shownOrNull(text) : null;
}

function memberOf(value: unknown, segment: string): unknown {
  if (Array.isArray(value))
    return /^\d{1,6}$/.test(segment) ? (value as unknown[])[Number(segment)] : undefined;
  const name = camelCase(segment);
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** All of the text where the place is none of it. */
function stretch(text: string, { start, end }: Place): string {
  return start >= 0 && start < end && end <= text.length ? text.slice(start, end) : text;
}

function shownOrNull(text: string): string | null {
  return isBlank(text) ? null : text;
}
