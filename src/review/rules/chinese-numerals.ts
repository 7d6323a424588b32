/** Numbers written in Chinese characters: 三百, 两千五百, 一亿二千万, 二〇二六. */

const DIGITS = '零一二三四五六七八九';
const MULTIPLIERS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };
const HAS_MULTIPLIER = /[十百千万亿]/;

/** Longer runs are no number that a person would write. */
const MAX_LENGTH = 24;

/**
 * Value of a run of numeral characters that begins with a digit or 十; null where it is none that can be told
 * from an ordinary word (一一, 两三) or is too long. A single digit and a lone 十 do count: the caller decides.
 */
export function chineseNumber(run: string): number | null {
  if (run.length > MAX_LENGTH) return null;
  const chars = Array.from(run.replaceAll('〇', '零').replaceAll('两', '二'));
  return chars.length === 1 || HAS_MULTIPLIER.test(run) ? grouped(chars) : positional(chars);
}

/** 二〇二六 = 2026. Without a zero, digits side by side are words (三三两两, 二三). */
function positional(chars: readonly string[]): number | null {
  if (chars.length < 3 || !chars.includes('零')) return null;
  return Number(chars.map((char) => DIGITS.indexOf(char)).join(''));
}

/** 两千五百 = 2500; a digit right after a multiplier counts in the next lower one (三百五 = 350). */
function grouped(chars: readonly string[]): number {
  let total = 0;
  let section = 0;
  let digit = 0;
  let lower = 1;
  for (const char of chars) {
    const multiplier = MULTIPLIERS[char];
    if (char === '万') {
      total += (section + digit) * 1e4;
      [section, digit, lower] = [0, 0, 1e3];
    } else if (char === '亿') {
      total = (total + section + digit) * 1e8;
      [section, digit, lower] = [0, 0, 1e7];
    } else if (multiplier !== undefined) {
      section += (digit || 1) * multiplier;
      [digit, lower] = [0, multiplier / 10];
    } else {
      digit = DIGITS.indexOf(char);
      if (digit === 0) lower = 1;
    }
  }
  return total + section + digit * lower;
}
