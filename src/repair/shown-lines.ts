import type { ShownLookup } from '../contracts/generated.js';
import type { PromptSentences } from './languages.js';
import { quotedData } from './quoted-data.js';

/** An id that is longer than this cannot be copied from a prompt anyway. */
const ID_CHARS = 300;
const TITLE_CHARS = 120;

/**
 * What the cited lookups showed, ids and titles alone: never an excerpt, and never what was not shown.
 * @param budget UTF-16 units of all lines together
 */
export function shownLines(
  shown: readonly ShownLookup[],
  say: PromptSentences,
  budget: number,
): readonly string[] {
  const lines = shown.flatMap((lookup) => lookupLines(lookup, say));
  if (lines.length === 0) return [say.nothingShown];
  const kept: string[] = [];
  let left = budget;
  for (const line of lines) {
    if (line.length > left) break;
    left -= line.length + 1;
    kept.push(line);
  }
  const more = lines.length - kept.length;
  return [say.shown, ...kept, ...(more === 0 ? [] : [`- ${say.moreShown(more)}`])];
}

function lookupLines(
  { toolCallId, evidenceStatus, truncated, items }: ShownLookup,
  say: PromptSentences,
): string[] {
  const call = quotedData(toolCallId, ID_CHARS);
  return [
    `- ${say.lookup(call, evidenceStatus === 'EVIDENCE_FOUND', truncated)}`,
    ...items.map(({ documentId, title }) => {
      const id = quotedData(documentId, ID_CHARS);
      return `  - ${say.document(id, title === null ? null : quotedData(title, TITLE_CHARS))}`;
    }),
  ];
}
