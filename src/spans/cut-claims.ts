import { behindInlineCode, fenceFinder } from './code.js';
import { markerAt, opensMarker, type Marker } from './marker.js';
import { endsSentence, isAsciiEnd, isCloser, isFullWidthEnd } from './sentence-end.js';

/** A sentence of an answer, and the markers that belong to it: those inside it and those right behind it. */
export interface RawClaim {
  /** From its first to its last visible character, UTF-16, end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly markers: readonly Marker[];
  /** A fenced block of code: it claims nothing, and brackets in it are code. */
  readonly isCode: boolean;
}

/** Shared by all claims without markers: making a list for each is what would take the time. */
const NONE: Marker[] = [];

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BACKTICK = 0x60;
/** White space before a fence. */
const LONGEST_INDENT = 16;

/**
 * Cuts an answer into claims: see docs/spans.md. Sentences end at `。！？`, at `.!?` before white space unless an
 * abbreviation, an initial or a list number stands there, and at line breaks. Every visible character is in one claim.
 * Time grows with the length alone. Calls `take` for each; false ends the cutting.
 */
export function cutClaims(text: string, take: (claim: RawClaim) => boolean): void {
  const fences = fenceFinder(text);
  let start = 0;
  let markers = NONE;
  // The functions below change it, which the compiler does not see.
  let goOn = true as boolean;

  function add(marker: Marker): void {
    if (markers === NONE) markers = [];
    markers.push(marker);
  }

  /** Ends the claim at hand; what is behind begins the next. */
  function close(end: number): number {
    const from = firstVisible(text, start, end);
    if (from < end) {
      goOn = take({ start: from, end: behindLastVisible(text, from, end), markers, isCode: false });
      markers = NONE;
    }
    start = end;
    return end;
  }

  function atLineBreak(at: number): number {
    const behind = at + (text.startsWith('\r\n', at) ? 2 : 1);
    return goesOn(text, at, behind) ? behind : close(behind);
  }

  function atBacktick(at: number): number {
    const isFirst = at - start <= LONGEST_INDENT && firstVisible(text, start, at) === at;
    const fence = isFirst ? fences.endAt(at) : null;
    if (fence === null) return behindInlineCode(text, at);
    goOn = take({ start: at, end: fence, markers: NONE, isCode: true });
    start = fence;
    return fence;
  }

  function atBracket(at: number): number {
    const marker = markerAt(text, at);
    if (marker === null) return at + 1;
    add(marker);
    return marker.end;
  }

  function atStop(at: number): number {
    const run = endOfRun(text, at);
    const behind = skipClosers(text, run.end);
    const isEnd = run.isFullWidth || endsSentence(text, at, run.end, behind);
    return isEnd ? close(takeMarkers(text, behind, add)) : run.end;
  }

  for (let at = 0; goOn && at < text.length;) {
    const unit = text.charCodeAt(at);
    if (MEANS[unit] === 0) at += 1;
    else if (isLineBreak(unit)) at = atLineBreak(at);
    else if (unit === BACKTICK) at = atBacktick(at);
    else if (opensMarker(unit)) at = atBracket(at);
    else at = atStop(at);
  }
  if (goOn) close(text.length);
}

/** 1 for the units that mean something here; nearly all of a text is passed over by one look. */
const MEANS = new Uint8Array(0x10000);
for (const each of '\n\r\u2028\u2029`[［【.!?。！？｡') MEANS[each.charCodeAt(0)] = 1;

function firstVisible(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function behindLastVisible(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isSpace(unit: number): boolean {
  return (
    unit <= 0x20 || unit === 0xa0 || unit === 0x3000 || unit === 0x2028 || unit === 0x2029 || unit === 0xfeff
  );
}

function isLineBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === RETURN || unit === 0x2028 || unit === 0x2029;
}

/** A line break inside a sentence: the line ends with text, not with a colon, and a small letter begins the next. */
function goesOn(text: string, at: number, behind: number): boolean {
  const before = text.charCodeAt(at - 1);
  const next = text.charCodeAt(behind);
  const isText = before > 0x20 && before !== 0x3a && before !== 0xff1a;
  return isText && next >= 0x61 && next <= 0x7a;
}

interface Run {
  readonly end: number;
  readonly isFullWidth: boolean;
}

/** The run of characters that end sentences: `?!`, `...`, `！！`. */
function endOfRun(text: string, first: number): Run {
  let end = first;
  let isFullWidth = false;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (isFullWidthEnd(unit)) isFullWidth = true;
    else if (!isAsciiEnd(unit)) break;
  }
  return { end, isFullWidth };
}

function skipClosers(text: string, from: number): number {
  let at = from;
  while (at < text.length && isCloser(text.charCodeAt(at))) at += 1;
  return at;
}

/** Takes the markers that follow on the line, and with each a full stop behind it; answers where they end. */
function takeMarkers(text: string, from: number, take: (marker: Marker) => void): number {
  let end = from;
  for (;;) {
    let at = end;
    while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) at += 1;
    const marker = at < text.length && opensMarker(text.charCodeAt(at)) ? markerAt(text, at) : null;
    if (marker === null) return end;
    take(marker);
    end = marker.end;
    if (isFullWidthEnd(text.charCodeAt(end)) || text.charCodeAt(end) === 0x2e) end += 1;
  }
}
