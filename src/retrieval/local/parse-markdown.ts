import { cutText, isBlank } from '../../text/text.js';
import { createBlockBuilder } from './block-builder.js';
import type { BlockBuilder, Span } from './block-builder.js';
import type { Block, SourceDocument } from './document.js';
import { readFrontMatter } from './front-matter.js';
import { indexLimits } from './limits.js';

/**
 * Markdown as blocks: headings (`#` and underlined), fenced code, and what blank lines set apart. No more of
 * the syntax is understood, for chunks are slices of the text as its author wrote it.
 */
export function parseMarkdown(text: string, fileTitle: string): SourceDocument {
  const frontMatter = readFrontMatter(text);
  const blocks = readBlocks(text, frontMatter.end);
  const firstHeading = blocks.find((block) => block.kind === 'heading')?.heading;
  const title = [frontMatter.title, firstHeading].find((t) => typeof t === 'string' && !isBlank(t));
  return {
    title: cutText(title ?? fileTitle, indexLimits.maxTitleChars),
    titled: typeof title === 'string',
    text,
    blocks,
  };
}

interface Line extends Span {
  readonly text: string;
}

function readBlocks(text: string, from: number): readonly Block[] {
  const builder = createBlockBuilder();
  let fence: string | null = null;
  let before = '';
  for (const line of linesOf(text, from)) {
    fence = readLine(builder, line, before, fence);
    before = line.text;
  }
  builder.close();
  return builder.blocks;
}

export function* linesOf(text: string, from = 0): Generator<Line> {
  for (let start = from; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield { start, end, text: text.slice(start, end) };
    start = end + 1;
  }
}

/** Adds a line to its block. `fence` is the mark that opened the code it stands in; returns the one after it. */
function readLine(builder: BlockBuilder, line: Line, before: string, fence: string | null): string | null {
  if (fence !== null) return readCode(builder, line, fence);
  const opening = fenceOf(line.text);
  if (opening !== null) {
    builder.close();
    builder.extend(line, 'code');
    return opening;
  }
  if (isBlank(line.text)) builder.close();
  else if (!readHeading(builder, line, before)) builder.extend(line, 'text');
  return null;
}

function readCode(builder: BlockBuilder, line: Line, fence: string): string | null {
  builder.extend(line, 'code');
  const closing = fenceOf(line.text);
  const closes = closing?.startsWith(fence) === true && line.text.trim() === closing;
  if (!closes) return fence;
  builder.close();
  return null;
}

/** The run of backticks or tildes that fences code. Deep indents are code in a list. */
function fenceOf(line: string): string | null {
  return /^[ \t]{0,12}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
}

function readHeading(builder: BlockBuilder, line: Line, before: string): boolean {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line.text)?.[1];
  if (marks !== undefined) {
    builder.heading(line, marks.length, plainHeading(line.text.trim().slice(marks.length)));
    return true;
  }
  // An underline below a paragraph of one line; below a list, table or quote it is none.
  const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(line.text)?.[1];
  if (underline === undefined || builder.openLines !== 1 || /^\s*([|>*+-]|\d+[.)])/.test(before))
    return false;
  builder.heading(line, underline.startsWith('=') ? 1 : 2, plainHeading(before), { over: true });
  return true;
}

/** The words of a heading: no markup, no link targets, no anchors. */
function plainHeading(raw: string): string {
  const words = cutText(raw, 1000)
    .replace(/[ \t]#+[ \t]*$/, '')
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/\{#[^{}]*\}\s*$/, '')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/[`*]/g, '');
  return cutText(words.replace(/\s+/g, ' ').trim(), indexLimits.maxTitleChars);
}
