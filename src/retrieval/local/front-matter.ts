/** The header of settings that site generators put before a document: YAML between `---`, TOML between `+++`. */
export interface FrontMatter {
  /** Where the document's own text begins. */
  readonly end: number;
  /** Its `title`, when that is a plain or quoted string on one line. */
  readonly title: string | null;
}

const NONE: FrontMatter = { end: 0, title: null };
/** A longer header is taken for text. */
const MAX_CHARS = 64 * 1024;

export function readFrontMatter(text: string): FrontMatter {
  const fence = text.slice(0, 3);
  if ((fence !== '---' && fence !== '+++') || text[3] !== '\n') return NONE;
  const close = text.slice(0, MAX_CHARS).indexOf(`\n${fence}`, 3);
  if (close === -1) return NONE;
  const lineEnd = text.indexOf('\n', close + 1);
  const closing = text.slice(close + 1, lineEnd === -1 ? undefined : Math.min(lineEnd, close + 100));
  if (closing.trimEnd() !== fence) return NONE;
  return { end: lineEnd === -1 ? text.length : lineEnd + 1, title: titleOf(text.slice(4, close)) };
}

function titleOf(header: string): string | null {
  const line = header.split('\n').find((candidate) => /^title[ \t]*[:=]/.test(candidate));
  if (line === undefined) return null;
  const value = line.slice(line.search(/[:=]/) + 1).trim();
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(value);
  const title = quoted === null ? value : (quoted[1] ?? quoted[2] ?? '');
  // A title that goes on over more lines, or is a structure, is left to the headings.
  return /^[>|[{&*]?$|^[>|[{&*]/.test(title) ? null : title;
}
