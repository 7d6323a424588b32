import type { EvidenceItem, Gain } from '../contracts/generated.js';
import type { Sha256 } from '../text/text.js';

/** What makes an item the same one when it is shown again: its identity and its words. */
export function itemDigest(
  { documentId, excerpt }: Pick<EvidenceItem, 'documentId' | 'excerpt'>,
  sha256: Sha256,
): string {
  return sha256(JSON.stringify([documentId, excerpt]));
}

/**
 * What an answer adds to what its run was shown before: NONE without items, UNCHANGED when every item was
 * shown before with the same words, else NEW. Both arguments are digests of `itemDigest`.
 */
export function gainOf(items: readonly string[], shownBefore: ReadonlySet<string>): Gain {
  if (items.length === 0) return 'NONE';
  return items.every((digest) => shownBefore.has(digest)) ? 'UNCHANGED' : 'NEW';
}
