/** What a run may spend where its first lookup does not say. */
export interface RunLimits {
  /** Until a run must have an outcome, milliseconds after its first lookup. */
  readonly deadlineMs: number;
  /** Answers in a row without anything new, after which a run may ask no more. */
  readonly noGainInARow: number;
  /** Lookups that are answered; null for any number. */
  readonly maxLookups: number | null;
  /** Tokens of what was shown and generated; null for any number. */
  readonly maxTokens: number | null;
}

/**
 * Time and answers that bring nothing new bound every run. How many lookups and tokens a good run takes depends on the
 * model and the question, so nothing is assumed of them.
 */
export const defaultRunLimits: RunLimits = {
  deadlineMs: 30 * 60_000,
  noGainInARow: 3,
  maxLookups: null,
  maxTokens: null,
};

/** Gains that are remembered of a run: more of them in a row cannot be asked for. */
export const MAX_GAIN_HISTORY = 100;

/** Events that are remembered of a run; one that comes again after so many others is counted again. */
export const MAX_COUNTED_EVENTS = 1000;

/** The year 2200, in epoch milliseconds: no deadline is later. */
export const LATEST_DEADLINE = 7_258_118_400_000;
