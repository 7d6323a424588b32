import { Tokenizer } from 'htmlparser2';
import { cutText, isBlank } from '../../text/text.js';
import type { Block, SourceDocument } from './document.js';
import { indexLimits } from './limits.js';

/**
 * HTML as the text that its reader sees: headings, paragraphs, preformatted text; scripts, styles and
 * attributes are gone. The title is the first heading's, else the page's own.
 */
export function parseHtml(html: string, fileTitle: string): SourceDocument {
  const page = createPage();
  tokenize(html, page);
  const { text, blocks, title: pageTitle } = page.finish();
  const firstHeading = blocks.find((block) => block.kind === 'heading')?.heading;
  const title = [firstHeading, pageTitle].find((t) => t !== undefined && !isBlank(t));
  return {
    title: cutText(title ?? fileTitle, indexLimits.maxTitleChars),
    titled: title !== undefined,
    text,
    blocks,
  };
}

/** What the tags and the text between them do to a page. */
interface PageWriter {
  open(name: string): void;
  text(data: string): void;
  close(name: string): void;
}

/** Tells tags from text. No tree is built, for the time that takes grows with the square of its depth. */
function tokenize(html: string, writer: PageWriter): void {
  let last = '';
  const nothing = () => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => writer.open((last = nameOf(html, start, end))),
      onclosetag: (start, end) => writer.close(nameOf(html, start, end)),
      onselfclosingtag: () => last === 'svg' && writer.close(last),
      ontext: (start, end) => writer.text(html.slice(start, end)),
      ontextentity: (codePoint) => writer.text(String.fromCodePoint(codePoint)),
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

/** A longer name is of no element that is known here. */
function nameOf(html: string, start: number, end: number): string {
  return html.slice(start, Math.min(end, start + 20)).toLowerCase();
}

/** What no reader of the page sees as its text. */
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object']);
/** Elements that begin on a line of their own. */
const ON_ITS_OWN =
  /^(address|article|aside|blockquote|body|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|thead|tr|ul|h[1-6])$/;

interface Page extends PageWriter {
  finish(): { readonly text: string; readonly blocks: readonly Block[]; readonly title: string };
}

function createPage(): Page {
  const body = createBody();
  const title: string[] = [];
  let unseen = 0;
  let inTitle = false;
  return {
    open(name) {
      if (name === 'title' && unseen === 0) inTitle = true;
      if (UNSEEN.has(name)) unseen += 1;
      if (unseen > 0) return;
      if (name === 'br') body.write('\n');
      if (name === 'td' || name === 'th') body.write(' ');
      if (ON_ITS_OWN.test(name)) body.turn(name, true);
    },
    text(data) {
      if (inTitle) title.push(data);
      else if (unseen === 0) body.write(data);
    },
    close(name) {
      if (name === 'title') inTitle = false;
      if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1);
      if (unseen === 0 && ON_ITS_OWN.test(name)) body.turn(name, false);
    },
    finish: () => ({ ...body.finish(), title: collapse(title.join('')) }),
  };
}

/** The text of a page in blocks. */
function createBody() {
  const blocks: Block[] = [];
  const done: string[] = [];
  let length = 0;
  let open: string[] = [];
  let kind: Block['kind'] = 'text';
  let level = 0;

  const endBlock = () => {
    const written = kind === 'code' ? trimLines(open.join('')) : collapse(open.join(''));
    open = [];
    if (isBlank(written)) return;
    const heading = kind === 'heading' ? cutText(written, indexLimits.maxTitleChars) : '';
    blocks.push({ start: length, end: length + written.length, kind, level, heading });
    done.push(written, '\n\n');
    length += written.length + 2;
  };
  return {
    write: (data: string) => void open.push(data),
    /** An element that stands on its own begins or ends. */
    turn(name: string, begins: boolean) {
      endBlock();
      level = begins && /^h[1-6]$/.test(name) ? Number(name.slice(1)) : 0;
      if (name === 'pre') kind = begins ? 'code' : 'text';
      else if (level > 0) kind = 'heading';
      else if (kind === 'heading') kind = 'text';
    },
    finish() {
      endBlock();
      return { text: done.join(''), blocks };
    },
  };
}

/** White space as a browser shows it. */
function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Preformatted text without the empty lines around it. */
function trimLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
