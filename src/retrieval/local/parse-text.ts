import { cutText, isBlank } from '../../text/text.js';
import { createBlockBuilder } from './block-builder.js';
import type { SourceDocument } from './document.js';
import { indexLimits } from './limits.js';
import { linesOf } from './parse-markdown.js';

/** Plain text: paragraphs, no headings, and the file's name for a title. */
export function parsePlainText(text: string, fileTitle: string): SourceDocument {
  const builder = createBlockBuilder();
  for (const line of linesOf(text)) {
    if (isBlank(line.text)) builder.close();
    else builder.extend(line, 'text');
  }
  builder.close();
  return {
    title: cutText(fileTitle, indexLimits.maxTitleChars),
    titled: false,
    text,
    blocks: builder.blocks,
  };
}
