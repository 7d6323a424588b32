/**
 * Limits of what the audit keeps of one lookup's hits. A retriever may bring any number of them under keys of any
 * length; what is left out is counted. Characters are UTF-16 code units.
 */
export interface TraceLimits {
  /** Hits of one list. */
  readonly hits: number;
  /** Characters of the keys in one list. */
  readonly keyChars: number;
  /** Characters of a query plan, and of a retriever's own trace. */
  readonly planChars: number;
}

/** The defaults: twice as many hits as a lookup may ask for. */
export const traceLimits: TraceLimits = Object.freeze({ hits: 200, keyChars: 32_768, planChars: 16_384 });
