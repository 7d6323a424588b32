/** Dates in words, and what they are as year, month, day: `January 5, 2024`, `5 Jan 2024`, `May 2024`, 二〇二四年一月五日. */

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?';
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const ZH = '〇零一二三四五六七八九';

/** Patterns of dates, the more exact first. */
export const DATE_PATTERNS: readonly string[] = [
  String.raw`\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]`,
  String.raw`\d{4}\s?年\s?\d{1,2}\s?月(?![\d日])`,
  `[${ZH}]{4}年[${ZH}十]{1,2}月[${ZH}十]{1,3}[日号]`,
  String.raw`\d{4}-\d{1,2}-\d{1,2}(?!\d)`,
  String.raw`\d{4}/\d{1,2}/\d{1,2}(?!\d)`,
];

/** The same with the month in English. They are looked for only where one is named. */
export const NAMED_DATE_PATTERNS: readonly string[] = [
  `(?<![A-Za-z])${MONTH} ${DAY},? \\d{4}(?!\\d)`,
  `(?<![A-Za-z])${MONTH} \\d{4}(?!\\d)`,
  `(?<![\\d.,:/-])${DAY}(?: of)? ${MONTH},? \\d{4}(?!\\d)`,
];

const MAY_NAME_DATE = new RegExp(`(?:${MONTHS})[a-z]{0,6}[.,]? ?\\d`, 'i');

export function mayNameDate(text: string): boolean {
  return MAY_NAME_DATE.test(text);
}

const DIGITS = /^\d{4}([-/])\d{1,2}\1\d{1,2}$/;
const NAMED_MONTH = new RegExp(MONTHS, 'i');

/** The groups of a date as year, month and, where it has one, day; null for anything else. */
export function dateGroups(text: string): readonly string[] | null {
  if (DIGITS.test(text)) return text.split(/[-/]/);
  if (text.includes('年')) return chineseGroups(text);
  const month = NAMED_MONTH.exec(text)?.[0];
  if (month === undefined) return null;
  const at = MONTHS.split('|').indexOf(month.toLowerCase()) + 1;
  const numbers = text.match(/\d+/g) ?? [];
  const year = numbers.at(-1) ?? '';
  return [year, String(at), ...numbers.slice(0, -1)];
}

function chineseGroups(text: string): readonly string[] {
  const digits = text.match(/\d+/g);
  if (digits) return digits;
  return text
    .split(/[年月日号]/)
    .filter((part) => part !== '')
    .map((part, i) => (i === 0 ? positional(part) : String(small(part))));
}

function positional(part: string): string {
  return Array.from(part, digitOf).join('');
}

/** 一 to 三十一. */
function small(part: string): number {
  const [tens, ones] = part.includes('十') ? part.split('十') : ['', part];
  if (!part.includes('十')) return Number(positional(part));
  return (tens === '' ? 1 : digitOf(tens ?? '')) * 10 + (ones ? digitOf(ones) : 0);
}

function digitOf(character: string): number {
  const at = ZH.indexOf(character);
  return Math.max(0, at - 1);
}
