import { isJsonObject, parseJson, type JsonObject } from '../contracts/json.js';
import type { Mendable } from './findings.js';
import type { Language, PromptSentences } from './languages.js';
import { quotedData } from './quoted-data.js';
import { reviewNoteZh } from './review-notes.js';
import { personWords, reviewMends, reviewWords } from './review-words.js';
import { otherViolation, violationWords, type RepairWords } from './violation-words.js';

const PATH_CHARS = 200;
const WORDS_CHARS = 240;
const NOTE_CHARS = 300;
const HINT_CHARS = 200;

/** One thing to mend: what and where, the words concerned, what is wrong, what mends it, and what was probably meant. */
export function findingLines(
  mendable: Mendable,
  say: PromptSentences,
  language: Language,
): readonly string[] {
  const { finding, words } = mendable;
  const { wrong, mend } = repairWordsOf(mendable);
  const where = finding.path === '' ? say.whole : say.at(quotedData(finding.path, PATH_CHARS));
  const note = noteOf(mendable, language);
  return [
    `${nameOf(finding.code)} ${where}`,
    ...(words === null ? [] : [`   ${say.words}${quotedData(words, WORDS_CHARS)}`]),
    `   ${say.wrong}${wrong[language]}`,
    `   ${say.mend}${mend[language]}`,
    ...(note === null ? [] : [`   ${say.note}${quotedData(note, NOTE_CHARS)}`]),
    ...hints(mendable, say).map((hint) => `   ${say.note}${hint}`),
  ];
}

/** Codes are names; what is none is data. */
function nameOf(code: string): string {
  return /^[A-Z][A-Z_]{0,59}$/.test(code) ? code : quotedData(code, PATH_CHARS);
}

function repairWordsOf({ finding: { source, code }, status }: Mendable): RepairWords {
  if (source === 'PERSON') return personWords;
  if (status !== null) {
    const { wrong, mend } = reviewWords[status];
    return { wrong, mend: rowOf(reviewMends, code) ?? mend };
  }
  return rowOf(violationWords, code) ?? otherViolation;
}

function rowOf<T>(table: Readonly<Record<string, T>>, code: string): T | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

/** What the rule says in its own words, where these say more than ours: what is malformed, what review compared, why. */
function noteOf({ finding: { code, message }, status }: Mendable, language: Language): string | null {
  if (status !== null) {
    const note = message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
    return language === 'zh' ? reviewNoteZh(note) : note;
  }
  const isOurs = Object.hasOwn(violationWords, code) && code !== 'DRAFT_MALFORMED';
  return isOurs ? null : message;
}

/** What the guard found out about what was probably meant. All of it is of this run. */
function hints({ finding: { source, detailJson } }: Mendable, { hint }: PromptSentences): readonly string[] {
  const parsed = source === 'GUARD' ? parseJson(detailJson) : null;
  if (!isJsonObject(parsed)) return [];
  const nearest = textIn(parsed, 'nearest') ?? textIn(parsed, 'did_you_mean');
  return [...(nearest === null ? [] : [hint.nearest(nearest)]), ...whereabouts(parsed, hint)];
}

function whereabouts(detail: JsonObject, hint: PromptSentences['hint']): readonly string[] {
  const call = textIn(detail, 'shown_by');
  if (call !== null) return [hint.shownBy(call, textIn(detail, 'shown_as'))];
  if (detail['why'] === 'DROPPED') return [hint.dropped(textIn(detail, 'reason') ?? '""')];
  return detail['why'] === 'NEVER_RETRIEVED' ? [hint.neverRetrieved] : [];
}

function textIn(detail: JsonObject, name: string): string | null {
  const value = detail[name];
  return typeof value === 'string' && value !== '' ? quotedData(value, HINT_CHARS) : null;
}
