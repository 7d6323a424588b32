import type { Draft, RelevanceLevel } from '../contracts/generated.js';

/** A text that the project itself says, in both of its languages. */
export interface BilingualText {
  readonly zh: string;
  readonly en: string;
}

/** How good the best evidence is, and with it how much better it could still get. */
export const completenessHints: Readonly<Record<RelevanceLevel | 'NONE', BilingualText>> = {
  PRECISE: {
    zh: '知识库中不存在比上述结果更精准的文档',
    en: 'The knowledge base has no document more precise than these.',
  },
  REFERENCE: {
    zh: '知识库中只有部分相关的文档，上述结果仅供参考',
    en: 'Only partly relevant documents exist; take these as reference.',
  },
  NONE: {
    zh: '知识库中没有达到参考档位的文档',
    en: 'No document reaches reference grade.',
  },
};

/** Said in place of evidence when a lookup has none. */
export const nothingFoundText: BilingualText = {
  zh: '知识库未检索到可用证据，请结合日志、指标、告警继续排查',
  en: 'No usable evidence in the knowledge base; continue with logs, metrics and alerts.',
};

/** Said when a run may ask no more. */
export const stopRequiredText: BilingualText = {
  zh: '已达到检索上限或连续无新增证据，请立即根据已有证据提交报告',
  en: 'No more lookups: hand in the report now, from the evidence that you have.',
};

/** The one limitation of the draft that is published when no draft could be verified. */
export const fallbackLimitation: BilingualText = {
  zh: '未能形成可核验的诊断结论，请结合日志、指标、告警由人工继续排查。',
  en: 'No verifiable report could be produced; continue by hand with logs, metrics and alerts.',
};

/** The draft that is published when none could be verified: it claims nothing, and says so. */
export function fallbackDraft(language: keyof BilingualText): Draft {
  return { analysis: [], conclusion: null, actionPlan: [], limitations: [fallbackLimitation[language]] };
}
