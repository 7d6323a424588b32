import type { QuoteOutcome } from '../contracts/generated.js';
import { parseAgentView } from '../evidence/parse-agent-view.js';
import { utf8Length, type Sha256 } from '../text/text.js';
import { findOnRung, RUNGS } from './find-quote.js';
import { prepareQuote } from './prepared-quote.js';
import { shownText } from './shown-text.js';

/** A stretch of a text, and the digest of the whole text that it is of. */
export interface ChainLink {
  /** UTF-16 units (JavaScript `length`), end exclusive. */
  readonly start: number;
  readonly end: number;
  /** SHA-256 of the whole text's UTF-8 bytes, hex. */
  readonly sha256: string;
}

/**
 * Where quoted words stand from the chunk that retrieval found to the draft that quotes them. Each link is checked by
 * slicing and by digest, and needs no other.
 */
export interface OffsetChain {
  /** In the untruncated text of the chunk; null where it is not at hand. The excerpt is its beginning. */
  readonly chunk: ChainLink | null;
  /** In the excerpt, as the verdict says. */
  readonly excerpt: ChainLink;
  /** In the text of the agent view, where the words are written as JSON writes them; also in UTF-8 bytes of it. */
  readonly agentView: ChainLink & { readonly startByte: number; readonly endByte: number };
  /** The quote in the draft, whole; digest of its text as written. */
  readonly draft: { readonly path: string; readonly rung: string; readonly sha256: string };
}

/** The texts that a chain runs through. */
export interface ChainTexts {
  /** The untruncated text behind the excerpt; null where it is not at hand. */
  readonly chunk: string | null;
  readonly agentView: string;
  /** The quote's text in the draft. */
  readonly quote: string;
}

/** The chain of a quote that was found; null where it was not, or where the view does not show its document. */
export function offsetChain(outcome: QuoteOutcome, texts: ChainTexts, sha256: Sha256): OffsetChain | null {
  const { path, rung, start, end } = outcome;
  const excerpt = excerptIn(texts.agentView, outcome);
  if (rung === null || start === null || end === null || excerpt === null) return null;
  const written = writtenPlace(texts.agentView, excerpt, { start, end });
  const bytesBefore = utf8Length(texts.agentView.slice(0, written.start));
  const bytes = utf8Length(texts.agentView.slice(written.start, written.end));
  const { chunk } = texts;
  return {
    chunk: chunk?.startsWith(excerpt.text) === true ? { start, end, sha256: sha256(chunk) } : null,
    excerpt: { start, end, sha256: sha256(excerpt.text) },
    agentView: {
      ...written,
      sha256: sha256(texts.agentView),
      startByte: bytesBefore,
      endByte: bytesBefore + bytes,
    },
    draft: { path, rung, sha256: sha256(texts.quote) },
  };
}

interface ExcerptInView {
  readonly text: string;
  /** Which item of the view it is of. */
  readonly index: number;
}

function excerptIn(agentView: string, { toolCallId, documentId }: QuoteOutcome): ExcerptInView | null {
  const reading = parseAgentView(agentView, toolCallId ?? '');
  if ('problem' in reading) return null;
  const index = reading.view.evidence.findIndex((item) => item.documentId === documentId);
  const item = reading.view.evidence[index];
  return item === undefined ? null : { text: item.excerpt, index };
}

/** Inside a JSON string every quote mark is escaped, so this stands before an item's excerpt and nowhere else. */
const BEFORE_EXCERPT = '"excerpt":"';

function writtenPlace(
  agentView: string,
  { text, index }: ExcerptInView,
  { start, end }: { readonly start: number; readonly end: number },
): { readonly start: number; readonly end: number } {
  let at = -1;
  for (let i = 0; i <= index; i++) at = agentView.indexOf(BEFORE_EXCERPT, at + 1);
  const from = at + BEFORE_EXCERPT.length + writtenLength(text.slice(0, start));
  return { start: from, end: from + writtenLength(text.slice(start, end)) };
}

/** How long a text is inside a JSON string. */
function writtenLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** The first link that does not hold for these texts; null when the whole chain does. */
export function brokenLink(
  chain: OffsetChain,
  excerpt: string,
  texts: ChainTexts,
  sha256: Sha256,
): 'CHUNK' | 'EXCERPT' | 'AGENT_VIEW' | 'DRAFT' | null {
  const words = excerpt.slice(chain.excerpt.start, chain.excerpt.end);
  const holds = (link: ChainLink, text: string, written: string): boolean =>
    sha256(text) === link.sha256 && text.slice(link.start, link.end) === written;
  if (!holds(chain.excerpt, excerpt, words)) return 'EXCERPT';
  if (chain.chunk !== null && !holds(chain.chunk, texts.chunk ?? '', words)) return 'CHUNK';
  if (!holds(chain.agentView, texts.agentView, JSON.stringify(words).slice(1, -1))) return 'AGENT_VIEW';
  return isQuoteOf(words, chain, texts.quote, sha256) ? null : 'DRAFT';
}

/** The quote is the whole of the words, on the rung that the chain names. */
function isQuoteOf(words: string, { draft }: OffsetChain, quote: string, sha256: Sha256): boolean {
  const rung = RUNGS.find((each) => each === draft.rung);
  if (rung === undefined || sha256(quote) !== draft.sha256) return false;
  const match = findOnRung(rung, prepareQuote({ text: quote, prefix: null, suffix: null }), shownText(words));
  return match?.start === 0 && match.end === words.length;
}
