/**
 * Makes the labelled claims of test/data/citations from the documents beside them and from examples/docs: true
 * sentences, true ones put in other words, and sentences made false in ways that are named. The same seed makes the
 * same file.
 *
 *   npx tsx scripts/make-citation-claims.ts [--check]
 *
 * `--check` writes nothing and exits 1 when the file on disk is another one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { sha256 } from '../src/contracts/digest.js';
import { mulberry32 } from '../src/evaluation/bootstrap.js';
import { readDocuments, sentencesOf } from './citation-claims/documents.js';
import type { Passage, SourceText } from './citation-claims/documents.js';
import * as make from './citation-claims/mutations.js';
import type { Mutation } from './citation-claims/mutations.js';

const SEED = 20_240_105;
const FILE = 'test/data/citations/claims.jsonl';
const DOCUMENTS = 'test/data/citations/documents';
const FOLDERS = ['examples/docs', `${DOCUMENTS}/runbooks`, `${DOCUMENTS}/ai4j-docs-zh`];
/** Claims of a kind and language. */
const QUOTA = 30;

type Language = SourceText['language'];

interface Candidate {
  readonly document: SourceText;
  readonly passage: Passage;
  readonly sentence: string;
}

interface Claim {
  readonly claim: string;
  readonly quote?: string;
  readonly attributable: boolean;
  /** Another document's passages in place of its own. */
  readonly elsewhere?: true;
}

const same: Mutation = ({ sentence }) => sentence;

/** Every kind: what it is made by, and whether it is true. */
const KINDS: Readonly<
  Record<string, (mutate: (mutation: Mutation) => string | null, sentence: string) => Claim | null>
> = {
  verbatim: (mutate) => stated(mutate(same), true),
  synonyms: (mutate) => stated(mutate(make.synonyms), true),
  reordered: (mutate) => stated(mutate(make.reordered), true),
  number_rewritten: (mutate) => stated(mutate(make.numberRewritten), true),
  hedged: (mutate) => stated(mutate(make.hedged), true),
  negation_reworded: (mutate) => stated(mutate(make.negationReworded), true),
  clause: (mutate) => stated(mutate(make.clause), true),
  joined: (mutate) => stated(mutate(make.joined), true),
  quoted: (mutate, sentence) => quoting(mutate(make.wordForWord), sentence, true),
  number_changed: (mutate) => stated(mutate(make.numberChanged), false),
  unit_changed: (mutate) => stated(mutate(make.unitChanged), false),
  negation_flipped: (mutate) => stated(mutate(make.negationFlipped), false),
  entity_swapped: (mutate) => stated(mutate(make.entitySwapped), false),
  certainty_raised: (mutate) => stated(mutate(make.certaintyRaised), false),
  wrong_source: (mutate) => {
    const claim = stated(mutate(same), false);
    return claim && { ...claim, elsewhere: true };
  },
  quote_altered: (mutate, sentence) => {
    // Of what would be a true quote, so that the word alone makes the difference.
    const quote = mutate(make.wordForWord) === null ? null : mutate(make.quoteAltered);
    return quoting(quote, sentence, false);
  },
};

function quoting(quote: string | null, claim: string, attributable: boolean): Claim | null {
  return quote === null ? null : { claim, quote, attributable };
}

function stated(claim: string | null, attributable: boolean): Claim | null {
  return claim === null ? null : { claim, attributable };
}

function makeClaims(): string[] {
  const documents = readDocuments(FOLDERS);
  const random = mulberry32(SEED);
  const lines: string[] = [];
  for (const language of ['en', 'zh'] as const) {
    const own = documents.filter((document) => document.language === language);
    const candidates = shuffled(candidatesOf(own), random);
    const names = [...new Set(candidates.flatMap(({ sentence }) => make.namesOf(sentence.slice(1))))];
    for (const kind of Object.keys(KINDS))
      lines.push(...claimsOf(kind, language, candidates, own, names, random));
  }
  return lines;
}

function candidatesOf(documents: readonly SourceText[]): Candidate[] {
  return documents.flatMap((document) =>
    document.passages.flatMap((passage) =>
      sentencesOf(passage, document.language).map((sentence) => ({ document, passage, sentence })),
    ),
  );
}

function claimsOf(
  kind: string,
  language: Language,
  candidates: readonly Candidate[],
  documents: readonly SourceText[],
  names: readonly string[],
  random: () => number,
): string[] {
  const lines: string[] = [];
  for (const { document, passage, sentence } of shuffled(candidates, random)) {
    if (lines.length === QUOTA) break;
    const references = around(document, passage);
    const evidence = references.map(({ excerpt }) => excerpt).join('\n');
    const near = sentencesOf(passage, language).filter((other) => other !== sentence);
    const mutate = (mutation: Mutation) => mutation({ sentence, near, language, evidence, names, random });
    const made = KINDS[kind]?.(mutate, sentence);
    if (!made || (!made.attributable && !made.elsewhere && !made.quote && made.claim === sentence)) continue;
    const shown = made.elsewhere ? another(documents, document, random) : references;
    if (shown.length === 0 || (made.elsewhere && flat(shown).includes(flatText(sentence)))) continue;
    lines.push(lineOf({ kind, language, document, made, shown, passage, position: lines.length }));
  }
  return lines;
}

/** The passage and the one after it, as a lookup would show them. */
function around(document: SourceText, passage: Passage): Passage[] {
  const at = document.passages.indexOf(passage);
  return document.passages.slice(at, at + 2);
}

function another(documents: readonly SourceText[], not: SourceText, random: () => number): Passage[] {
  const others = documents.filter((document) => document !== not && document.passages.length > 0);
  return others[Math.floor(random() * others.length)]?.passages.slice(0, 2) ?? [];
}

function flat(passages: readonly Passage[]): string {
  return flatText(passages.map(({ excerpt }) => excerpt).join(' '));
}

function flatText(text: string): string {
  return text.replace(/[\s*`]/g, '');
}

interface Made {
  readonly kind: string;
  readonly language: Language;
  readonly document: SourceText;
  readonly passage: Passage;
  readonly made: Claim;
  readonly shown: readonly Passage[];
  readonly position: number;
}

function lineOf({ kind, language, document, passage, made, shown, position }: Made): string {
  // By document, so that no half knows the other's sources.
  const split = parseInt(sha256(document.path).slice(0, 8), 16) % 2 === 0 ? 'dev' : 'test';
  return JSON.stringify({
    id: `${kind}-${language}-${position + 1}`,
    kind,
    split,
    language,
    attributable: made.attributable,
    claim: made.claim,
    ...(made.quote !== undefined && { quote: { document_id: passage.documentId, text: made.quote } }),
    references: shown.map(({ documentId, excerpt, title }) => ({ document_id: documentId, title, excerpt })),
  });
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

const text = `${makeClaims().join('\n')}\n`;
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is stale: run npx tsx scripts/make-citation-claims.ts`);
  process.exitCode = 1;
}
