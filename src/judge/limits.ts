/** How much of a question and of an answer is put up with. */
export interface JudgeLimits {
  /** Characters (UTF-16) of question, answer and evidence together. */
  readonly questionChars: number;
  /** Statements of an answer. */
  readonly claims: number;
  /** Characters that are kept of what the judge answered. */
  readonly rawChars: number;
  /** Characters that are kept of its reason, and of what it says of one claim. */
  readonly reasonChars: number;
  readonly whyChars: number;
}

export const judgeLimits: JudgeLimits = Object.freeze({
  questionChars: 200_000,
  claims: 128,
  rawChars: 4_000,
  reasonChars: 1_000,
  whyChars: 300,
});
