/** How sure a text says it is, from weakest to strongest. */
export const CERTAINTIES = ['MAY', 'SUGGESTS', 'SHOWS', 'PROVES'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

/** What admits no exception. Words of one kind stand for each other in both languages. */
export const ABSOLUTES = ['ONLY', 'ALL', 'ALWAYS', 'NEVER', 'CERTAINLY', 'ROOT_CAUSE'] as const;
export type Absolute = (typeof ABSOLUTES)[number];

export type MarkerKind = Certainty | Absolute;

interface MarkerWords {
  /** Patterns of whole words, without regard to case; a space stands for any white space. */
  readonly english: string;
  /** Patterns that may stand anywhere. */
  readonly chinese: string;
}

/**
 * The words of each kind. Of alternatives that begin at one place the first listed wins, so a longer phrase of a
 * weaker kind (不一定, 很可能) stands before the stronger word that it contains.
 */
export const MARKERS: Readonly<Record<MarkerKind, MarkerWords>> = {
  MAY: {
    english:
      'may|might|could|maybe|perhaps|possibly|possible|potentially|conceivably|whether|not necessarily|not always|unclear|sometimes|occasionally',
    chinese: '(?<![不尽])可能|不一定|未必|不见得|也许|或许|恐怕|说不定|大概(?!率)|有时|是否',
  },
  SUGGESTS: {
    english:
      'suggest(?:s|ed|ing)?|indicat(?:e|es|ed|ing)|impl(?:y|ies|ied)|appears? to|seem(?:s|ed)?|likely|probably|presumably|apparently|supposedly|suspected|points? to|tends? to',
    chinese: '很可能|极可能|极有可能|大概率|暗示|似乎|看来|看起来|推测|疑似|怀疑|估计|多半|倾向于|指向',
  },
  SHOWS: {
    english:
      'show(?:s|ed|n|ing)?|demonstrat(?:es|ed)|reveal(?:s|ed)?|confirm(?:s|ed)|establish(?:es|ed)|(?:is|are|was|were|been) caused by|cause (?:is|was)',
    chinese: '表明|显示(?![器屏])|说明(?!书|文档|文件|页)|证实|根因是|原因是|导致|引起|引发|造成',
  },
  PROVES: {
    english: 'prove[sdn]?|proving|conclusively|irrefutably|(?:no|beyond|without) (?:any |a )?doubt',
    chinese: '证明|确凿|毫无疑问|无可置疑|铁证',
  },
  ONLY: {
    english: '(?<!\\bread )only|solely|sole|exclusively',
    chinese: '唯一(?! ?(?:标识|性|索引|键|约束|id|ID))|只有',
  },
  ALL: {
    english: '(?<!\\b(?:at|after|above|first of) )all|without exception|in every case',
    chinese: '所有|全部|一切|无一例外',
  },
  ALWAYS: { english: '(?<!not )always|invariably|at all times', chinese: '总是|始终|永远(?!不)|每次都' },
  NEVER: { english: 'never|under no circumstances', chinese: '从不|从未|绝不|决不|永不|永远不' },
  CERTAINLY: {
    english: 'certainly|definitely|inevitably|undoubtedly|guarantee[sd]?|(?:is|are) bound to',
    chinese: '必然|必定|必将|势必|(?<!不)一定(?!的|程度|数量|时间|范围|比例|条件|影响)|肯定是',
  },
  ROOT_CAUSE: { english: '(?!)', chinese: '根因就是|根本原因就是|原因就是|就是根因' },
};

/**
 * Words that say as much as an absolute but are said lightly. In evidence they stand for it; in a draft they are none.
 */
export const SHOWN_ABSOLUTES: Readonly<Record<Absolute, MarkerWords>> = {
  ONLY: { english: 'just|merely|nothing but|no other', chinese: '仅|只(?!要|读|是想|不过)' },
  ALL: {
    english: 'every|each|any|entire(?:ly)?|both|everything',
    chinese: '每个|每一|各个|任何|任意|均|都|凡是|全都',
  },
  ALWAYS: {
    english: 'every time|whenever|constantly|permanently|consistently',
    chinese: '一直|每次|任何时候|恒',
  },
  NEVER: {
    english: 'must not|at no time|not ever|do not ever|no circumstances',
    chinese: '绝对不|一律不|任何时候都不|不会|不得|切勿',
  },
  CERTAINLY: { english: 'must|sure to|will always', chinese: '必须|务必|肯定|总会' },
  ROOT_CAUSE: { english: 'the (?:root )?cause is', chinese: '根因是|根本原因是' },
};

/** Right before a marker it takes the marker's force away: `does not prove`, `not all`, 并不表明. */
export const NEGATION_BEFORE =
  /(?:(?<![\w'’-])(?:not(?!\s+only\b)|no(?!\s+doubt\b)|nor|neither|never|cannot|without(?!\s+(?:any\s+|a\s+)?doubt\b)|hardly)|n['’]t)\s+(?:[\p{L}\p{N}]+\s+){0,2}$|(?:不(?![仅但光断同久停])|未(?!来)|没|无法|难以|并非|是否)[^\s，。；：！？,;:!?]{0,2}$/iu;

/** A line that goes on in the next, as hard-wrapped prose does: neither list, nor heading, nor empty line. */
const WRAP = String.raw`\n(?=[a-z\p{Script=Han}])`;

/** Ends what a hedge governs. */
export const CLAUSE_END = new RegExp(String.raw`[,，。；;：:!?！？]|\.\s|(?!${WRAP})\n`, 'u');

/** A sentence with its end; dots inside words and numbers are none. */
export const SENTENCE = new RegExp(String.raw`(?:[^。！？!?\n.]|\.(?!\s|$)|${WRAP})+[。！？!?.]*`, 'gu');

/** First words of a sentence that tells what to do: it claims nothing. */
export const INSTRUCTION =
  /^(?:(?:please|check|verify|ensure|make sure|see|run|use|set|open|look|inspect|confirm|restart|increase|reduce|raise|lower|add|remove|try|review|note|find|do|don't)\b|请|先|然后|检查|查看|确认|核对|重启|执行|运行|使用|设置|调整|参考|建议)/i;
