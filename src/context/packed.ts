import { evidenceLimits } from '../evidence/limits.js';
import { packWithPlaces } from '../evidence/pack.js';
import { isBlank } from '../text/text.js';
import type { ContextAssembler } from './assemble.js';
import { citationOf, type ContextHit } from './citation.js';

/**
 * The packed text of evidence as a context: within a budget of characters, its last passage cut and marked with `...`.
 * The passages `[Evidence 1]`, `[Evidence 2]`, … are the sources `S1`, `S2`, ….
 */
export function packedAssembler(charBudget: number = evidenceLimits.packChars): ContextAssembler {
  return (_query, hits) => {
    const withText = hits.filter(({ content }) => !isBlank(content));
    const { pack, places } = packWithPlaces(withText.map(blockOf), charBudget);
    const text = pack.packedText;
    const citations = withText.slice(0, places.length).flatMap((hit, i) => {
      const place = places[i];
      if (place === undefined) return [];
      return [citationOf(`S${i + 1}`, hit, text.slice(place.start, place.end), place.start)];
    });
    return { text, citations };
  };
}

function blockOf({ evidenceKey, sourcePath, breadcrumb, content }: ContextHit) {
  return {
    evidenceKey: evidenceKey ?? '',
    source: sourcePath?.toWellFormed() ?? null,
    breadcrumb: breadcrumb?.toWellFormed() ?? null,
    // How its items were found is no part of a view.
    hitReasons: [],
    content: content.toWellFormed(),
  };
}
