import type { EvidenceItem, EvidenceSpan, LookupSnapshot, Place } from '../../contracts/generated.js';
import { documentOf } from '../../guard/coordinates.js';
import type { Claim } from './claim.js';
import { readPassageThrough } from './passage.js';
import type { PassageCache, PassageFacts } from './passage.js';
import type { Script } from './scripts.js';
import type { Term } from './words.js';

/** An excerpt that a lookup showed. */
export interface ShownPassage {
  readonly toolCallId: string;
  readonly documentId: string;
  readonly excerpt: string;
  readonly facts: PassageFacts;
}

/** The evidence of one text of the draft. */
export interface Evidence {
  readonly passages: readonly ShownPassage[];
  /** Scripts of the passages; where nothing was shown, of the questions. */
  readonly scripts: ReadonlySet<Script>;
  /** Whether some lookup under it is PRECISE. */
  readonly precise: boolean;
  /** Whether some view under it leaves anything out. */
  readonly truncated: boolean;
  /** Whether the items, what they are called, or the questions have the term. */
  shows(term: Term): boolean;
}

interface ReadLookup {
  readonly snapshot: LookupSnapshot;
  readonly query: PassageFacts;
  readonly passages: readonly ShownPassage[];
}

/** Which lookups, by index, show each term that the draft uses. */
type TermIndex = Map<Term, number[]>;

/**
 * Reads all lookups once and answers for each claim from those that it rests on. Linear in draft and evidence: the
 * index holds only terms of the draft.
 */
export function gatherEvidence(
  lookups: readonly LookupSnapshot[],
  claims: readonly Claim[],
  cache: PassageCache,
): (claim: Claim) => Evidence {
  const index = indexOf(claims);
  const read = lookups.map((snapshot, i) => readLookup(snapshot, (text) => noteTerms(index, i, text, cache)));
  return (claim) => evidenceOf(claim, read, index);
}

function indexOf(claims: readonly Claim[]): TermIndex {
  const index: TermIndex = new Map();
  for (const { terms } of claims) for (const term of terms) index.set(term, []);
  return index;
}

function noteTerms(index: TermIndex, lookup: number, text: string, cache: PassageCache): PassageFacts {
  const facts = readPassageThrough(cache, text);
  for (const term of facts.terms) {
    const shownBy = index.get(term);
    if (shownBy && shownBy.at(-1) !== lookup) shownBy.push(lookup);
  }
  return facts;
}

function readLookup(snapshot: LookupSnapshot, read: (text: string) => PassageFacts): ReadLookup {
  const passages = snapshot.items.map((item) => {
    read(labelOf(item));
    const { documentId, excerpt } = item;
    return { toolCallId: snapshot.toolCallId, documentId, excerpt, facts: read(excerpt) };
  });
  return { snapshot, query: read(snapshot.query), passages };
}

/** What an item is called counts for words and numbers; how certain the evidence is, only its excerpt says. */
function labelOf({ documentId, source, title, breadcrumb }: EvidenceItem): string {
  return [documentOf(documentId) ?? documentId, source, title, breadcrumb].join('\n');
}

function evidenceOf(claim: Claim, read: readonly ReadLookup[], index: TermIndex): Evidence {
  const inScope = read.map(({ snapshot }) => claim.toolCallIds.has(snapshot.toolCallId));
  const lookups = read.filter((_, i) => inScope[i]);
  const passages = lookups.flatMap((lookup) => lookup.passages);
  const written =
    passages.length > 0 ? passages.map(({ facts }) => facts) : lookups.map(({ query }) => query);
  return {
    passages,
    scripts: new Set(written.flatMap(({ scripts }) => [...scripts])),
    precise: lookups.some(({ snapshot }) => snapshot.relevanceLevel === 'PRECISE'),
    truncated: lookups.some(({ snapshot }) => snapshot.truncated),
    shows: (term) => index.get(term)?.some((lookup) => inScope[lookup]) ?? false,
  };
}

/** A place in a passage as the findings name it. */
export function spanIn(passage: ShownPassage, { start, end }: Place): EvidenceSpan {
  return { toolCallId: passage.toolCallId, documentId: passage.documentId, start, end };
}
