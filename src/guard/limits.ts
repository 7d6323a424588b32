/** What a draft may hold, and how much of what is wrong with it a record keeps. All of it is configuration. */
export interface GuardLimits {
  /** UTF-8 bytes of the draft's text as it came. */
  readonly draftBytes: number;
  /** How deep arrays and objects may stand in each other before anything parses them. */
  readonly nesting: number;
  readonly analyses: number;
  readonly actions: number;
  readonly limitations: number;
  /** Ids in one list: calls, documents, analyses. */
  readonly idsPerList: number;
  readonly quotesPerAnalysis: number;
  /** Different calls in one draft. */
  readonly calls: number;
  /** Violations that a record holds; its count counts all of them. */
  readonly recordViolations: number;
  /** UTF-16 units of a message, and of a detail, in a record. */
  readonly recordChars: number;
  /** Pairs of ids that are compared in search of near misses. They only help a reader: no status hangs on them. */
  readonly nearMissPairs: number;
  /** UTF-16 units that are read to explain why quotes fail. They only help a reader, too. */
  readonly quoteHintUnits: number;
}

export const defaultGuardLimits: GuardLimits = {
  draftBytes: 256 * 1024,
  nesting: 32,
  analyses: 64,
  actions: 64,
  limitations: 64,
  idsPerList: 32,
  quotesPerAnalysis: 32,
  calls: 128,
  recordViolations: 1000,
  recordChars: 500,
  nearMissPairs: 200_000,
  quoteHintUnits: 16_000_000,
};
