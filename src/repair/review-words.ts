import type { ReviewStatus } from '../contracts/generated.js';
import type { RepairWords } from './violation-words.js';

/** What a repair prompt says of what review found, by its status. */
export const reviewWords: Readonly<Record<ReviewStatus, RepairWords>> = {
  UNSUPPORTED: {
    wrong: { zh: '所引用的证据不支持这段文字。', en: 'The evidence cited does not carry this text.' },
    mend: {
      zh: '只写证据中有的内容，或删除这段文字。',
      en: 'Say only what the evidence says, or leave the text out.',
    },
  },
  OVERSTATED: {
    wrong: {
      zh: '这段文字说的内容或肯定程度超出了所引用的证据。',
      en: 'The text says more, or is surer, than the evidence cited.',
    },
    mend: {
      zh: '范围和语气都不要超出证据。',
      en: 'Say it no stronger and no wider than the evidence does.',
    },
  },
  NOT_EVALUATED: {
    wrong: {
      zh: '无法判断证据是否支持这段文字。',
      en: 'It could not be told whether the evidence carries this text.',
    },
    mend: {
      zh: '用证据的语言和词语写得更具体。',
      en: 'Write it more concretely, in the language and the words of the evidence.',
    },
  },
  ABSTAINED: {
    wrong: {
      zh: '报告没有下结论；这本身不是错误。',
      en: 'The report concludes nothing; that by itself is no fault.',
    },
    mend: {
      zh: '证据不足时保持 conclusion 为 null。',
      en: 'Keep conclusion null where the evidence is not enough.',
    },
  },
  SUPPORTED: {
    wrong: {
      zh: '仅为提醒：这里有一处与证据不完全对应。',
      en: 'A warning only: something here does not quite match the evidence.',
    },
    mend: { zh: '核对这一处；它本身不会使报告被退回。', en: 'Check it; by itself it turns no report back.' },
  },
};

/** What mends a finding of one kind, more closely than its status says. A kind that has no row gets its status's. */
export const reviewMends: Readonly<Record<string, RepairWords['mend']>> = {
  NUMBER_NOT_SHOWN: {
    zh: '使用证据中的数字，或删除这个数字。',
    en: 'Use a number that the evidence has, or leave it out.',
  },
  WORDS_NOT_SHOWN: {
    zh: '用证据的词语重写，或引用真正谈到这一点的检索。',
    en: 'Write it in the words of the evidence, or cite the lookup that is about it.',
  },
  NAME_NOT_SHOWN: {
    zh: '使用证据中的名称，或删除这个名称。',
    en: 'Use the name as the evidence has it, or leave it out.',
  },
  NEGATION_FLIPPED: {
    zh: '证据的说法与此相反：按证据的说法改正，或删除这句话。',
    en: 'The evidence says the contrary: say what it says, or leave the sentence out.',
  },
  TOO_MUCH_TO_COMPARE: {
    zh: '写得更短，分成几项分析，每项只说一件事。',
    en: 'Write it shorter: several analyses, each about one thing.',
  },
  CERTAINTY_RAISED: {
    zh: '用与证据相同的确定程度，例如“可能”“表明”。',
    en: 'Use the same degree of certainty as the evidence, as "may" or "suggests".',
  },
  ABSOLUTE_NOT_SHOWN: {
    zh: '删除证据中没有的绝对化词语，例如“唯一”“一定”“所有”。',
    en: 'Leave out absolutes that the evidence lacks, as "only", "always" or "all".',
  },
  NOT_PRECISE: {
    zh: '没有 PRECISE 级别的证据时，不要写“证明”或绝对化词语。',
    en: 'Without PRECISE evidence under it, claim no proof and nothing absolute.',
  },
  NO_COORDINATE: {
    zh: '在 document_ids 中写出它所依据的文档，或引用其中的文字。',
    en: 'Name the documents that it rests on in document_ids, or quote them.',
  },
  TRUNCATED_VIEW: {
    zh: '检索结果被截断：缩小查询范围重新检索，或删除“没有找到”的说法。',
    en: 'The view was truncated: narrow the query and look it up again, or do not say that nothing was found.',
  },
  TOO_FEW_WORDS: {
    zh: '写成完整的句子，使其可以与证据对照。',
    en: 'Write a whole sentence, so that it can be held against the evidence.',
  },
  NO_COMMON_SCRIPT: {
    zh: '用证据所用的语言书写。',
    en: 'Write it in the language of the evidence.',
  },
};

/** What a repair prompt says where a person turned the draft back. */
export const personWords: RepairWords = {
  wrong: { zh: '审核人退回了这份报告。', en: 'A person who looked at the report turned it back.' },
  mend: { zh: '按审核人说明的理由修改。', en: 'Mend what the reason names.' },
};
