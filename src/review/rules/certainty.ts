import {
  CERTAINTIES,
  CLAUSE_END,
  INSTRUCTION,
  MARKERS,
  NEGATION_BEFORE,
  SENTENCE,
  SHOWN_ABSOLUTES,
} from './certainty-words.js';
import type { Absolute, Certainty, MarkerKind } from './certainty-words.js';
import type { Place } from '../../contracts/generated.js';

/** A word that says how sure a text is. */
export interface Marker extends Place {
  readonly kind: MarkerKind;
}

/** Where a text says how sure it is. */
export interface CertaintyPlace extends Place {
  readonly certainty: Certainty;
}

const KINDS = Object.keys(MARKERS) as MarkerKind[];

/** Two expressions: one that allowed both a word boundary and none would be several times slower. */
const ENGLISH = new RegExp(`(?<![\\w'’-])(?:${alternatives('english')})(?![\\w-]|['’][a-z])`, 'gi');
const CHINESE = new RegExp(alternatives('chinese'), 'g');
const NON_ASCII = /[^\x00-\x7f]/;

function alternatives(language: 'english' | 'chinese'): string {
  return KINDS.map((kind) => `(?<${kind}>${MARKERS[kind][language].replaceAll(' ', '\\s')})`).join('|');
}

const ABSOLUTE_KINDS = Object.keys(SHOWN_ABSOLUTES) as Absolute[];
const SHOWN = {
  english: new RegExp(`(?<![\\w'’-])(?:${shownAlternatives('english')})(?![\\w-]|['’][a-z])`, 'gi'),
  chinese: new RegExp(shownAlternatives('chinese'), 'g'),
};

function shownAlternatives(language: 'english' | 'chinese'): string {
  return ABSOLUTE_KINDS.map(
    (kind) => `(?<${kind}>${SHOWN_ABSOLUTES[kind][language].replaceAll(' ', '\\s')})`,
  ).join('|');
}

/** How far back a negation or a hedge is looked for, in UTF-16 units. */
const NEGATION_REACH = 32;
const HEDGE_REACH = 80;

export function rankOf(certainty: Certainty): number {
  return CERTAINTIES.indexOf(certainty);
}

function isCertainty(kind: MarkerKind): kind is Certainty {
  return (CERTAINTIES as readonly MarkerKind[]).includes(kind);
}

/** The markers of a text in order; negated ones are left out, and what a hedge governs is as weak as the hedge. */
export function certaintyMarkers(text: string): Marker[] {
  const markers: Marker[] = [];
  let hedge: Marker | null = null;
  for (const found of allMarkers(text)) {
    if (isNegated(text, found.start)) continue;
    const marker: Marker = { ...found, kind: governed(found.kind, found.start, hedge, text) };
    markers.push(marker);
    if (marker.kind === 'MAY' || marker.kind === 'SUGGESTS') hedge = marker;
  }
  return markers;
}

function allMarkers(text: string): Marker[] {
  const english = markersBy(ENGLISH, text);
  if (!NON_ASCII.test(text)) return english;
  return [...english, ...markersBy(CHINESE, text)].sort((a, b) => a.start - b.start);
}

function markersBy(pattern: RegExp, text: string): Marker[] {
  const markers: Marker[] = [];
  for (const { 0: words, index: start, groups } of text.matchAll(pattern)) {
    const kind = KINDS.find((name) => groups?.[name] !== undefined);
    if (kind) markers.push({ kind, start, end: start + words.length });
  }
  return markers;
}

function isNegated(text: string, start: number): boolean {
  return NEGATION_BEFORE.test(text.slice(Math.max(start - NEGATION_REACH, 0), start));
}

/** In `may prove` and 可能导致 the hedge decides. */
function governed(kind: MarkerKind, start: number, hedge: Marker | null, text: string): MarkerKind {
  if (!hedge || !isCertainty(kind) || start - hedge.end > HEDGE_REACH) return kind;
  if (!isCertainty(hedge.kind) || rankOf(hedge.kind) >= rankOf(kind)) return kind;
  return CLAUSE_END.test(text.slice(hedge.end, start)) ? kind : hedge.kind;
}

/** The strongest certainty among markers, where it is first said; null when none says any. */
export function strongestMarker(markers: readonly Marker[]): CertaintyPlace | null {
  let strongest: CertaintyPlace | null = null;
  for (const { kind, start, end } of markers)
    if (isCertainty(kind) && (!strongest || rankOf(kind) > rankOf(strongest.certainty)))
      strongest = { certainty: kind, start, end };
  return strongest;
}

/** The first marker of every kind of absolute. */
export function absolutesOf(markers: readonly Marker[]): ReadonlyMap<Absolute, Place> {
  const found = new Map<Absolute, Place>();
  for (const { kind, start, end } of markers)
    if (!isCertainty(kind) && !found.has(kind)) found.set(kind, { start, end });
  return found;
}

/** The kinds of absolutes that a passage shows, with lighter words than a draft's. */
export function shownAbsolutes(text: string, markers: readonly Marker[]): ReadonlyMap<Absolute, Place> {
  const found = new Map(absolutesOf(markers));
  for (const pattern of NON_ASCII.test(text) ? [SHOWN.english, SHOWN.chinese] : [SHOWN.english])
    for (const { 0: words, index: start, groups } of text.matchAll(pattern)) {
      const kind = ABSOLUTE_KINDS.find((name) => groups?.[name] !== undefined);
      if (kind && !found.has(kind)) found.set(kind, { start, end: start + words.length });
    }
  return found;
}

/**
 * The strongest certainty of a passage as evidence. A plain sentence shows what it says, so only a passage whose
 * every claim is hedged is weaker than SHOWS. Headings and instructions claim nothing; null when nothing is claimed.
 */
export function passageCertainty(text: string, markers: readonly Marker[]): CertaintyPlace | null {
  const strongest = strongestMarker(markers);
  if (strongest && rankOf(strongest.certainty) >= rankOf('SHOWS')) return strongest;
  const hedges = markers.filter(({ kind }) => isCertainty(kind));
  return plainClaim(text, hedges) ?? strongest;
}

const LIST_MARK = /^[\s>*•\-\d.)）、(（]+/;

/** The first sentence that claims something and holds none of the hedges, which are in order. */
function plainClaim(text: string, hedges: readonly Marker[]): CertaintyPlace | null {
  let next = 0;
  for (const { 0: sentence, index: start } of text.matchAll(SENTENCE)) {
    const end = start + sentence.length;
    while ((hedges[next]?.start ?? end) < start) next++;
    const isHedged = (hedges[next]?.start ?? end) < end;
    if (!isHedged && isClaim(sentence)) return { certainty: 'SHOWS', start, end };
  }
  return null;
}

function isClaim(sentence: string): boolean {
  const body = sentence.replace(LIST_MARK, '');
  return (
    /[。.!！]\s*$/.test(body) && /\p{L}{2}/u.test(body) && !body.startsWith('#') && !INSTRUCTION.test(body)
  );
}
