import type { Difference } from './equal.js';

/** What a replay of one event came to. */
export type Comparison =
  | { readonly kind: 'EQUAL' }
  | { readonly kind: 'DIFFERENT'; readonly differences: readonly Difference[] }
  /** Too much is not kept any more to tell (PL_EVIDENCE_GONE). */
  | { readonly kind: 'GONE'; readonly gone: readonly string[] };

/** The worst of several: a difference, else what is gone. */
export function worstOf(comparisons: readonly Comparison[]): Comparison['kind'] {
  const kinds = new Set(comparisons.map(({ kind }) => kind));
  return kinds.has('DIFFERENT') ? 'DIFFERENT' : kinds.has('GONE') ? 'GONE' : 'EQUAL';
}
