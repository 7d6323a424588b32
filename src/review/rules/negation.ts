/** Whether a clause says that something is not so. */

/** NO: one negation. YES: none. UNCLEAR: two, or words that turn a negation into a condition or a question. */
export type Polarity = 'YES' | 'NO' | 'UNCLEAR';

const ENGLISH = String.raw`(?<![\w-])(?:not(?! (?:only|necessarily|(?:more|less|fewer|later|earlier|greater|longer|sooner|older) than)\b)|no(?! (?:doubt|(?:more|less|fewer|later|earlier|greater|longer|sooner|older) than)\b)|never|without|cannot|neither|none|nobody|nothing|unable|avoid(?:s|ed|ing)?|prevent(?:s|ed|ing)?|fail(?:s|ed|ing)? to|refuse[sd]? to|lack(?:s|ed|ing)?|instead of|rather than)(?!\w)|n['’]t(?!\w)|(?<![\w-])non-(?=\w)`;

/** 不 in words that deny nothing, and in comparisons (不超过 is "at most"). */
const NO_DENIAL = '同仅但断过久论管妨然光只止如少妙料禁';
const COMPARISON = '超过|少于|低于|高于|大于|小于|早于|晚于|多于|足为';
const CHINESE = `不(?![${NO_DENIAL}]|${COMPARISON}|一定|见得)|没(?:有)?|无(?!论)|未(?![来必])|非(?!常)|勿|禁止|避免|防止|杜绝|缺少|缺乏`;

const CUES = new RegExp(`${ENGLISH}|${CHINESE}`, 'giu');
const CUE = new RegExp(CUES.source, 'iu');

/** Beside a negation these make it a condition, a question or a maybe. */
const UNCLEAR =
  /\b(?:only|unless|except|until|whether|not necessarily|but)\b|\?|除非|只有|仅|才|是否|能否|可否|与否|不一定|未必|不见得|吗|？|(\p{Script=Han})[不没]\1/iu;

const NON_ASCII = /[^\x00-\x7f]/;

export function holdsNegation(text: string): boolean {
  return CUE.test(text);
}

export function polarityOf(clause: string): Polarity {
  const count = clause.match(CUES)?.length ?? 0;
  if (count > 1 || UNCLEAR.test(clause)) return 'UNCLEAR';
  return count === 1 ? 'NO' : 'YES';
}

/** The clause as it would be without its negations, so that it can be compared with what it denies. */
export function withoutNegations(clause: string): string {
  return clause.replace(CUES, (cue) => (NON_ASCII.test(cue) && !cue.includes('’') ? '' : ' '));
}
