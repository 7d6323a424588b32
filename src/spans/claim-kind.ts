import { isCloser } from './sentence-end.js';

/**
 * What a claim is, told by its form alone.
 * - STATEMENT: says that something is so; it needs a citation.
 * - ABSTENTION: says that nothing is known or was found.
 * - QUESTION, HEADING, LEAD_IN (it ends with a colon), CODE: say nothing by themselves.
 * - NO_TEXT: no letter or digit besides markers.
 */
export type ClaimKind = 'STATEMENT' | 'ABSTENTION' | 'QUESTION' | 'HEADING' | 'LEAD_IN' | 'CODE' | 'NO_TEXT';

/** More than the longest sentence that is an abstention or a heading; a longer one is a statement. */
const LONGEST = 400;

/** The kind of a claim's text without its markers. */
export function claimKind(text: string): Exclude<ClaimKind, 'CODE'> {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'NO_TEXT';
  const last = lastMark(text);
  if (last === ':' || last === '：') return 'LEAD_IN';
  if (last === '?' || last === '？') return 'QUESTION';
  if (text.length > LONGEST) return 'STATEMENT';
  if (/^#{1,6}[ \t]/.test(text) && !STOPS.includes(last)) return 'HEADING';
  return NEGATION.test(text) && isAbstention(text) ? 'ABSTENTION' : 'STATEMENT';
}

const STOPS = '.!。！';

/** The last character that is no space, quote, bracket or emphasis. */
function lastMark(text: string): string {
  let at = text.length - 1;
  while (at > 0 && (text.charCodeAt(at) <= 0x20 || isCloser(text.charCodeAt(at)))) at -= 1;
  return text.charAt(at);
}

/** Every abstention holds one of these. */
const NEGATION = /n[o'’]|un(?:able|clear)|insuff|不|没|无|未/i;

/** A sentence that goes on to say something needs a citation for that. */
const GOES_ON =
  /\b(?:but|however|though|although|nevertheless|yet|still|except)\b|[;；]|但|不过|然而|可是|却|除了|导致|因此|所以|\p{N}/iu;

const OPENING = String.raw`^[\s>*_•-]*(?:(?:i'?m\s+)?(?:sorry|unfortunately|apologies)[,，.]?\s*(?:but\s+)?|(?:based\s+on|from|according\s+to|in|given)\s+(?:the|this|these)\s+[\w\s]{1,40},?\s*)?`;
const ENGLISH = [
  String.raw`(?:i|we)\s+(?:do\s+not|don['’]t|can(?:not|['’]t|\s+not)|could\s+not|couldn['’]t|am\s+unable\s+to|are\s+unable\s+to|was\s+unable\s+to|were\s+unable\s+to)\s+(?:know|tell|say|find|determine|answer|confirm|verify|conclude|establish|identify)`,
  String.raw`(?:there\s+is|there\s+was|i\s+found|we\s+found|i\s+have|we\s+have)\s+(?:no|not\s+enough|insufficient)\s+(?:\w+\s+){0,2}(?:evidence|information|data|answer|documents?|sources?|passages?|context)`,
  String.raw`(?:no|not\s+enough|insufficient)\s+(?:\w+\s+){0,2}(?:evidence|information|documents?|sources?|passages?|context)\s+(?:\w+\s+){0,2}(?:found|available|given|provided)`,
  String.raw`(?:it|this|that)\s+(?:is\s+(?:not\s+(?:known|clear|stated)|unknown|unclear)|can(?:not|['’]t)\s+be\s+(?:determined|answered|confirmed|established))`,
  String.raw`the\s+(?:\w+\s+){0,3}(?:evidence|information|documents?|sources?|passages?|context)\s+(?:do(?:es)?\s+not|don['’]t|doesn['’]t)\s+(?:\w+\s+)?(?:say|mention|contain|state|cover|answer|provide|include|specify|tell)`,
].join('|');
const CHINESE =
  '^[\\s>*_•-]*(?:抱歉|很抱歉|对不起|不好意思)?[，,。]?(?:根据|基于|从)?(?:现有|已有|目前|当前|上述|提供的|检索到的)*(?:的)?(?:证据|资料|信息|文档|知识库|内容|上下文|来源)?(?:中|里|来看)?[，,]?(?:我|我们|暂时|目前|尚|还|均|都|也)*' +
  '(?:不知道|不清楚|不确定|无法(?:确定|判断|回答|得知|确认|给出|找到|核实)|不能(?:确定|判断|回答|确认)|(?:没有|未|未能|没)(?:找到|检索到|查到|发现|提到|提及|说明|给出|包含)|(?:没有|无)(?:相关|可用|足够)?(?:证据|信息|资料|文档)|(?:证据|信息|资料)?不足(?:以)?)';

const ABSTENTION = new RegExp(`${OPENING}(?:${ENGLISH})\\b|${CHINESE}`, 'iu');

function isAbstention(text: string): boolean {
  const found = ABSTENTION.exec(text);
  return found !== null && !GOES_ON.test(text.slice(found[0].length));
}
