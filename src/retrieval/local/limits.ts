/** Every limit of the local index. Sizes of text count UTF-16 code units, sizes of files bytes. */
export interface IndexLimits {
  /** Bytes of a file; a larger one is left out unread. */
  readonly maxFileBytes: number;
  /** Files of a folder; further ones are left out. */
  readonly maxFiles: number;
  /** Folders below one another. */
  readonly maxDepth: number;
  /** Characters of a chunk. Not more than an agent is shown of it, so that no excerpt is cut. */
  readonly maxChunkChars: number;
  /** Short sections are joined to one chunk while they stay within this. */
  readonly joinChars: number;
  /** Characters of a title or of a heading in a breadcrumb. */
  readonly maxTitleChars: number;
}

export const indexLimits: IndexLimits = Object.freeze({
  maxFileBytes: 2 * 1024 * 1024,
  maxFiles: 50_000,
  maxDepth: 64,
  maxChunkChars: 1200,
  joinChars: 800,
  maxTitleChars: 200,
});

/** Limits of a search. */
export interface SearchLimits {
  /** Characters of the query that are read. */
  readonly maxQueryChars: number;
  /** Distinct terms of the query. */
  readonly maxTerms: number;
  /** Hits that can be asked for. */
  readonly maxTopK: number;
  /** Score under which a chunk is no hit. Not calibrated: the grade's own lower bound. */
  readonly minScore: number;
  /** Score from which a hit is graded PRECISE. Not calibrated either. */
  readonly preciseFrom: number;
}

export const searchLimits: SearchLimits = Object.freeze({
  maxQueryChars: 4000,
  maxTerms: 64,
  maxTopK: 100,
  minScore: 0.5,
  preciseFrom: 0.75,
});
