import type { Hit } from '../contracts/generated.js';
import { isBlank } from '../text/text.js';
import type { DropReason, EvidenceBlock, Postprocessed } from './postprocess.js';

/** A hit and what became of it: the block that it is now, or the reason why it is none. */
export type RankedHit = { readonly hit: Hit } & (
  | { readonly block: EvidenceBlock; readonly dropped: null }
  | { readonly block: null; readonly dropped: DropReason | null }
);

/** All hits in the order that post-processing looked at them in: by rank, those without one last. */
export function rankedHits(
  hits: readonly Hit[],
  { blocks, dropped }: Pick<Postprocessed, 'blocks' | 'dropped'>,
): RankedHit[] {
  const inOrder = hits.toSorted((a, b) => rankOf(a) - rankOf(b) || 0);
  // Both lists are in this order: a hit is the next block, or else the next that was dropped.
  let [nextBlock, nextDrop] = [0, 0];
  return inOrder.map((hit) => {
    const block = blocks[nextBlock];
    if (block?.evidenceKey === hit.evidenceKey && !isBlank(hit.content)) {
      nextBlock += 1;
      return { hit, block, dropped: null };
    }
    const drop = dropped[nextDrop];
    nextDrop += 1;
    return { hit, block: null, dropped: (drop?.reason as DropReason | undefined) ?? null };
  });
}

function rankOf({ originalRank }: Hit): number {
  return originalRank ?? Infinity;
}
