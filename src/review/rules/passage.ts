import { certaintyMarkers, passageCertainty, shownAbsolutes } from './certainty.js';
import type { CertaintyPlace } from './certainty.js';
import type { Absolute } from './certainty-words.js';
import { clausesOf } from './clauses.js';
import type { Clause } from './clauses.js';
import { holdsNegation } from './negation.js';
import { extractNumbers, shownKeys } from './numbers.js';
import type { NumberMention } from './numbers.js';
import { once } from './once.js';
import { scriptsOf } from './scripts.js';
import type { Script } from './scripts.js';
import { evidenceTerms } from './words.js';
import type { Term } from './words.js';
import type { Place } from '../../contracts/generated.js';

/** What a text shows as evidence: a function of the text alone. */
export interface PassageFacts {
  /** Words and numbers, as the terms by which claims look for them. */
  readonly terms: readonly Term[];
  /** The first numbers, to point at when a claim has another one. */
  readonly numbers: readonly NumberMention[];
  readonly certainty: CertaintyPlace | null;
  readonly absolutes: ReadonlyMap<Absolute, Place>;
  readonly scripts: ReadonlySet<Script>;
  /** Whether it says of anything that it is not so. */
  readonly negated: boolean;
  /** What it says, one thing at a time; cut when it is first asked for. */
  readonly clauses: () => readonly Clause[];
}

/** Remembers facts by their text. The same passage is shown to many drafts, and reading it costs more than all else. */
export interface PassageCache {
  get(text: string): PassageFacts | undefined;
  set(text: string, facts: PassageFacts): unknown;
}

const NUMBERS_KEPT = 64;

export function readPassage(text: string): PassageFacts {
  const words = evidenceTerms(text);
  const numbers = extractNumbers(text);
  const markers = certaintyMarkers(text);
  const terms = new Set<Term>(words);
  for (const mention of numbers) for (const key of shownKeys(mention)) terms.add(key);
  return {
    terms: [...terms],
    numbers: numbers.filter((mention) => mention.kind === 'NUMBER').slice(0, NUMBERS_KEPT),
    certainty: passageCertainty(text, markers),
    absolutes: shownAbsolutes(text, markers),
    scripts: scriptsOf(words),
    negated: holdsNegation(text),
    clauses: once(() => clausesOf(text)),
  };
}

/** The same facts, from the cache where it has them. */
export function readPassageThrough(cache: PassageCache, text: string): PassageFacts {
  const known = cache.get(text);
  if (known) return known;
  const facts = readPassage(text);
  cache.set(text, facts);
  return facts;
}

/** A cache of at most so many passages; the oldest goes first. Longer texts than an excerpt are not kept. */
export function createPassageCache(maxEntries = 4096, maxTextLength = 4096): PassageCache {
  const entries = new Map<string, PassageFacts>();
  return {
    get: (text) => entries.get(text),
    set(text, facts) {
      if (text.length > maxTextLength) return;
      entries.set(text, facts);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
  };
}
