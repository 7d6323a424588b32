/**
 * The grammar of markers, published in docs/spans.md:
 *
 *   marker  = "[" list "]" | "［" list "］" | "【" list "】"
 *   list    = blank? item (blank? sep blank? item)* blank?
 *   item    = number | number blank? dash blank? number
 *   number  = ("S" | "s" | "^" | "ID" in any case, (":" | "："), blank?)? digit{1,4}
 *   sep     = "," | "，" | "、" | ";" | "；"
 *   dash    = "-" | "–" | "—" | "~" | "～" | "－"
 *   digit   = 0–9 | ０–９
 *   blank   = up to 4 spaces or tabs
 */

/** What a marker names: sources by number from `from` to `to`, both included. `S1` is 1, and so is `ID:0`. */
export interface Named {
  readonly from: number;
  readonly to: number;
}

export interface Marker {
  /** Place in the text, UTF-16, end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly named: readonly Named[];
}

/** True for a unit (UTF-16) that may open a marker. */
export function opensMarker(unit: number): boolean {
  return unit === 0x5b || unit === 0xff3b || unit === 0x3010;
}

/** The unit that closes what this one opens. */
function closingOf(opening: number): number {
  return opening === 0x5b ? 0x5d : opening === 0xff3b ? 0xff3d : 0x3011;
}

/** The marker that begins at `start`, where a bracket opens; null where none does. Looks no further than its end. */
export function markerAt(text: string, start: number): Marker | null {
  const closing = closingOf(text.charCodeAt(start));
  const named: Named[] = [];
  for (let at = start + 1; ; at++) {
    const first = numberAt(text, skipBlank(text, at));
    if (first === null) return null;
    at = skipBlank(text, first.end);
    let last = first;
    if (isDash(text.charCodeAt(at))) {
      const second = numberAt(text, skipBlank(text, at + 1));
      if (second === null) return null;
      last = second;
      at = skipBlank(text, second.end);
    }
    named.push({ from: first.value, to: last.value });
    const unit = text.charCodeAt(at);
    if (unit === closing) return { start, end: at + 1, named };
    if (!isSeparator(unit)) return null;
  }
}

const LONGEST_BLANK = 4;
const MOST_DIGITS = 4;

interface Numeral {
  readonly value: number;
  readonly end: number;
}

/** A number with what may stand before it. Whoever writes `ID:0` counts from 0. */
function numberAt(text: string, start: number): Numeral | null {
  const unit = text.charCodeAt(start);
  if (isId(text, start)) return digitsAt(text, skipBlank(text, start + 3), 1);
  return digitsAt(text, unit === 0x53 || unit === 0x73 || unit === 0x5e ? start + 1 : start, 0);
}

function digitsAt(text: string, start: number, added: number): Numeral | null {
  let value = 0;
  let at = start;
  for (let digit = digitOf(text.charCodeAt(at)); digit >= 0; digit = digitOf(text.charCodeAt(at))) {
    value = 10 * value + digit;
    at += 1;
    if (at - start > MOST_DIGITS) return null;
  }
  return at === start ? null : { value: value + added, end: at };
}

/** ASCII or full-width; −1 for anything else. */
function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  return unit >= 0xff10 && unit <= 0xff19 ? unit - 0xff10 : -1;
}

/** `ID:` */
function isId(text: string, at: number): boolean {
  const colon = text.charCodeAt(at + 2);
  return (
    (text.charCodeAt(at) | 0x20) === 0x69 &&
    (text.charCodeAt(at + 1) | 0x20) === 0x64 &&
    (colon === 0x3a || colon === 0xff1a)
  );
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < from + LONGEST_BLANK && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at += 1;
  return at;
}

const SEPARATORS: ReadonlySet<number> = new Set(Array.from(',，、;；', (each) => each.charCodeAt(0)));
const DASHES: ReadonlySet<number> = new Set(Array.from('-–—~～－', (each) => each.charCodeAt(0)));

function isSeparator(unit: number): boolean {
  return SEPARATORS.has(unit);
}

function isDash(unit: number): boolean {
  return DASHES.has(unit);
}
