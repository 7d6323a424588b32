/**
 * Limits of context assembly. What is larger is refused, never cut in silence: a prompt of which nobody knows what is
 * missing cannot be answered for. Characters are UTF-16 code units.
 */
export interface ContextLimits {
  /** Hits of one context. */
  readonly hits: number;
  /** Characters of all hits and their labels together. */
  readonly chars: number;
}

/** The defaults. */
export const contextLimits: ContextLimits = Object.freeze({ hits: 1000, chars: 2 * 1024 * 1024 });
