import type { Draft, EvidenceSpan, LookupSnapshot } from '../contracts/generated.js';
import { draftTexts } from '../review/rules/draft-texts.js';
import type { JudgeHit, JudgeQuestion } from './judge.js';

/** A draft as the judge is asked about it, and the way back from places in the answer. */
export interface DraftQuestion {
  readonly question: JudgeQuestion;
  /** Where each text of the draft stands in the answer. */
  readonly parts: readonly DraftPart[];
  /** The hits of the question as the findings name them: each whole. */
  readonly shown: readonly EvidenceSpan[];
}

export interface DraftPart {
  /** JSON pointer of the text. */
  readonly path: string;
  /** UTF-16 in the answer, end exclusive. */
  readonly start: number;
  readonly end: number;
}

const BETWEEN = '\n\n';

/**
 * The texts that rest on something shown, one after the other; the items that their lookups showed, each once; and, for
 * the question, what these lookups asked: the question behind the run is nobody's here. Observations that nothing was
 * found rest on no evidence, and rules alone look at them.
 */
export function draftQuestion(draft: Draft, lookups: readonly LookupSnapshot[]): DraftQuestion {
  const found = lookups.filter(({ items }) => items.length > 0);
  const withItems = new Set(found.map(({ toolCallId }) => toolCallId));
  const texts = draftTexts(draft).filter(
    ({ kind, toolCallIds }) =>
      kind !== 'NEGATIVE_OBSERVATION' && [...toolCallIds].some((id) => withItems.has(id)),
  );
  const cited = new Set(texts.flatMap(({ toolCallIds }) => [...toolCallIds]));
  const asked = found.filter(({ toolCallId }) => cited.has(toolCallId));
  const { hits, shown } = itemsOf(asked);
  const { answer, parts } = joined(texts);
  const query = [...new Set(asked.map((lookup) => lookup.query))].join('\n');
  return { question: { query, answer, context: '', hits }, parts, shown };
}

function joined(texts: readonly { readonly at: string; readonly text: string }[]): {
  answer: string;
  parts: DraftPart[];
} {
  const parts: DraftPart[] = [];
  let answer = '';
  for (const { at, text } of texts) {
    if (answer !== '') answer += BETWEEN;
    const start = answer.length;
    answer += withoutCode(text);
    parts.push({ path: `${at}/text`, start, end: answer.length });
  }
  return { answer, parts };
}

/** Code claims nothing, and a fence that one text opens must not hide the texts behind it. Places stay where they are. */
function withoutCode(text: string): string {
  return text.replaceAll('`', "'");
}

function itemsOf(lookups: readonly LookupSnapshot[]): { hits: JudgeHit[]; shown: EvidenceSpan[] } {
  const hits: JudgeHit[] = [];
  const shown: EvidenceSpan[] = [];
  const known = new Set<string>();
  for (const { toolCallId, items } of lookups) {
    for (const { documentId, excerpt } of items) {
      const name = JSON.stringify([documentId, excerpt]);
      if (known.has(name)) continue;
      known.add(name);
      hits.push({ evidenceKey: documentId, content: excerpt });
      shown.push({ toolCallId, documentId, start: 0, end: excerpt.length });
    }
  }
  return { hits, shown };
}
