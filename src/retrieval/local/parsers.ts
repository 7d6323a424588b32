import { extname } from 'node:path';
import type { ParseDocument } from './document.js';
import { parseHtml } from './parse-html.js';
import { parseMarkdown } from './parse-markdown.js';
import { parsePlainText } from './parse-text.js';

const BY_EXTENSION: ReadonlyMap<string, ParseDocument> = new Map([
  ['.md', parseMarkdown],
  ['.mdx', parseMarkdown],
  ['.markdown', parseMarkdown],
  ['.txt', parsePlainText],
  ['.html', parseHtml],
  ['.htm', parseHtml],
]);

/** What reads a file of this name; null when nothing does. */
export function parserOf(name: string): ParseDocument | null {
  return BY_EXTENSION.get(extname(name).toLowerCase()) ?? null;
}
