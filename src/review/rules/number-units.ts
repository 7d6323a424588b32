/**
 * How the words after a number are read: a scale (k, million, 万) multiplies it, a unit says what it counts.
 * Units of one dimension are compared in its base unit (nanoseconds, bytes, bits a second), so `1.5 s` equals
 * `1500 ms`. Counters (个, requests) are no units.
 */

/** One way to read what follows a number: value times factor, counted in the base unit of a dimension. */
export interface UnitReading {
  /** Empty for a pure scale. */
  readonly dimension: string;
  readonly factor: number;
}

/** What stands after a number, and where that ends. */
export interface Suffix {
  readonly scale: number;
  /** Empty where the number has no unit; several where the writing is ambiguous (`512M`: millions or bytes). */
  readonly readings: readonly UnitReading[];
  /** One past the last UTF-16 unit that belongs to the number. */
  readonly end: number;
}

const unit = (dimension: string, factor: number): readonly UnitReading[] => [{ dimension, factor }];

const NANOSECOND = unit('time', 1);
const MICROSECOND = unit('time', 1e3);
const MILLISECOND = unit('time', 1e6);
const SECOND = unit('time', 1e9);
const MINUTE = unit('time', 60e9);
const HOUR = unit('time', 3600e9);
const DAY = unit('time', 86_400e9);
const WEEK = unit('time', 7 * 86_400e9);
const PERCENT = unit('%', 1);

/** A number in a word that may be a plural (`the 502s`): seconds, or nothing but the number itself. */
export const PLAIN = 'plain';

const WORDS: Readonly<Record<string, readonly UnitReading[]>> = {
  ns: NANOSECOND,
  nanosecond: NANOSECOND,
  us: MICROSECOND,
  µs: MICROSECOND,
  μs: MICROSECOND,
  microsecond: MICROSECOND,
  ms: MILLISECOND,
  msec: MILLISECOND,
  millisecond: MILLISECOND,
  millis: MILLISECOND,
  s: SECOND,
  sec: SECOND,
  second: SECOND,
  min: MINUTE,
  minute: MINUTE,
  h: HOUR,
  hr: HOUR,
  hour: HOUR,
  d: DAY,
  day: DAY,
  week: WEEK,
  month: unit('month', 1),
  year: unit('month', 12),
  byte: unit('byte', 1),
  kb: unit('byte', 1e3),
  mb: unit('byte', 1e6),
  gb: unit('byte', 1e9),
  tb: unit('byte', 1e12),
  pb: unit('byte', 1e15),
  hz: unit('hertz', 1),
  khz: unit('hertz', 1e3),
  mhz: unit('hertz', 1e6),
  ghz: unit('hertz', 1e9),
  percent: PERCENT,
  pct: PERCENT,
};

/** Where case counts. A bare `M` may be millions or megabytes, a bare `m` minutes or something of its own. */
const SYMBOLS: Readonly<Record<string, readonly UnitReading[]>> = {
  m: [...MINUTE, { dimension: 'm', factor: 1 }],
  B: unit('byte', 1),
  bps: unit('bit/s', 1),
  ...sizes('k', 1e3, 1024),
  ...sizes('K', 1e3, 1024),
  ...sizes('M', 1e6, 1024 ** 2),
  ...sizes('G', 1e9, 1024 ** 3),
  ...sizes('T', 1e12, 1024 ** 4),
};

function sizes(prefix: string, decimal: number, binary: number): Record<string, readonly UnitReading[]> {
  return {
    [prefix]: [
      { dimension: '', factor: decimal },
      { dimension: 'byte', factor: decimal },
    ],
    [`${prefix}B`]: unit('byte', decimal),
    [`${prefix}i`]: unit('byte', binary),
    [`${prefix}iB`]: unit('byte', binary),
    [`${prefix}bps`]: unit('bit/s', decimal),
  };
}

const CHINESE: Readonly<Record<string, readonly UnitReading[]>> = {
  纳秒: NANOSECOND,
  微秒: MICROSECOND,
  毫秒: MILLISECOND,
  秒: SECOND,
  分钟: MINUTE,
  小时: HOUR,
  个小时: HOUR,
  天: DAY,
  周: WEEK,
  星期: WEEK,
  个月: unit('month', 1),
  字节: unit('byte', 1),
  年: unit('month', 12),
  赫兹: unit('hertz', 1),
  摄氏度: unit('celsius', 1),
  '℃': unit('celsius', 1),
  '°C': unit('celsius', 1),
  '‰': unit('%', 0.1),
  成: unit('%', 10),
  个百分点: PERCENT,
  百分点: PERCENT,
};

const SCALES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  million: 1e6,
  mn: 1e6,
  billion: 1e9,
  bn: 1e9,
  trillion: 1e12,
  百: 1e2,
  千: 1e3,
  万: 1e4,
  亿: 1e8,
  百万: 1e6,
  千万: 1e7,
  万亿: 1e12,
};

const PERCENT_SIGN = /[ \u00a0]?%(?!\w)/y;
const LATIN = /([ \u00a0]?)([A-Za-zµμ]{1,12})(?![A-Za-z_µμ])/y;
/** 三成 is 30%, but 三成员 is none; 2026 年 is a year and no span of so many. */
const NO_UNIT = '(?<!成(?=[员功为本长立果份分])|(?:\\d|[〇零一二三四五六七八九]){4}[ \u00a0]?年)';
const CHINESE_UNIT = new RegExp(`[ \\u00a0]?(${longestFirst(CHINESE)})${NO_UNIT}`, 'y');
const CHINESE_SCALE = /[ \u00a0]?(百万|千万|万亿|[百千万亿])(?!分)/y;

function longestFirst(table: object): string {
  return Object.keys(table)
    .sort((a, b) => b.length - a.length)
    .join('|');
}

/** Reads scale and unit after a number that ends at `from`, in text whose full-width forms are folded. */
export function readSuffix(text: string, from: number): Suffix {
  const scaled = readScale(text, from);
  const found = readUnit(text, scaled.end);
  return { scale: scaled.scale, readings: found?.readings ?? [], end: found?.end ?? scaled.end };
}

function readScale(text: string, from: number): { scale: number; end: number } {
  const match = matchAt(CHINESE_SCALE, text, from) ?? matchAt(LATIN, text, from);
  const word = match?.[2]?.toLowerCase() ?? match?.[1];
  const scale = word === undefined ? undefined : ownValue(SCALES, word);
  if (match && scale !== undefined) return { scale, end: from + match[0].length };
  return { scale: 1, end: from };
}

function readUnit(text: string, from: number): { readings: readonly UnitReading[]; end: number } | null {
  const percent = matchAt(PERCENT_SIGN, text, from);
  if (percent) return { readings: PERCENT, end: from + percent[0].length };
  const chinese = matchAt(CHINESE_UNIT, text, from);
  if (chinese) return { readings: CHINESE[chinese[1] ?? ''] ?? [], end: from + chinese[0].length };
  const latin = matchAt(LATIN, text, from);
  if (!latin) return null;
  const end = from + latin[0].length;
  const spaced = latin[1] !== '';
  // `30 s3 buckets`: a unit after a space is a word of its own; `2h30m` goes on with the next number.
  if (spaced && isDigit(text.charCodeAt(end))) return null;
  const readings = latinReadings(latin[2] ?? '', spaced);
  return readings && { readings, end };
}

function latinReadings(word: string, spaced: boolean): readonly UnitReading[] | null {
  // A lone capital after a space is a word (`5 M`, `8 G`), except where it names a size (`8 GB`).
  const symbol = spaced && word.length === 1 ? undefined : ownValue(SYMBOLS, word);
  if (symbol) return symbol;
  const name = word.toLowerCase();
  if (name === 's' && !spaced) return [...SECOND, { dimension: PLAIN, factor: 1 }];
  return (
    ownValue(WORDS, name) ?? (name.endsWith('s') ? ownValue(WORDS, name.slice(0, -1)) : undefined) ?? null
  );
}

function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function matchAt(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

export function isDigit(unitCode: number): boolean {
  return unitCode >= 0x30 && unitCode <= 0x39;
}
