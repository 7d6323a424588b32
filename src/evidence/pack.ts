import { cutText, isBlank } from '../text/text.js';
import { evidenceLimits } from './limits.js';
import type { EvidenceBlock } from './postprocess.js';

/** What packing needs of a block. */
export type PackableBlock = Pick<
  EvidenceBlock,
  'evidenceKey' | 'source' | 'breadcrumb' | 'hitReasons' | 'content'
>;

/** The evidence as one text within a budget of characters: for people and prompts, not what agents are given. */
export interface ContextPack {
  readonly packedText: string;
  readonly strategy: typeof PACK_STRATEGY;
  readonly charBudget: number;
  /** Length of the text. */
  readonly usedChars: number;
  /** One entry a block, repeats kept: its source, else its evidence key. */
  readonly includedSources: readonly string[];
  readonly omittedSources: readonly string[];
}

export const PACK_STRATEGY = 'ranked_evidence_char_budget';

const SEPARATOR = '\n\n';
const ELLIPSIS = '...';

/**
 * Blocks in rank order, first come first served: whole while they fit, then one cut to what is left and
 * marked with `...`, then no more, however small.
 */
export function packEvidence(
  blocks: readonly PackableBlock[],
  charBudget: number = evidenceLimits.packChars,
): ContextPack {
  return packWithPlaces(blocks, charBudget).pack;
}

/** Where the text of a block stands in the packed text, without the dots: UTF-16, end exclusive. */
export interface PackedPlace {
  readonly start: number;
  readonly end: number;
}

/** The pack, and the place of each block that is in it. */
export function packWithPlaces(
  blocks: readonly PackableBlock[],
  charBudget: number = evidenceLimits.packChars,
): { readonly pack: ContextPack; readonly places: readonly PackedPlace[] } {
  let packedText = '';
  const places: PackedPlace[] = [];
  for (const [index, block] of blocks.entries()) {
    const head = (index === 0 ? '' : SEPARATOR) + headerOf(block, index + 1);
    const room = charBudget - packedText.length - head.length;
    const content = block.content.length <= room ? block.content : cutToRoom(block.content, room);
    if (content === null) break;
    const isCut = content !== block.content;
    const start = packedText.length + head.length;
    packedText += head + content;
    places.push({ start, end: packedText.length - (isCut ? ELLIPSIS.length : 0) });
    if (isCut) break;
  }
  const sources = blocks.map(sourceOf);
  const pack: ContextPack = {
    packedText,
    strategy: PACK_STRATEGY,
    charBudget,
    usedChars: packedText.length,
    includedSources: sources.slice(0, places.length),
    omittedSources: sources.slice(places.length),
  };
  return { pack, places };
}

function headerOf(block: PackableBlock, number: number): string {
  const lines = [`[Evidence ${number}]`];
  if (hasText(block.source)) lines.push(`source: ${block.source}`);
  if (hasText(block.breadcrumb)) lines.push(`breadcrumb: ${block.breadcrumb}`);
  // Blocks of post-processing always have some.
  if (block.hitReasons.length > 0) lines.push(`reasons: ${block.hitReasons.join(', ')}`);
  lines.push('content:', '');
  return lines.join('\n');
}

/** What fits of the content, with the dots; null when not even one grapheme does. */
function cutToRoom(content: string, room: number): string | null {
  const cut = cutText(content, room - ELLIPSIS.length);
  return cut === '' ? null : cut + ELLIPSIS;
}

function sourceOf(block: PackableBlock): string {
  return hasText(block.source) ? block.source : block.evidenceKey;
}

function hasText(text: string | null): text is string {
  return text !== null && !isBlank(text);
}
