import { chineseNumber } from './chinese-numerals.js';
import { DATE_PATTERNS, dateGroups, mayNameDate, NAMED_DATE_PATTERNS } from './dates.js';
import { ENGLISH_NUMBER, englishNumber, mayHoldEnglishNumber } from './english-numerals.js';
import { isDigit, readSuffix, PLAIN } from './number-units.js';
import type { UnitReading } from './number-units.js';

/**
 * NUMBER: a value, maybe with a unit. SERIES: groups of digits that only count together (dates, versions,
 * addresses). NAME: digits inside a word (`p99`, `sha256`); no claim, but evidence that has them shows them.
 */
export type NumberKind = 'NUMBER' | 'SERIES' | 'NAME';

/** A number as a text has it. */
export interface NumberMention {
  /** First UTF-16 unit, its sign included. */
  readonly start: number;
  /** One past the last, its unit included. */
  readonly end: number;
  readonly kind: NumberKind;
  /** Decimal text without separators; of a SERIES its groups, joined by dots. */
  readonly value: string;
  readonly scale: number;
  readonly readings: readonly UnitReading[];
}

const NUMERALS = '〇零一二两三四五六七八九十百千万亿';

/** Dates come first, then digits with inner separators, then Chinese numerals. */
const PATTERNS = [
  ...DATE_PATTERNS,
  String.raw`\d+(?:[.,/-]\d+)*`,
  `[百千]分之[${NUMERALS}]+`,
  `[〇零一二两三四五六七八九十][${NUMERALS}]*`,
];
const RUNS = new RegExp(PATTERNS.join('|'), 'g');
const RUNS_WITH_NAMED_DATES = new RegExp([...NAMED_DATE_PATTERNS, ...PATTERNS].join('|'), 'g');
const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const RANGE = /^\s?(?:-|~|～|—|to|至|到)\s?$/;
const GOES_ON_AS_NAME = /[A-Za-z_]{1,24}\d/y;

const FOLDED: Readonly<Record<string, string>> = { '％': '%', '．': '.', '－': '-', '−': '-', '–': '-' };
const FULL_WIDTH = /[０-９％．－−–]/g;

/** The numbers of a text, in order. Places are of the text as given. */
export function extractNumbers(text: string): NumberMention[] {
  const folded = text.replace(
    FULL_WIDTH,
    (char) => FOLDED[char] ?? String.fromCharCode(char.charCodeAt(0) - 0xfee0),
  );
  const mentions: NumberMention[] = [];
  for (const run of folded.matchAll(mayNameDate(folded) ? RUNS_WITH_NAMED_DATES : RUNS)) {
    // The exponent of the number before.
    if (run.index < (mentions.at(-1)?.end ?? 0)) continue;
    const date = dateGroups(run[0]);
    if (date) mentions.push(series(run[0], run.index, date));
    else if (isDigit(run[0].charCodeAt(0))) pushDigits(mentions, folded, run[0], run.index);
    else pushChinese(mentions, folded, run[0], run.index);
  }
  return shareUnitsInRanges(withEnglish(mentions, folded), folded);
}

/** Adds numbers in English words, which stand between the others. */
function withEnglish(mentions: NumberMention[], text: string): NumberMention[] {
  if (!mayHoldEnglishNumber(text)) return mentions;
  const before = mentions.length;
  for (const { 0: words, index: start } of text.matchAll(ENGLISH_NUMBER)) {
    const value = englishNumber(words);
    if (value === null) continue;
    const { readings, end } = readSuffix(text, start + words.length);
    // `one of them` and `two nodes` count nothing that has to be proved; `two minutes` does.
    if (value < 100 && readings.length === 0) continue;
    mentions.push({ start, end, kind: 'NUMBER', value: String(value), scale: 1, readings });
  }
  return mentions.length === before ? mentions : mentions.sort((a, b) => a.start - b.start);
}

function series(text: string, start: number, groups: readonly string[] = text.split('.')): NumberMention {
  const value = groups.map((group) => withoutLeadingZeros(group)).join('.');
  return { start, end: start + text.length, kind: 'SERIES', value, scale: 1, readings: [] };
}

/** A single numeral is most often part of a word (一定, 统一): it counts only before a unit. */
function pushChinese(mentions: NumberMention[], text: string, run: string, start: number): void {
  const percent = run.slice(1, 3) === '分之';
  const value = chineseNumber(percent ? run.slice(3) : run);
  if (value === null) return;
  const end = start + run.length;
  const suffix = percent
    ? { scale: 1, readings: [{ dimension: '%', factor: run.startsWith('百') ? 1 : 0.1 }], end }
    : readSuffix(text, end);
  if (run.length === 1 && suffix.readings.length === 0) return;
  mentions.push({ start, kind: 'NUMBER', value: String(value), ...suffix });
}

/** Splits `100-200`, `1,2,3` and `10.0.0.0/24` into the numbers that they are. */
function pushDigits(mentions: NumberMention[], text: string, run: string, start: number): void {
  let at = start;
  for (const part of run.split(/[-/]/)) {
    const pieces = THOUSANDS.test(part) ? [part] : part.split(',');
    for (const piece of pieces) {
      mentions.push(digits(text, piece, at, mentions.at(-1)?.end));
      at += piece.length + 1;
    }
  }
}

function digits(text: string, piece: string, at: number, previousEnd: number | undefined): NumberMention {
  if (piece.indexOf('.') !== piece.lastIndexOf('.')) return series(piece, at);
  // The unit of the number before is no word that these digits belong to (`2h30m`).
  if (at !== previousEnd && isInsideWord(text, at)) return name(piece, at);
  const power = powerAfter(text, at + piece.length);
  if (power) return raised(piece, at, power);
  const suffix = readSuffix(text, at + piece.length);
  if (suffix.end === at + piece.length && goesOnAsName(text, suffix.end)) return name(piece, at);
  const sign = hasSign(text, at) ? '-' : '';
  return { start: at - sign.length, kind: 'NUMBER', value: sign + withoutSeparators(piece), ...suffix };
}

const POWER = /\^(\d{1,2})(?![\d.])|[⁰¹²³⁴-⁹]{1,2}/y;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The exponent right behind a number: 10², 10^6. */
function powerAfter(text: string, from: number): { exponent: number; end: number } | null {
  POWER.lastIndex = from;
  const found = POWER.exec(text);
  if (!found) return null;
  const written = found[1] ?? Array.from(found[0], (digit) => SUPERSCRIPTS.indexOf(digit)).join('');
  return { exponent: Number(written), end: from + found[0].length };
}

function raised(
  piece: string,
  start: number,
  { exponent, end }: { exponent: number; end: number },
): NumberMention {
  const value = Number(withoutSeparators(piece)) ** exponent;
  const written = Number.isSafeInteger(value) ? String(value) : `${withoutSeparators(piece)}^${exponent}`;
  return { start, end, kind: 'NUMBER', value: written, scale: 1, readings: [] };
}

function name(piece: string, start: number): NumberMention {
  const value = withoutSeparators(piece);
  return { start, end: start + piece.length, kind: 'NAME', value, scale: 1, readings: [] };
}

function withoutSeparators(piece: string): string {
  return piece.replaceAll(',', '');
}

/** Letters and more digits follow: `9f86d081`. */
function goesOnAsName(text: string, from: number): boolean {
  GOES_ON_AS_NAME.lastIndex = from;
  return GOES_ON_AS_NAME.test(text);
}

/** After a letter; a lone `v` before a version is none. */
function isInsideWord(text: string, at: number): boolean {
  if (!isWordUnit(text.charCodeAt(at - 1))) return false;
  const version = text[at - 1] === 'v' || text[at - 1] === 'V';
  const before = text.charCodeAt(at - 2);
  return !version || isWordUnit(before) || isDigit(before);
}

/** A minus right before the digits, unless it joins them to what stands before it (`a-1`, `1-2`, `--1`). */
function hasSign(text: string, at: number): boolean {
  if (text[at - 1] !== '-') return false;
  const before = text.charCodeAt(at - 2);
  return !(isWordUnit(before) || isDigit(before) || text[at - 2] === '-' || text[at - 2] === ')');
}

function isWordUnit(unitCode: number): boolean {
  const lower = unitCode | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || unitCode === 0x5f;
}

/** In `100-200 ms` both numbers are milliseconds. */
function shareUnitsInRanges(mentions: NumberMention[], text: string): NumberMention[] {
  for (let i = mentions.length - 2; i >= 0; i--) {
    const [first, second] = [mentions[i], mentions[i + 1]];
    if (first?.kind !== 'NUMBER' || second?.kind !== 'NUMBER') continue;
    if (first.readings.length > 0 || second.readings.length === 0 || second.start - first.end > 4) continue;
    if (RANGE.test(text.slice(first.end, second.start)))
      mentions[i] = { ...first, readings: second.readings };
  }
  return mentions;
}

/** Whether inventing it matters: enough integer digits, a decimal, or a date, version or address. */
export function isWeighty(mention: NumberMention, minDigits: number): boolean {
  if (mention.kind !== 'NUMBER') return mention.kind === 'SERIES';
  if (mention.value.includes('.')) return true;
  const factor = mention.readings.find((reading) => reading.dimension === '')?.factor ?? 1;
  const written = withoutLeadingZeros(mention.value.replace('-', ''));
  return written.length + Math.log10(mention.scale * factor) >= minDigits;
}

/** Keys of which evidence must show one for the number to be found in it; none for a NAME. */
export function claimedKeys(mention: NumberMention): string[] {
  if (mention.kind === 'NAME') return [];
  if (mention.kind === 'SERIES') return [`series:${mention.value}`];
  if (mention.readings.length === 0) return [key('*', mention)];
  return mention.readings.map((reading) => key(reading.dimension || '*', mention, reading.factor));
}

/**
 * Keys that the number shows as evidence. A number without a unit may be drawn from one with a unit, except from a
 * percentage; a number with a unit only from the same quantity.
 */
export function shownKeys(mention: NumberMention): string[] {
  if (mention.kind === 'SERIES') return seriesKeys(mention.value);
  const keys = mention.readings.map((reading) => key(reading.dimension || '*', mention, reading.factor));
  if (mention.readings.length === 0) keys.push(key(PLAIN, mention));
  if (mention.readings[0]?.dimension !== '%') keys.push(key('*', mention));
  if (mention.value.startsWith('-')) keys.push(...shownKeys({ ...mention, value: mention.value.slice(1) }));
  return keys;
}

/** A version shows its first two groups (`4.1` of `4.1.1`), a date its year. */
function seriesKeys(value: string): string[] {
  const groups = value.split('.');
  const shown = [`series:${value}`, `*:${canonical(groups.slice(0, 2).join('.'), 1)}`];
  for (const group of groups) shown.push(`*:${group}`, `${PLAIN}:${group}`);
  return shown;
}

function key(dimension: string, mention: NumberMention, factor = 1): string {
  return `${dimension}:${canonical(mention.value, mention.scale * factor)}`;
}

/** More significant digits than this are compared as text: arithmetic would round them. */
const EXACT_DIGITS = 15;

function canonical(value: string, factor: number): string {
  if (value.length > EXACT_DIGITS && significantDigits(value) > EXACT_DIGITS) return `${value}*${factor}`;
  if (value.includes('^')) return `${value}*${factor}`;
  return String(Number((Number(value) * factor).toPrecision(EXACT_DIGITS)));
}

function significantDigits(value: string): number {
  return withoutLeadingZeros(value.replace(/[-.]/g, '')).length;
}

/** At least one digit stays. */
function withoutLeadingZeros(digitText: string): string {
  return digitText.replace(/^0+(?=\d)/, '');
}
