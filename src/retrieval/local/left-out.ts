/** Why a file of the folder is not in the index. */
export const LEFT_OUT_REASONS = [
  /** No .md, .mdx, .txt or .html. */
  'extension',
  /** Its name, or its folder's, begins with a dot; or the folder holds other people's packages. */
  'hidden',
  /** Over the limit of bytes; not read. */
  'too_large',
  /** Bytes that are no text. */
  'binary',
  /** Text in another encoding. */
  'not_utf8',
  /** No permission, or an I/O error. */
  'unreadable',
  /** A folder, pipe, socket or device where a file was expected. */
  'not_a_file',
  /** A link to outside of the folder. */
  'link_outside',
  /** A link that leads nowhere, or to itself. */
  'link_broken',
  /** A link to a folder, or to a file that is indexed under its own name. */
  'link_repeats',
  /** Nothing in it but white space and markup. */
  'empty',
  /** The folder has more files than an index takes. */
  'too_many_files',
  /** Folders below folders below folders. */
  'too_deep',
] as const;

export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export interface LeftOut {
  /** How many files (or whole folders, for `hidden`, `unreadable` and `too_deep`) were left out, by reason. */
  readonly counts: Readonly<Partial<Record<LeftOutReason, number>>>;
  /** The first few paths of each reason. */
  readonly examples: Readonly<Partial<Record<LeftOutReason, readonly string[]>>>;
}

/** Counts what is left out, with a few examples of each reason. */
export interface LeftOutTally extends LeftOut {
  add(reason: LeftOutReason, path: string): void;
}

const EXAMPLES = 5;

export function createLeftOutTally(): LeftOutTally {
  const counts: Partial<Record<LeftOutReason, number>> = {};
  const examples: Partial<Record<LeftOutReason, string[]>> = {};
  return {
    counts,
    examples,
    add(reason, path) {
      counts[reason] = (counts[reason] ?? 0) + 1;
      const paths = (examples[reason] ??= []);
      if (paths.length < EXAMPLES) paths.push(path);
    },
  };
}
