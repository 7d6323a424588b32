import type { Block } from './document.js';

/** Where something lies in a text, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Collects lines to blocks. */
export interface BlockBuilder {
  /** The lines of the block that is being collected; 0 when there is none. */
  readonly openLines: number;
  /** Adds a line to the open block when that is of the same kind, else begins a block with it. */
  extend(line: Span, kind: 'text' | 'code'): void;
  /** A heading block of its own. `over` replaces the open block: an underlined heading was text until now. */
  heading(span: Span, level: number, heading: string, options?: { over: boolean }): void;
  /** Ends the open block. */
  close(): void;
  /** The blocks that are complete. */
  readonly blocks: readonly Block[];
}

interface OpenBlock extends Span {
  readonly kind: 'text' | 'code';
  readonly lines: number;
}

export function createBlockBuilder(): BlockBuilder {
  const blocks: Block[] = [];
  let open: OpenBlock | null = null;
  const close = () => {
    if (open !== null)
      blocks.push({ start: open.start, end: open.end, kind: open.kind, level: 0, heading: '' });
    open = null;
  };
  return {
    blocks,
    close,
    get openLines() {
      return open?.lines ?? 0;
    },
    extend(line, kind) {
      if (open?.kind !== kind) close();
      open = { start: open?.start ?? line.start, end: line.end, kind, lines: (open?.lines ?? 0) + 1 };
    },
    heading(span, level, heading, { over } = { over: false }) {
      const start = over && open !== null ? open.start : span.start;
      if (over) open = null;
      close();
      blocks.push({ start, end: span.end, kind: 'heading', level, heading });
    },
  };
}
