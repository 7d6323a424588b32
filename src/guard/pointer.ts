/** A JSON pointer (RFC 6901): `/analysis/0/text`; the empty one means the whole document. */
export function pointer(segments: readonly PropertyKey[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join('');
}

/** A pointer longer than this is no help, and thousands of them would be a burden. */
const MAX_CHARS = 500;

/** A pointer to a place with names that we did not choose: empty where it would be too long. */
export function pointerToForeign(segments: readonly PropertyKey[]): string {
  const chars = segments.reduce((sum: number, segment) => sum + String(segment).length + 1, 0);
  return chars > MAX_CHARS ? '' : pointer(segments);
}

function escapeSegment(segment: string): string {
  const text = segment.toWellFormed();
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}
