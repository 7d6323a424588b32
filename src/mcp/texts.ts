import type { Language } from '../prompts/language.js';
import { nothingFoundText, stopRequiredText, type BilingualText } from '../evidence/fixed-texts.js';
import type { Failure } from './agent-line.js';

/** What the tools say beside evidence: fixed texts, with what to do next. */

/** Beside a view that brought nothing new; null of one that did. */
export function gainNotice(gain: string | null): string | null {
  if (gain === 'UNCHANGED') return both(unchangedText);
  return gain === 'NONE' ? both(nothingFoundText) : null;
}

const unchangedText: BilingualText = {
  en: 'Nothing new: all of this was shown before in this run. Ask something else, or hand in the report.',
  zh: '没有新增证据：以上内容在本次运行中都已展示过。请换一个问题，或者提交报告。',
};

/** Why a lookup has no view. */
export function lookupFailed({ code, message, retryable }: Failure): string {
  if (code === 'PL_STOP_REQUIRED') return `${code}\n${both(stopRequiredText)}`;
  return `${code}: ${message}\n${both(retryable ? askAgainText : askOtherwiseText)}`;
}

const askAgainText: BilingualText = {
  en: 'Nothing was found out. Ask again in a moment, or use other tools. This lookup cannot be cited.',
  zh: '这次检索没有结果。请稍后重试，或换用其他工具。这次检索不能被引用。',
};

const askOtherwiseText: BilingualText = {
  en: 'Asking the same again does not help. Change the question, or use other tools. This lookup cannot be cited.',
  zh: '重复同样的问题没有帮助。请修改问题，或换用其他工具。这次检索不能被引用。',
};

export function lookupPending(seconds: number): string {
  return both({
    en: `No answer within ${seconds} s; the lookup goes on. Call lookup_knowledge again with the same query to fetch it. It cannot be cited before.`,
    zh: `${seconds} 秒内没有返回，检索仍在进行。请用同样的 query 再次调用 lookup_knowledge 获取结果；在此之前不能引用。`,
  });
}

export function draftPending(draftId: string, seconds: number): string {
  return both({
    en: `No answer within ${seconds} s; the report is still being checked. Call get_draft with draft_id ${draftId} to see what became of it.`,
    zh: `${seconds} 秒内没有返回，报告仍在核验。请用 draft_id ${draftId} 调用 get_draft 查看结果。`,
  });
}

/** The tool was called in a way that it does not take. */
export function argumentsRefused(problem: string): string {
  return `PL_INPUT_INVALID: ${problem}\n${both(callRightText)}`;
}

const callRightText: BilingualText = {
  en: 'Nothing was done. Correct the arguments as the description of the tool says, and call it again.',
  zh: '没有执行任何操作。请按工具说明改正参数后再次调用。',
};

/** The line did not take the draft, or could not be asked. */
export function draftFailed({ code, message, retryable }: Failure): string {
  return `${code}: ${message}\n${both(retryable ? handInAgainText : correctText)}`;
}

const handInAgainText: BilingualText = {
  en: 'Call the tool again in a moment with the same arguments: the same report is taken only once.',
  zh: '请稍后用同样的参数再次调用：同一份报告只会被受理一次。',
};

const correctText: BilingualText = {
  en: 'Correct what the message names. Where you cannot, say that the report could not be handed in.',
  zh: '请更正上面指出的问题；如果无法更正，请说明报告未能提交。',
};

export const busyText = both({
  en: 'Too many calls wait already. Call again once some of them have been answered.',
  zh: '等待中的调用过多。请等部分调用返回之后再试。',
});

export const unforeseenText = both({
  en: 'Something unexpected happened in the server; its log has the cause. Call again once; if it happens again, go on without this tool and say so.',
  zh: '服务器发生意外错误，原因见其日志。请重试一次；如果仍然出错，请不用此工具继续，并说明这一点。',
});

export function unknownDraft(draftId: string): string {
  const id = JSON.stringify(draftId.slice(0, 128));
  return both({
    en: `No report was handed in here under draft_id ${id}. Copy the draft_id that submit_draft answered with.`,
    zh: `没有以 draft_id ${id} 提交过报告。请原样复制 submit_draft 返回的 draft_id。`,
  });
}

export type Decision = 'PUBLISH' | 'REPAIR' | 'HOLD' | 'FALLBACK' | 'STALE';

/** What each decision means for the model. */
export const decisionTexts: Readonly<Record<Decision, Readonly<Record<Language, string>>>> = {
  PUBLISH: {
    en: 'The report is published: every citation was verified. Nothing is left to do.',
    zh: '报告已发布：所有引用均已核验。没有其他要做的事。',
  },
  REPAIR: {
    en: 'The report was rejected. Mend what is listed and call submit_draft again.',
    zh: '报告被退回。请按清单修改后再次调用 submit_draft。',
  },
  HOLD: {
    en: 'The report is held until a person decides. Do not hand it in again; get_draft tells what was decided.',
    zh: '报告已挂起，等待人工决定。请不要重复提交；可用 get_draft 查看决定。',
  },
  FALLBACK: {
    en: 'The report was rejected, and no attempt is left: the run ends with the fixed text that nothing could be verified. Do not hand in again; say that a person must go on.',
    zh: '报告被退回，且没有剩余的修复次数：本次运行以固定的降级结论结束。请不要再提交，并说明需要人工继续排查。',
  },
  STALE: {
    en: 'The report came too late: the run has its outcome already, or a later report was judged. Nothing was changed.',
    zh: '报告提交过晚：本次运行已有结论，或更晚的报告已被核验。没有任何改变。',
  },
};

/** Behind the repair prompt, which is written for whoever hands drafts in. */
export const handInHere: Readonly<Record<Language, string>> = {
  en: 'Here: call submit_draft with the whole report. Its draft_id and its attempt are set for you.',
  zh: '在这里：用完整的报告再次调用 submit_draft，draft_id 和 attempt 会自动设置。',
};

/** A text of the project in both of its languages. */
function both({ en, zh }: BilingualText): string {
  return `${en}\n${zh}`;
}
