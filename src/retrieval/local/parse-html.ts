import { Parser } from 'htmlparser2';
import { cutText, isBlank } from '../../text/text.js';
import type { Block, SourceDocument } from './document.js';
import { indexLimits } from './limits.js';

/** What no reader of the page sees as its text. */
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object']);
/** Elements that begin on a line of their own. */
const ON_ITS_OWN =
  /^(address|article|aside|blockquote|body|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|thead|tr|ul|h[1-6])$/;

/**
 * HTML as the text that its reader sees: headings, paragraphs, preformatted text; scripts, styles and
 * attributes are gone. The title is the first heading's, else the page's own.
 */
export function parseHtml(html: string, fileTitle: string): SourceDocument {
  const page = createPage();
  const parser = new Parser(
    { onopentagname: page.open, ontext: page.text, onclosetag: page.close },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  const { text, blocks, pageTitle } = page.finish();
  const firstHeading = blocks.find((block) => block.kind === 'heading')?.heading;
  const title = [firstHeading, pageTitle].find((t) => t !== undefined && !isBlank(t));
  return {
    title: cutText(title ?? fileTitle, indexLimits.maxTitleChars),
    titled: title !== undefined,
    text,
    blocks,
  };
}

interface Page {
  readonly open: (name: string) => void;
  readonly text: (data: string) => void;
  readonly close: (name: string) => void;
  readonly finish: () => { text: string; blocks: readonly Block[]; pageTitle: string };
}

/** Builds text and blocks while the parser walks. Flat: depth of nesting costs nothing. */
function createPage(): Page {
  const blocks: Block[] = [];
  const done: string[] = [];
  let length = 0;
  let open: string[] = [];
  let kind: Block['kind'] = 'text';
  let level = 0;
  let unseen = 0;
  let inTitle = false;
  const title: string[] = [];

  const endBlock = () => {
    const written = kind === 'code' ? open.join('').replace(/^\n+|\s+$/g, '') : collapse(open.join(''));
    open = [];
    if (isBlank(written)) return;
    const start = length;
    const end = start + written.length;
    const heading = kind === 'heading' ? cutText(written, indexLimits.maxTitleChars) : '';
    blocks.push({ start, end, kind, level: kind === 'heading' ? level : 0, heading });
    done.push(written, '\n\n');
    length = end + 2;
  };
  const setKind = (name: string, opening: boolean) => {
    if (name === 'pre') kind = opening ? 'code' : 'text';
    if (!/^h[1-6]$/.test(name)) return;
    kind = opening ? 'heading' : 'text';
    level = Number(name.slice(1));
  };
  return {
    open(name) {
      if (name === 'title' && unseen === 0) inTitle = true;
      if (UNSEEN.has(name)) unseen += 1;
      if (unseen > 0) return;
      if (name === 'br') open.push('\n');
      else if (name === 'td' || name === 'th') open.push(' ');
      if (!ON_ITS_OWN.test(name)) return;
      endBlock();
      setKind(name, true);
    },
    text(data) {
      if (inTitle) title.push(data);
      else if (unseen === 0) open.push(data);
    },
    close(name) {
      if (name === 'title') inTitle = false;
      if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1);
      if (unseen > 0 || !ON_ITS_OWN.test(name)) return;
      endBlock();
      setKind(name, false);
    },
    finish() {
      endBlock();
      return { text: done.join(''), blocks, pageTitle: collapse(title.join('')) };
    },
  };
}

/** White space as a browser shows it. */
function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
