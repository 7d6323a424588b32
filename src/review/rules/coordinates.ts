import { mentionsIn } from '../../guard/coordinates.js';

/**
 * The text with every coordinate (`gw.md#chunk-1`) replaced by as many spaces: the guard checks it, and it is
 * neither a number nor a word of the claim. Places in the result are places in the text.
 */
export function maskCoordinates(text: string): string {
  let masked = '';
  let done = 0;
  for (const { end, written } of mentionsIn(text)) {
    const start = Math.max(end - written.length, done);
    masked += text.slice(done, start) + ' '.repeat(end - start);
    done = end;
  }
  return masked + text.slice(done);
}
