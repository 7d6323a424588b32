import type { Place } from '../../contracts/generated.js';
import { stem } from './stemming.js';
import { ENGLISH_STOP_WORDS } from './stop-words.js';

/**
 * Names of things. An IDENTIFIER is told by its form (`etcdNoLeader`, `proxy_read_timeout`, `alertmanager.yaml`); a
 * NAME is a word with a capital inside an English sentence, or a Latin word in a Chinese one.
 */
export interface NameMention extends Place {
  readonly kind: 'IDENTIFIER' | 'NAME';
  /** Ways to be shown: all stems of one of them must be in the evidence. */
  readonly ways: readonly (readonly string[])[];
}

const CANDIDATE = /(?<![A-Za-z0-9_./@-])[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9_]+)*(?![A-Za-z0-9_@/])/g;
const IDENTIFIER = /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\.[a-z]{2}/;
const HUMPS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const HAN = /\p{Script=Han}/gu;
const LATIN_WORD = /[A-Za-z]+/g;
const CAPITAL = /^[A-Z][a-z]{2,}$/;
const INSIDE_SENTENCE = /[a-z0-9,;)]["'“‘(]? ?$/;

/** Spares most texts a closer look: a capital inside, or a mark between letters. */
const MAY_HOLD_NAME = /[^\s.!?][ "'“‘(]{0,2}[A-Z]|[A-Za-z0-9][_.][A-Za-z]|[^\x00-\x7f]/;

/** The names of a text, in order. */
export function namesIn(text: string): NameMention[] {
  if (!MAY_HOLD_NAME.test(text)) return [];
  const isHan = isMostlyHan(text);
  const names: NameMention[] = [];
  for (const { 0: word, index: start } of text.matchAll(CANDIDATE)) {
    const kind = IDENTIFIER.test(word) ? 'IDENTIFIER' : isName(word, text, start, isHan) ? 'NAME' : null;
    if (kind) names.push({ kind, start, end: start + word.length, ways: waysOf(word, kind) });
  }
  return names;
}

/** More Han characters than Latin words: such words are names, but not in an English text with a Chinese name. */
function isMostlyHan(text: string): boolean {
  const han = text.match(HAN)?.length ?? 0;
  return han > 0 && han > (text.match(LATIN_WORD)?.length ?? 0);
}

function isName(word: string, text: string, start: number, isHan: boolean): boolean {
  if (ENGLISH_STOP_WORDS.has(word.toLowerCase())) return false;
  if (isHan) return word.length >= 3 && /^[A-Za-z]+$/.test(word);
  return CAPITAL.test(word) && INSIDE_SENTENCE.test(text.slice(Math.max(0, start - 4), start));
}

/** As one word, or as all the words that it is made of. */
function waysOf(word: string, kind: NameMention['kind']): string[][] {
  const whole = stem(word.toLowerCase());
  if (kind === 'NAME') return [[whole]];
  const joined = stem(word.replace(/[^A-Za-z0-9]/g, '').toLowerCase());
  const byMarks = contentParts(word.split(/[_.]+/));
  const byHumps = contentParts(word.match(HUMPS) ?? []);
  return [[joined], byMarks, byHumps].filter((way) => way.length > 0);
}

function contentParts(parts: readonly string[]): string[] {
  const lower = parts.map((part) => part.toLowerCase());
  return lower
    .filter((part) => part.length > 1 && !ENGLISH_STOP_WORDS.has(part) && !/^\d+$/.test(part))
    .map(stem);
}
