/** Limits of answers that are cut into claims. What is larger is refused before it is looked at. */
export interface SpanLimits {
  /** Characters (UTF-16) of an answer. */
  readonly answerChars: number;
  /** Claims of an answer. */
  readonly claims: number;
}

/** The defaults. */
export const spanLimits: SpanLimits = Object.freeze({ answerChars: 1024 * 1024, claims: 50_000 });
