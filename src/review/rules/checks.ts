import type { EvidenceSpan } from '../../contracts/generated.js';
import { heldAgainst } from './alignment.js';
import { rankOf } from './certainty.js';
import { CERTAINTIES } from './certainty-words.js';
import type { Certainty } from './certainty-words.js';
import { placeOf, quoted, result, said, wholeOf } from './check-result.js';
import type { Check } from './check-result.js';
import type { ClaimedNumber } from './claim.js';
import { spanIn } from './evidence-text.js';
import type { Evidence, ShownPassage } from './evidence-text.js';
import { claimedKeys, isWeighty } from './numbers.js';
import type { NumberMention } from './numbers.js';
import { countWords } from './words.js';

/** A number that matters and that no evidence has. */
export const checkNumbers: Check = (claim, evidence, limits) => {
  const invented = claim.numbers.find(
    ({ mention, terms }) => isWeighty(mention, limits.minDigits) && !isShown(terms, evidence),
  );
  if (!invented) return null;
  const closest = closestNumber(invented, evidence.passages);
  const instead = closest ? `; the closest there is ${quoted(closest.passage.excerpt, closest.mention)}` : '';
  return result(
    'UNSUPPORTED',
    'NUMBER_NOT_SHOWN',
    `${said(claim, invented.mention)} is in no evidence${instead}`,
    {
      draftSpan: placeOf(invented.mention),
      evidenceSpans: closest
        ? [spanIn(closest.passage, closest.mention)]
        : heldAgainst(evidence, claim, invented.mention),
    },
  );
};

/** A small number that no evidence has: counts and list numbers are often the writer's own. */
export const warnOfSmallNumbers: Check = (claim, evidence) => {
  const unseen = claim.numbers.filter(({ terms }) => !isShown(terms, evidence));
  const first = unseen[0];
  if (!first) return null;
  const more = unseen.length > 1 ? ` (and ${unseen.length - 1} more)` : '';
  const words = `${said(claim, first.mention)}${more} is in no evidence; too small to reject`;
  return result('SUPPORTED', 'WARN_SMALL_NUMBER', words, {
    draftSpan: placeOf(first.mention),
    // Nearly every draft has such a warning: the nearest words would cost more than all else.
    evidenceSpans: heldAgainst(evidence),
  });
};

/** Too little in common with the evidence, or nothing to compare. */
export const checkWords: Check = (claim, evidence, limits) => {
  const { total, shown } = countWords(claim.words, (term) => evidence.shows(term));
  const spans = () => ({ draftSpan: wholeOf(claim), evidenceSpans: heldAgainst(evidence) });
  if (total < 2 * limits.minWords) {
    const words = `fewer than ${limits.minWords} content words to compare`;
    return result('NOT_EVALUATED', 'TOO_FEW_WORDS', words, spans());
  }
  if (![...claim.scripts].some((script) => evidence.scripts.has(script)))
    return result('NOT_EVALUATED', 'NO_COMMON_SCRIPT', 'text and evidence have no script in common', spans());
  if (shown / total >= limits.minShare) return null;
  const share = `${Math.floor((100 * shown) / total)}% of its content words`;
  return result(
    'UNSUPPORTED',
    'WORDS_NOT_SHOWN',
    `the evidence has ${share}, fewer than ${100 * limits.minShare}%`,
    spans(),
  );
};

/** Surer than the evidence is anywhere. */
export const checkCertainty: Check = (claim, evidence) => {
  const { certainty } = claim;
  if (!certainty) return null;
  const strongest = strongestCertainty(evidence.passages);
  if (rankOf(certainty.certainty) <= rankOf(strongest)) return null;
  return result(
    'OVERSTATED',
    'CERTAINTY_RAISED',
    `${said(claim, certainty)} where the evidence ${VERBS[strongest]}`,
    {
      draftSpan: placeOf(certainty),
      evidenceSpans: placesOf(strongest, evidence.passages),
    },
  );
};

/** An absolute that no excerpt has, in either language. */
export const checkAbsolutes: Check = (claim, evidence) => {
  for (const [absolute, place] of claim.absolutes) {
    if (evidence.passages.some(({ facts }) => facts.absolutes.has(absolute))) continue;
    return result('OVERSTATED', 'ABSOLUTE_NOT_SHOWN', `the evidence has nothing like ${said(claim, place)}`, {
      draftSpan: place,
      evidenceSpans: heldAgainst(evidence, claim, place),
    });
  }
  return null;
};

/** What only precise evidence may carry: proof, and absolutes. */
export const checkGrade: Check = (claim, evidence) => {
  if (evidence.precise) return null;
  const proves = claim.certainty?.certainty === 'PROVES' ? placeOf(claim.certainty) : undefined;
  const place = proves ?? [...claim.absolutes.values()][0];
  if (!place) return null;
  return result('OVERSTATED', 'NOT_PRECISE', `${said(claim, place)} without any PRECISE evidence under it`, {
    draftSpan: place,
    evidenceSpans: heldAgainst(evidence, claim, place),
  });
};

/** An analysis that says nowhere what it was drawn from. */
export const checkCoordinate: Check = (claim, evidence) =>
  claim.hasCoordinate
    ? null
    : result('UNSUPPORTED', 'NO_COORDINATE', 'the analysis names no document and quotes none', {
        field: 'document_ids',
        evidenceSpans: heldAgainst(evidence),
      });

/** That nothing was found is no finding where the view left something out. */
export const checkTruncated: Check = (claim, evidence) => {
  if (!evidence.truncated) return null;
  const words = 'says that nothing was found, but the view leaves something out';
  return result('OVERSTATED', 'TRUNCATED_VIEW', words, {
    draftSpan: wholeOf(claim),
    evidenceSpans: heldAgainst(evidence),
  });
};

const VERBS: Readonly<Record<Certainty, string>> = {
  MAY: 'says only "may"',
  SUGGESTS: 'only suggests',
  SHOWS: 'shows, but does not prove',
  PROVES: 'proves',
};

/** Where no passage claims anything there is nothing to be less certain than. */
function strongestCertainty(passages: readonly ShownPassage[]): Certainty {
  const claimed = new Set(passages.map(({ facts }) => facts.certainty?.certainty));
  return CERTAINTIES.findLast((certainty) => claimed.has(certainty)) ?? 'SHOWS';
}

const SPANS_SHOWN = 8;

function placesOf(strongest: Certainty, passages: readonly ShownPassage[]): EvidenceSpan[] {
  const spans = passages.flatMap((passage) => {
    const place = passage.facts.certainty;
    return place?.certainty === strongest ? [spanIn(passage, place)] : [];
  });
  return spans.slice(0, SPANS_SHOWN);
}

/** Spares a text that has many wrong numbers a search of everything. */
const PASSAGES_SEARCHED = 64;

function closestNumber({ mention, terms }: ClaimedNumber, passages: readonly ShownPassage[]) {
  const wanted = quantity(terms);
  let closest: { passage: ShownPassage; mention: NumberMention } | null = null;
  let least = Infinity;
  for (const passage of passages.slice(0, PASSAGES_SEARCHED)) {
    for (const candidate of passage.facts.numbers) {
      if (mention.kind !== candidate.kind) continue;
      const has = quantity(claimedKeys(candidate));
      const distance = has.dimension === wanted.dimension ? Math.abs(has.value - wanted.value) : Infinity;
      if (distance < least) [closest, least] = [{ passage, mention: candidate }, distance];
    }
  }
  return closest;
}

function quantity([term = '']: readonly string[]): { dimension: string; value: number } {
  const colon = term.indexOf(':');
  return { dimension: term.slice(0, colon), value: Number(term.slice(colon + 1)) };
}

function isShown(terms: readonly string[], evidence: Evidence): boolean {
  return terms.some((term) => evidence.shows(term));
}
