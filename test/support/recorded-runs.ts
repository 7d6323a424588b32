import * as fc from 'fast-check';
import { reviewDecision } from '../../producers/decisions.js';
import type { RecordedRun } from '../../src/replay/recorded-run.js';
import { readRuns } from '../../src/replay/run-from-topics.js';
import type { GuardVerdict, Hit, LedgerEntry } from '../../src/contracts/generated.js';
import type { SearchOutcome } from '../../src/retrieval/knowledge-search.js';
import { documentAbout, tamper } from './line-drafts.js';
import { hitAbout, hits } from './line-search.js';
import type { TestLine } from './line.js';

/** Runs of every kind on the embedded line, to be replayed. */

/** One lookup of a run; what it asks for decides what comes of it. */
export interface PlannedLookup {
  readonly kind: 'found' | 'several' | 'nothing' | 'failing' | 'expired';
}

/** One draft; it cites the run's lookups by their number, and some that there are not. */
export interface PlannedDraft {
  readonly text: 'true' | 'overstated' | 'blank' | 'mentions' | 'short';
  readonly cites: readonly number[];
  readonly documents: 'shown' | 'invented' | 'misspelt' | 'none';
  readonly quote: 'none' | 'exact' | 'folded' | 'changed' | 'elided';
  readonly form: 'draft' | 'malformed' | 'fenced' | 'given-up' | 'no-limitation' | 'same-id';
  /** What a person decides about it, where it is held. */
  readonly decision: 'APPROVE' | 'REJECT' | null;
}

export interface PlannedReplay {
  readonly lookups: readonly PlannedLookup[];
  readonly drafts: readonly PlannedDraft[];
  /** Whether the entry of the first lookup is changed in the view before the first draft. */
  readonly tampered: boolean;
}

const oneOf = <T extends string>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

export const plannedReplay: fc.Arbitrary<PlannedReplay> = fc.record({
  lookups: fc.array(fc.record({ kind: oneOf('found', 'several', 'nothing', 'failing', 'expired') }), {
    minLength: 1,
    maxLength: 4,
  }),
  drafts: fc.array(
    fc.record({
      text: oneOf('true', 'true', 'overstated', 'blank', 'mentions', 'short'),
      cites: fc.uniqueArray(fc.nat(5), { minLength: 0, maxLength: 3 }),
      documents: oneOf('shown', 'shown', 'invented', 'misspelt', 'none'),
      quote: oneOf('none', 'none', 'exact', 'folded', 'changed', 'elided'),
      form: oneOf(
        'draft',
        'draft',
        'draft',
        'draft',
        'draft',
        'malformed',
        'fenced',
        'given-up',
        'no-limitation',
        'same-id',
      ),
      decision: fc.option(oneOf('APPROVE', 'REJECT')),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  tampered: fc.boolean(),
});

/** What the scripted retriever says to the questions of these runs. */
export function plannedSearch(query: string): SearchOutcome {
  if (query.startsWith('nothing')) return hits([]);
  if (query.startsWith('failing'))
    return {
      kind: 'failed',
      failure: { code: 'PL_RETRIEVAL_FAILED', message: 'no answer', retryable: true },
    };
  if (query.startsWith('several')) return hits(severalHits(query));
  return hits([hitAbout(query)]);
}

/** Three chunks of one document, of which the last is dropped, and one whose excerpt is cut. */
function severalHits(query: string): Hit[] {
  const first = hitAbout(query);
  return [0, 1, 2].map((chunk) => ({
    ...first,
    evidenceKey: `${first.documentId}#chunk-${chunk}`,
    chunkIndex: chunk,
    originalRank: chunk + 1,
    content: chunk === 1 ? `Part ${chunk} of ${query}. `.repeat(100) : `Part ${chunk}: ${first.content}`,
  }));
}

function queryOf({ kind }: PlannedLookup, i: number): string {
  return `${kind} problem ${i}`;
}

/** Plays the runs beside each other on the line, step by step; run `i` is `run-i`. */
export async function playReplays(line: TestLine, plans: readonly PlannedReplay[]): Promise<void> {
  const each = async (play: (plan: PlannedReplay, runId: string) => Promise<unknown>): Promise<void> => {
    for (const [i, plan] of plans.entries()) await play(plan, `run-${i}`);
    await line.idle();
  };
  await each((plan, runId) => askAll(line, plan, runId));
  await each((plan, runId) => tamperPlanned(line, plan, runId));
  const longest = Math.max(...plans.map(({ drafts }) => drafts.length));
  for (let i = 0; i < longest; i++) {
    await each((plan, runId) => handInPlanned(line, plan, runId, i));
    const verdicts = await line.messages('verdict.v1');
    await each(async ({ drafts }, runId) => {
      const verdict = verdicts.findLast((found) => found.runId === runId);
      const decision = drafts[i]?.decision ?? null;
      if (verdict !== undefined && decision !== null) await decide(line, verdict, decision);
    });
  }
}

async function askAll(line: TestLine, { lookups }: PlannedReplay, runId: string): Promise<void> {
  for (const [i, lookup] of lookups.entries()) {
    const ttlMs = lookup.kind === 'expired' ? 0 : null;
    await line.ask({ runId, toolCallId: `call-${i}`, query: queryOf(lookup, i), ttlMs });
  }
}

async function tamperPlanned(line: TestLine, { tampered }: PlannedReplay, runId: string): Promise<void> {
  const change = ({ agentView }: LedgerEntry) => ({ agentView: `${agentView ?? ''} ` });
  if (tampered) await tamper(line, change, { runId, toolCallId: 'call-0' });
}

async function handInPlanned(line: TestLine, plan: PlannedReplay, runId: string, i: number): Promise<void> {
  const draft = plan.drafts[i];
  if (draft === undefined) return;
  const draftId = draft.form === 'same-id' ? 'draft-0' : `draft-${i}`;
  const draftJson = draft.form === 'given-up' ? null : textOf(draft, plan);
  await line.handIn({ runId, draftId, attempt: i + 1, draftJson });
}

/** Decides about what is held, or about what was held once. */
async function decide(
  line: TestLine,
  { runId, draftId, eventId }: GuardVerdict,
  decision: 'APPROVE' | 'REJECT',
): Promise<void> {
  const about = { runId, draftId, verdictEventId: eventId };
  const message = reviewDecision(
    { ...about, decision, by: 'alice', reason: 'looked at' },
    line.emitter.now(),
  );
  await line.bus.append([line.record('review-decision.v1', message)]);
}

function textOf(draft: PlannedDraft, { lookups }: PlannedReplay): string {
  if (draft.form === 'malformed') return '{"analysis": [';
  const analysis = draft.cites.map((cited, i) => analysisOf(draft, cited, i, lookups[cited]));
  const report = {
    analysis,
    conclusion:
      analysis.length === 0
        ? null
        : { text: analysis[0]?.text, based_on_analysis_ids: analysis.map(({ id }) => id) },
    action_plan: [],
    limitations: draft.form === 'no-limitation' ? [] : ['Metrics were not read.'],
  };
  const json = JSON.stringify(report);
  return draft.form === 'fenced' ? `\`\`\`json\n${json}\n\`\`\`` : json;
}

function analysisOf(draft: PlannedDraft, cited: number, i: number, lookup: PlannedLookup | undefined) {
  const query = lookup === undefined ? 'found problem 9' : queryOf(lookup, cited);
  const isEmpty = lookup?.kind === 'nothing';
  const shown = `To solve ${query}, check the upstream first.`;
  const documentId = documentIdOf(draft, query);
  return {
    id: `a${i}`,
    kind: isEmpty ? 'NEGATIVE_OBSERVATION' : 'NORMAL',
    text: { ...WORDS, true: shown, mentions: `${shown} See ${documentAbout(query)} and other#chunk-77.` }[
      draft.text
    ],
    tool_call_ids: [`call-${cited}`],
    document_ids: draft.documents === 'none' || isEmpty ? [] : [documentId],
    quotes:
      draft.quote === 'none' || isEmpty ? [] : [{ document_id: documentId, text: quoteOf(draft, query) }],
  };
}

const WORDS = {
  true: '',
  mentions: '',
  overstated: 'The only possible cause is always the upstream, with 4711 errors.',
  blank: ' ',
  short: 'Yes.',
};

function documentIdOf({ documents }: PlannedDraft, query: string): string {
  const id = documentAbout(query);
  if (documents === 'invented') return 'doc-invented#chunk-7';
  return documents === 'misspelt' ? id.replace('doc-', 'doc_') : id;
}

function quoteOf({ quote }: PlannedDraft, query: string): string {
  const shown = `To solve ${query}, check the upstream first.`;
  if (quote === 'folded') return shown.replace(' check ', '  check\u00a0');
  if (quote === 'changed') return shown.replace('first', 'last');
  return quote === 'elided' ? shown.replace(`${query}, `, '... ') : shown;
}

/** The runs as the line's topics and its audit have them. */
export async function recordedRuns(line: TestLine, ...runIds: readonly string[]): Promise<RecordedRun[]> {
  const { bus, codec, audit, keyring } = line;
  const runs: RecordedRun[] = [];
  const signal = new AbortController().signal;
  for await (const run of readRuns({ bus, codec, audit, keyring, signal }, runIds)) runs.push(run);
  return runs;
}
