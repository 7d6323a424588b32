/** The encodings that budgets are counted in. */
export const encodings = ['cl100k_base', 'o200k_base'] as const;

export type Encoding = (typeof encodings)[number];

/**
 * Counts a text's tokens. An implementation
 * - MUST count the whole text as text: what looks like a control token (`<|endoftext|>`) is none;
 * - MUST be deterministic, and MUST NOT take time that grows with the square of a text, whatever it holds;
 * - MUST answer `isSeam` with true only where the counts of both sides add up, whatever stands farther away.
 */
export interface TokenCounter {
  readonly encoding: string;
  /** @throws ProoflineError PL_INPUT_INVALID for a text of more than `MAX_COUNTED` characters. */
  count(text: string): number;
  /** The count where it is at most `limit`, else null, looking at no more of the text than it takes to know. */
  countWithin(text: string, limit: number): number | null;
  /** True where no token spans `index`, and nothing on one side changes the tokens of the other. */
  isSeam(text: string, index: number): boolean;
}

/** Characters (UTF-16) of a text that is counted at most. */
export const MAX_COUNTED = 4 * 1024 * 1024;
