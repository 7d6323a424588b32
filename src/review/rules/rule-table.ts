import type { ReviewStatus } from '../../contracts/generated.js';

interface Rule {
  readonly status: ReviewStatus;
  /** When it has something to say. */
  readonly when: string;
  /** The texts that it looks at. */
  readonly texts: string;
}

const ALL = 'all';
const CLAIMS = 'normal analyses, conclusion, actions';
const NORMAL = 'normal analyses';
const NEGATIVE = 'negative observations';

/**
 * What the deterministic reviewer can find in a text, in the order in which it looks: the first that applies is the
 * finding. A SUPPORTED one is a warning.
 */
export const ruleTable = {
  NUMBER_NOT_SHOWN: {
    status: 'UNSUPPORTED',
    when: 'a number with 3 or more integer digits, a decimal, a date, a version or an address that is in no evidence',
    texts: ALL,
  },
  TOO_FEW_WORDS: { status: 'NOT_EVALUATED', when: 'fewer than 3 content words', texts: CLAIMS },
  NO_COMMON_SCRIPT: {
    status: 'NOT_EVALUATED',
    when: 'the text is written in no script that the evidence is written in',
    texts: CLAIMS,
  },
  WORDS_NOT_SHOWN: {
    status: 'UNSUPPORTED',
    when: 'less than 30 % of its distinct content words are in the evidence',
    texts: CLAIMS,
  },
  NAME_NOT_SHOWN: {
    status: 'UNSUPPORTED',
    when: 'an identifier (`etcdNoLeader`, `read_timeout`, `alertmanager.yaml`) that is in no evidence; or a name that is in none, in a clause that is otherwise one of the evidence with another word in its place',
    texts: CLAIMS,
  },
  NEGATION_FLIPPED: {
    status: 'UNSUPPORTED',
    when: 'a clause that denies what a clause of the evidence says, or says what it denies, in otherwise nearly the same words, where no clause of the evidence says the same',
    texts: CLAIMS,
  },
  TOO_MUCH_TO_COMPARE: {
    status: 'NOT_EVALUATED',
    when: 'more clauses than are compared with the evidence for denials',
    texts: CLAIMS,
  },
  CERTAINTY_RAISED: {
    status: 'OVERSTATED',
    when: 'surer (may, suggests, shows, proves) than the evidence is anywhere',
    texts: CLAIMS,
  },
  ABSOLUTE_NOT_SHOWN: {
    status: 'OVERSTATED',
    when: 'an absolute that the evidence does not have',
    texts: ALL,
  },
  NOT_PRECISE: {
    status: 'OVERSTATED',
    when: 'it proves, or has an absolute, and no lookup under it is PRECISE',
    texts: CLAIMS,
  },
  TRUNCATED_VIEW: { status: 'OVERSTATED', when: 'the view under it leaves something out', texts: NEGATIVE },
  NO_COORDINATE: { status: 'UNSUPPORTED', when: 'it names no document and quotes none', texts: NORMAL },
  WARN_SMALL_NUMBER: { status: 'SUPPORTED', when: 'a smaller number that is in no evidence', texts: ALL },
  WARN_NAME: { status: 'SUPPORTED', when: 'any other name that is in no evidence', texts: CLAIMS },
} as const satisfies Readonly<Record<string, Rule>>;

/** First word of a finding's reason. */
export type ReviewCode = keyof typeof ruleTable;
