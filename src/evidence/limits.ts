/**
 * Every limit of the evidence rules. Characters are UTF-16 code units, bytes are UTF-8. The thresholds of
 * relevance are not calibrated: they are taken over from the retrieval service's own grades.
 */
export interface EvidenceLimits {
  /** Evidence blocks of a lookup. */
  readonly maxBlocks: number;
  /** Evidence blocks of one document. */
  readonly maxBlocksPerDocument: number;
  /** Quality from which the best block is PRECISE. */
  readonly preciseFrom: number;
  /** Quality from which the best block is REFERENCE; below it the lookup is of low quality. */
  readonly referenceFrom: number;
  /** Characters of the packed text. */
  readonly packChars: number;
  /** Characters of the query in an agent view. */
  readonly queryChars: number;
  /** Items of an agent view. */
  readonly maxItems: number;
  /** Characters of an item's excerpt. */
  readonly excerptChars: number;
  /** Bytes of an agent view. */
  readonly viewBytes: number;
  /** Characters of retrieval's own word for why there is no evidence. */
  readonly basisChars: number;
  /** Levels of nesting in JSON that is passed on without being understood (trace, filters). */
  readonly jsonDepth: number;
}

/** The defaults. */
export const evidenceLimits: EvidenceLimits = Object.freeze({
  maxBlocks: 5,
  maxBlocksPerDocument: 2,
  preciseFrom: 0.75,
  referenceFrom: 0.5,
  packChars: 4000,
  queryChars: 500,
  maxItems: 8,
  excerptChars: 1200,
  viewBytes: 16_384,
  basisChars: 200,
  jsonDepth: 64,
});
