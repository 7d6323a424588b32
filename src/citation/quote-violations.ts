/** Name of the rule set about quotes. */
export const QUOTE_RULES = 'quotes-1';

/** The violations of `quotes-1`: of a quote the first that applies. `{name}` is filled. */
export const quoteViolationTable = {
  QUOTE_TOO_SHORT: {
    message: 'The quote is too short to prove anything{fragment}. Quote more of the sentence.',
    when: 'under 4 characters, or nothing but ellipses; or, where it has ellipses, a part between them under 8 (4 with Han, kana or Hangul)',
  },
  QUOTE_DROPS_NEGATION: {
    message: 'The quote leaves out a negation of {document}. Quote the words with it.',
    when: 'only an ellipsis over a negation makes it fit',
  },
  QUOTE_NOT_SHOWN: {
    message:
      'The quoted words stand in {document} behind the cut, so they were not shown. Do not quote them.',
    when: 'the words are in the untruncated text, but what was shown of it was cut',
  },
  QUOTE_MISATTRIBUTED: {
    message:
      'The quoted words are not in {document}, but in {other} of lookup {call}. Quote that one instead.',
    when: 'another item has the words: of the lookups cited, or else of the run',
  },
  QUOTE_NOT_FOUND: {
    message:
      'The quoted words are not in {document} as it was shown. Quote it word for word, or leave the quote out.',
    when: 'none of these',
  },
} as const;

export type QuoteViolationCode = keyof typeof quoteViolationTable;
