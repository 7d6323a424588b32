/** Code in an answer: brackets in it are code, and full stops in it end nothing. */

const BACKTICK = 0x60;
const LINE_FEED = 0x0a;

/** How far the end of inline code is looked for. */
const LONGEST_INLINE = 512;

/** Behind the inline code that begins at `at`: closed by as many backticks, on its line. Else behind the backticks. */
export function behindInlineCode(text: string, at: number): number {
  let open = at;
  while (text.charCodeAt(open) === BACKTICK) open += 1;
  const size = open - at;
  let run = 0;
  for (let i = open; i <= open + LONGEST_INLINE; i++) {
    const unit = text.charCodeAt(i);
    if (unit === BACKTICK) run += 1;
    else if (run === size) return i;
    else if (Number.isNaN(unit) || unit === LINE_FEED) return open;
    else run = 0;
  }
  return open;
}

export interface FenceFinder {
  /** The end of the fenced block that begins at `at`; null where none does, or none that is closed. */
  endAt(at: number): number | null;
}

/** A fence around prose says so: it is read as prose. */
const PROSE = /^```[ \t]*(?:md|markdown|te?xt|plain)[ \t]*\r?\n/i;

/**
 * A block that is not closed is prose too, and so is one around the whole answer, for whoever puts all of it between
 * fences would need no citation at all.
 */
export function fenceFinder(text: string): FenceFinder {
  let noneBehind = Infinity;
  const first = text.search(/\S/);
  const last = text.trimEnd().length - 1;
  return {
    endAt(at) {
      if (at >= noneBehind || !text.startsWith('```', at) || PROSE.test(text.slice(at, at + 32))) return null;
      const close = text.indexOf('\n```', at + 3);
      if (close < 0) {
        noneBehind = at;
        return null;
      }
      const line = text.indexOf('\n', close + 1);
      const end = line < 0 ? text.length : line;
      const isWhole = at <= first && end > last;
      return isWhole ? null : end;
    },
  };
}
