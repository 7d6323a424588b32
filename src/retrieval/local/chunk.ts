import { cutText, isBlank } from '../../text/text.js';
import type { Block, SourceDocument } from './document.js';
import { indexLimits } from './limits.js';
import type { IndexLimits } from './limits.js';

/** A passage: what is found, shown and cited. */
export interface Chunk {
  /** A slice of the document's text, never blank, at most `maxChunkChars`. */
  readonly content: string;
  /** Title and headings down to where the chunk begins, joined by " > ". */
  readonly breadcrumb: string;
  /** The heading that the chunk begins under; null before the first one. */
  readonly sectionTitle: string | null;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A heading and all that stands under it up to the next one. */
interface Section {
  readonly level: number;
  readonly trail: readonly string[];
  readonly blocks: readonly Block[];
}

interface Passage extends Span {
  readonly section: Section;
}

/**
 * Cuts a document into chunks. A heading begins a chunk, except that a short section is joined to the one
 * before it (when that is not below it) while both stay within `joinChars`. A section too long for one chunk
 * is cut between blocks; a block too long, code at line ends, text at line ends, sentences or words, and
 * where there is none of them between graphemes.
 */
export function cutChunks(document: SourceDocument, limits: IndexLimits = indexLimits): readonly Chunk[] {
  const passages: Passage[] = [];
  for (const section of sectionsOf(document.blocks)) {
    const span = spanOf(section.blocks);
    const last = passages.at(-1);
    if (last !== undefined && joins(last, section, span, limits)) {
      passages[passages.length - 1] = { ...last, end: span.end };
    } else {
      for (const piece of cutSection(document.text, section, limits)) passages.push({ ...piece, section });
    }
  }
  return passages.map((passage) => chunkOf(document, passage)).filter((chunk) => !isBlank(chunk.content));
}

function* sectionsOf(blocks: readonly Block[]): Generator<Section> {
  let trail: { level: number; heading: string }[] = [];
  let from = 0;
  for (const [index, block] of blocks.entries()) {
    if (block.kind !== 'heading') continue;
    if (index > from) yield sectionOf(trail, blocks.slice(from, index));
    trail = [...trail.filter((above) => above.level < block.level), block];
    from = index;
  }
  if (from < blocks.length) yield sectionOf(trail, blocks.slice(from));
}

function sectionOf(trail: readonly { level: number; heading: string }[], blocks: readonly Block[]): Section {
  return { level: trail.at(-1)?.level ?? 0, trail: trail.map((above) => above.heading), blocks };
}

function spanOf(spans: readonly Span[]): Span {
  return { start: spans[0]?.start ?? 0, end: spans.at(-1)?.end ?? 0 };
}

function joins(last: Passage, section: Section, span: Span, limits: IndexLimits): boolean {
  return section.level >= last.section.level && span.end - last.start <= limits.joinChars;
}

function* cutSection(text: string, section: Section, limits: IndexLimits): Generator<Span> {
  let open: Span | null = null;
  for (const block of section.blocks) {
    for (const piece of cutBlock(text, block, limits)) {
      if (open !== null && piece.end - open.start <= limits.maxChunkChars) {
        open = { start: open.start, end: piece.end };
      } else {
        if (open !== null) yield open;
        open = piece;
      }
    }
  }
  if (open !== null) yield open;
}

/** Pieces of a block leave room for a heading before them. */
function* cutBlock(text: string, block: Block, limits: IndexLimits): Generator<Span> {
  const room = limits.maxChunkChars - Math.floor(limits.maxChunkChars / 6);
  let start = block.start;
  while (block.end - start > room) {
    const length = cutLength(text.slice(start, start + 2 * room), room, block.kind === 'code');
    yield { start, end: start + length };
    start += length;
  }
  if (start < block.end) yield { start, end: block.end };
}

/** Where to cut `text`: after at most `room` characters, in the second half of them where that is possible. */
function cutLength(text: string, room: number, atLines: boolean): number {
  const head = text.slice(0, room);
  const breaks = atLines ? [/\n/g] : [/\n/g, /[.!?](?=\s)|[。！？；]/g, /\s/g];
  for (const pattern of breaks) {
    const last = [...head.matchAll(pattern)].at(-1);
    if (last !== undefined && last.index >= room / 2) return last.index + last[0].length;
  }
  const whole = cutText(text, room).length;
  // One grapheme longer than a chunk: a pile of combining marks, which nobody reads as one sign.
  return whole > 0 ? whole : head.toWellFormed() === head ? room : room - 1;
}

function chunkOf(document: SourceDocument, { start, end, section }: Passage): Chunk {
  const content = document.text.slice(start, end).trim();
  return {
    content,
    breadcrumb: withoutRepeat(document.title, section.trail).join(' > '),
    sectionTitle: section.trail.at(-1) ?? null,
  };
}

/** The title, then the headings; the first heading is left out where it says the title again. */
function withoutRepeat(title: string, trail: readonly string[]): readonly string[] {
  const [first, ...below] = trail;
  return [title, ...(first !== undefined && plain(first) === plain(title) ? below : trail)];
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}
