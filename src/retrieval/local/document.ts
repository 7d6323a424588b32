/** What a file is to the index: text with a title, cut into blocks that a chunk is made of. */

export interface Block {
  /** Where the block lies in the document's text, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Code is split at line ends only. */
  readonly kind: 'heading' | 'text' | 'code';
  /** 1 to 6 of a heading, else 0. */
  readonly level: number;
  /** The words of a heading without markup, else empty. */
  readonly heading: string;
}

export interface SourceDocument {
  readonly title: string;
  /** False where only the file's name gave a title. */
  readonly titled: boolean;
  /** The text that chunks are slices of. */
  readonly text: string;
  /** In order, without overlap. */
  readonly blocks: readonly Block[];
}

/** Reads one kind of file. `fileTitle` stands in where the text names no title. */
export type ParseDocument = (text: string, fileTitle: string) => SourceDocument;
