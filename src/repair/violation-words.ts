import type { QuoteViolationCode } from '../citation/quote-violations.js';
import type { BilingualText } from '../evidence/fixed-texts.js';
import type { ViolationCode } from '../guard/violations.js';

/** What is wrong, and what would mend it. */
export interface RepairWords {
  readonly wrong: BilingualText;
  readonly mend: BilingualText;
}

/** What a repair prompt says of each violation of `core-20` and `quotes-1`. */
export const violationWords: Readonly<Record<ViolationCode | QuoteViolationCode, RepairWords>> = {
  DRAFT_MALFORMED: {
    wrong: {
      zh: '报告无法解析，或不符合报告的结构。',
      en: 'The report cannot be read, or does not have the shape of a report.',
    },
    mend: {
      zh: '只提交一个 JSON 对象，字段名与结构严格符合报告的 schema，每个字段只出现一次。',
      en: 'Hand in one JSON object alone, with exactly the fields of the report schema, each of them once.',
    },
  },
  ANALYSIS_ID_DUPLICATE: {
    wrong: { zh: '这项分析的 id 已被前面的分析占用。', en: 'An earlier analysis has this id already.' },
    mend: {
      zh: '给每个分析一个不同的 id，并相应修改 based_on_analysis_ids。',
      en: 'Give each analysis an id of its own, and adapt based_on_analysis_ids.',
    },
  },
  ANALYSIS_TEXT_BLANK: {
    wrong: { zh: '这项分析没有文字。', en: 'The analysis has no text.' },
    mend: { zh: '写明发现了什么，或删除这项分析。', en: 'Say what was found, or leave the analysis out.' },
  },
  ANALYSIS_UNCITED: {
    wrong: { zh: '这项分析没有引用任何检索。', en: 'The analysis cites no lookup.' },
    mend: {
      zh: '在 tool_call_ids 中写出它所依据的检索，或删除这项分析；来自其他工具的信息写入 limitations。',
      en: 'Name the lookups that it rests on in tool_call_ids, or leave it out; what other tools told you belongs in limitations.',
    },
  },
  CONCLUSION_TEXT_BLANK: {
    wrong: { zh: '结论没有文字。', en: 'The conclusion has no text.' },
    mend: {
      zh: '写出结论；证据不足时把 conclusion 设为 null。',
      en: 'Write it, or set conclusion to null where the evidence is not enough.',
    },
  },
  CONCLUSION_UNGROUNDED: {
    wrong: { zh: '结论没有以任何分析为依据。', en: 'The conclusion is based on no analysis.' },
    mend: {
      zh: '在 based_on_analysis_ids 中写出它所依据的分析，或把 conclusion 设为 null。',
      en: 'Name the analyses that it rests on in based_on_analysis_ids, or set conclusion to null.',
    },
  },
  ACTION_TEXT_BLANK: {
    wrong: { zh: '这项行动没有文字。', en: 'The action has no text.' },
    mend: { zh: '写明要做什么，或删除这项行动。', en: 'Say what to do, or leave the action out.' },
  },
  ACTION_UNGROUNDED: {
    wrong: { zh: '这项行动没有以任何分析为依据。', en: 'The action is based on no analysis.' },
    mend: {
      zh: '在 based_on_analysis_ids 中写出它所依据的分析，或删除这项行动。',
      en: 'Name the analyses that it rests on in based_on_analysis_ids, or leave it out.',
    },
  },
  ANALYSIS_REF_UNKNOWN: {
    wrong: { zh: '报告中没有这个 id 的分析。', en: 'The report has no analysis with this id.' },
    mend: { zh: '只引用报告中存在的分析。', en: 'Refer only to analyses that the report has.' },
  },
  LIMITATIONS_MISSING: {
    wrong: { zh: '报告没有写任何局限。', en: 'The report names no limitation.' },
    mend: {
      zh: '在 limitations 中写明没有查看什么、还不知道什么。',
      en: 'Say in limitations what was not looked at and what is not known.',
    },
  },
  TOOL_CALL_UNKNOWN: {
    wrong: { zh: '本次运行没有这个 id 的检索。', en: 'This run made no lookup with this id.' },
    mend: {
      zh: '只引用本次运行做过的检索，逐字照抄其 tool_call_id。',
      en: 'Cite only lookups that this run made, and copy their tool_call_id to the letter.',
    },
  },
  TOOL_CALL_FOREIGN_RUN: {
    wrong: { zh: '这次检索不属于本次运行。', en: 'This lookup belongs to another run.' },
    mend: {
      zh: '只引用本次运行做过的检索；需要时用新的 tool_call_id 重新检索。',
      en: 'Cite only lookups that this run made; where you need it, ask again under a new tool_call_id.',
    },
  },
  TOOL_CALL_PENDING: {
    wrong: { zh: '这次检索还没有结果。', en: 'This lookup has no result yet.' },
    mend: {
      zh: '等到结果返回后再引用，或不引用它。',
      en: 'Wait for its result before you cite it, or do not cite it.',
    },
  },
  TOOL_CALL_FAILED: {
    wrong: { zh: '这次检索失败了，不能作为证据。', en: 'This lookup failed, and is evidence of nothing.' },
    mend: {
      zh: '用新的 tool_call_id 重新检索，或不引用它。',
      en: 'Ask again under a new tool_call_id, or do not cite it.',
    },
  },
  TOOL_CALL_EXPIRED: {
    wrong: {
      zh: '这次检索的证据在提交之前已过期。',
      en: 'The evidence of this lookup had expired when the report came.',
    },
    mend: {
      zh: '用新的 tool_call_id 重新检索，并引用新的结果。',
      en: 'Look it up again under a new tool_call_id, and cite that.',
    },
  },
  KIND_CLAIMS_EVIDENCE: {
    wrong: {
      zh: 'NORMAL 分析引用了没有找到证据的检索。',
      en: 'A NORMAL analysis cites a lookup that found no evidence.',
    },
    mend: {
      zh: '改为引用找到证据的检索；或把 kind 改为 NEGATIVE_OBSERVATION，只说明没有找到。',
      en: 'Cite a lookup that found evidence; or make the kind NEGATIVE_OBSERVATION and say only that nothing was found.',
    },
  },
  KIND_DENIES_EVIDENCE: {
    wrong: {
      zh: 'NEGATIVE_OBSERVATION 引用了找到证据的检索。',
      en: 'A NEGATIVE_OBSERVATION cites a lookup that found evidence.',
    },
    mend: {
      zh: '只引用没有找到证据的检索；或把 kind 改为 NORMAL，并依据所展示的内容。',
      en: 'Cite only lookups that found nothing; or make the kind NORMAL and rest on what was shown.',
    },
  },
  DOCUMENT_NOT_SHOWN: {
    wrong: {
      zh: '所引用的检索没有展示过这个文档。',
      en: 'The lookups cited there did not show this document.',
    },
    mend: {
      zh: '只引用展示过的 document_id 并逐字照抄，否则删除依赖它的内容。',
      en: 'Cite only a document_id that was shown, copied to the letter, or leave out what rests on it.',
    },
  },
  LEDGER_PROJECTION_INVALID: {
    wrong: {
      zh: '这次检索的存档记录无法作为证据读取；这不是报告的错。',
      en: 'The record of this lookup is not readable evidence; the report is not to blame.',
    },
    mend: {
      zh: '用新的 tool_call_id 重新检索并引用新的结果，或不引用它。',
      en: 'Look it up again under a new tool_call_id and cite that, or do not cite it.',
    },
  },
  LEDGER_INTEGRITY_BROKEN: {
    wrong: {
      zh: '这次检索的存档记录与写入时不一致；这不是报告的错。',
      en: 'The record of this lookup is not as it was written; the report is not to blame.',
    },
    mend: {
      zh: '用新的 tool_call_id 重新检索并引用新的结果，或不引用它。',
      en: 'Look it up again under a new tool_call_id and cite that, or do not cite it.',
    },
  },
  QUOTE_TOO_SHORT: {
    wrong: { zh: '这段引文太短，不足以作为证据。', en: 'The quote is too short to prove anything.' },
    mend: { zh: '引用更完整的句子，或删除引文。', en: 'Quote more of the sentence, or leave the quote out.' },
  },
  QUOTE_DROPS_NEGATION: {
    wrong: { zh: '这段引文省略了原文中的否定词。', en: 'The quote leaves out a negation.' },
    mend: { zh: '把否定词一并引用。', en: 'Quote the words with the negation.' },
  },
  QUOTE_NOT_SHOWN: {
    wrong: {
      zh: '引用的文字在展示时被截断，没有展示给你。',
      en: 'The quoted words were cut off, and were not shown to you.',
    },
    mend: {
      zh: '只引用展示过的文字，或删除引文。',
      en: 'Quote only words that were shown, or leave the quote out.',
    },
  },
  QUOTE_MISATTRIBUTED: {
    wrong: {
      zh: '引用的文字不在这个文档中，而在另一个文档中。',
      en: 'The quoted words are not in this document, but in another one.',
    },
    mend: {
      zh: '引用真正包含这段文字的文档，并引用展示它的检索。',
      en: 'Quote the document that has the words, and cite the lookup that showed it.',
    },
  },
  QUOTE_NOT_FOUND: {
    wrong: {
      zh: '在所展示的文档中找不到引用的文字。',
      en: 'The quoted words are not in the document as it was shown.',
    },
    mend: { zh: '逐字引用，或删除引文。', en: 'Quote it word for word, or leave the quote out.' },
  },
};

/** Of a code that has no row: a rule set that is younger than this table. */
export const otherViolation: RepairWords = {
  wrong: { zh: '这里违反了一条规则。', en: 'A rule is broken here.' },
  mend: {
    zh: '按规则名称所示改正，或删除这部分内容。',
    en: 'Mend it as the name of the rule says, or leave it out.',
  },
};
