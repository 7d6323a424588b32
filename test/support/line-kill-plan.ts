import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { DraftSubmitted, Hit, LookupRequested } from '../../src/contracts/generated.js';
import type { SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { documentAbout, forgedDraft, trueDraft } from './line-drafts.js';

/** What flows through a line that is killed again and again: the same messages in every life of it. */

export const PARTITIONS = 4;
const LOOKUPS_A_RUN = 4;

/** Of a run: its lookups, then the draft that cites them. */
export interface PlannedRun {
  readonly runId: string;
  readonly lookups: readonly LookupRequested[];
  readonly draft: DraftSubmitted;
  /** Codes of the violations that the draft has; null of a run that is given up. */
  readonly codes: readonly string[] | null;
}

/** @param now when it all happens, epoch milliseconds; the same in every life */
export function planOf(runs: number, now: number): PlannedRun[] {
  return Array.from({ length: runs }, (_, i) => plannedRun(i, now));
}

function plannedRun(i: number, now: number): PlannedRun {
  const runId = `run-${i}`;
  const calls = Array.from({ length: LOOKUPS_A_RUN }, (_, j) => {
    return { toolCallId: `call-${j}`, query: j === 3 ? `failure ${i}` : `problem ${i}-${j}` };
  });
  const [first, second, third, failing] = calls as [Call, Call, Call, Call];
  const kinds: [readonly string[] | null, string | null][] = [
    [[], trueDraft([first, second, third])],
    [['DOCUMENT_NOT_SHOWN'], forgedDraft(first)],
    [['TOOL_CALL_UNKNOWN'], trueDraft([first, { toolCallId: 'call-9', query: 'x' }])],
    [['TOOL_CALL_FAILED'], trueDraft([second, failing])],
    [[], trueDraft([third])],
    [null, null],
  ];
  const [codes, draftJson] = kinds[i % kinds.length]!;
  return {
    runId,
    codes,
    lookups: calls.map((call) => lookupRequested({ runId, ...call }, now)),
    draft: draftSubmitted({ runId, draftId: 'draft-1', draftJson }, now + 60_000),
  };
}

interface Call {
  readonly toolCallId: string;
  readonly query: string;
}

/** What the retriever says to a query, and how long it takes: most answer at once, some are slow, some fail. */
export function answerTo(query: string): { readonly ms: number; readonly outcome: SearchOutcome } {
  const number = Number(/\d+/.exec(query)?.[0]);
  if (query.startsWith('failure')) {
    const failure = { code: 'PL_RETRIEVAL_FAILED', message: 'no answer', retryable: true };
    return { ms: 0, outcome: { kind: 'failed', failure } };
  }
  return {
    ms: number % 40 === 7 ? 150 : number % 5,
    outcome: { kind: 'hits', hits: [hitOn(query)], trace: {} },
  };
}

function hitOn(query: string): Hit {
  const evidenceKey = documentAbout(query);
  return {
    evidenceKey,
    documentId: evidenceKey.replace('#chunk-0', ''),
    chunkIndex: 0,
    content: `To solve ${query}, check the upstream first.`,
    score: 0.9,
    scoreLabel: 'rerank',
    originalRank: 1,
    attempt: 'UNFILTERED_VECTOR',
    source: 'runbook.md',
    title: 'Runbook',
    breadcrumb: null,
    sourceUri: null,
    pageNumber: null,
    sectionTitle: null,
  };
}

/** Numbers that look random and are the same for the same seed: mulberry32. From 0 to below 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
