import { markerAt, opensMarker, type Marker } from './marker.js';

/**
 * Markers that an answer copied out of the evidence along with the words around them. They are the document's own and
 * cite nothing: a document that says `[1]` must not make the answer cite S1.
 */

/** Characters beside a marker that make a copy of it, and the fewest where a snippet has no more. */
const AROUND = 24;
const FEWEST = 8;
/** Markers of the evidence that are looked at, and shapes; no honest passages have as many. */
const MOST = 10_000;
const SHAPES = 64;

/** Markers with so many characters before and after them, as they stand in the evidence. */
interface Shape {
  readonly before: number;
  readonly after: number;
  readonly texts: Set<string>;
}

/** Tells whether a marker of the answer is a copy from one of the snippets. */
export function copyDetector(snippets: readonly string[]): (answer: string, marker: Marker) => boolean {
  const shapes = new Map<number, Shape>();
  let left = MOST;
  for (const snippet of snippets)
    for (const marker of markersIn(snippet)) {
      if (left === 0) break;
      left -= 1;
      remember(snippet, marker, shapes);
    }
  return (answer, { start, end }) => {
    for (const { before, after, texts } of shapes.values())
      if (start >= before && texts.has(answer.slice(start - before, end + after))) return true;
    return false;
  };
}

function* markersIn(text: string): Generator<Marker> {
  for (let at = 0; at < text.length;) {
    const marker = opensMarker(text.charCodeAt(at)) ? markerAt(text, at) : null;
    if (marker !== null) yield marker;
    at = marker?.end ?? at + 1;
  }
}

/** The words before it, and where a snippet begins with less, words behind it. */
function remember(snippet: string, { start, end }: Marker, shapes: Map<number, Shape>): void {
  const before = Math.min(AROUND, start);
  const after = Math.min(AROUND - before, snippet.length - end);
  if (before + after < FEWEST) return;
  const name = before * (AROUND + 1) + after;
  const shape = shapes.get(name) ?? { before, after, texts: new Set() };
  if (!shapes.has(name) && shapes.size === SHAPES) return;
  shapes.set(name, shape);
  shape.texts.add(snippet.slice(start - before, end + after));
}
