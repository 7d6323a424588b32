import type { AgentView } from '../contracts/generated.js';
import type { Sha256 } from '../text/text.js';
import type { AssembledContext, ContextAssembler } from './assemble.js';
import { contextHitOfItem, type Citation, type ContextHit } from './citation.js';
import { refused } from './run-views.js';
import type { TokenBudget } from './token-budget.js';

/** A citation of a run's context: the lookup that showed it, and the identity that the lookup showed it under. */
export interface RunCitation extends Citation {
  readonly toolCallId: string;
  readonly documentId: string;
}

/** A text that a run's model is given in its prompt, as frozen as the view of a lookup. */
export interface RunContext {
  /** Derived from all that is recorded of it, so that the same context is the same one. */
  readonly contextId: string;
  readonly runId: string;
  readonly query: string;
  /** The lookups whose views went in, in their order. */
  readonly toolCallIds: readonly string[];
  readonly text: string;
  readonly textSha256: string;
  /** Null where nothing was counted. */
  readonly budget: { readonly tokens: number; readonly encoding: string } | null;
  /** How many items the views had. */
  readonly itemCount: number;
  readonly citations: readonly RunCitation[];
}

export interface RunContextInput {
  readonly runId: string;
  readonly query: string;
  /** READY views of the run, in the order in which they go in: see `readyViews`. */
  readonly views: readonly AgentView[];
  readonly assembler: ContextAssembler;
  /** What the assembler was made with; the text is counted once more. */
  readonly budget: TokenBudget | null;
}

/**
 * Assembles the items of the views. What the assembler answers is not believed: every citation has to be the beginning
 * of an item, in the order of the items, and to stand where it says.
 * @throws ProoflineError PL_CONTEXT_REFUSED where it does not hold; PL_INPUT_INVALID of the assembler.
 */
export function assembleRunContext(input: RunContextInput, sha256: Sha256): RunContext {
  const { runId, views, assembler, budget } = input;
  const query = input.query.toWellFormed();
  const items = views.flatMap(itemsOf);
  const context = assembler(
    query,
    items.map(({ hit }) => hit),
  );
  if (!context.text.isWellFormed()) throw refused(runId, 'the text holds half a character');
  if (budget !== null && budget.counter.countWithin(context.text, budget.tokens) === null)
    throw refused(runId, `the text has more than ${budget.tokens} tokens`);
  const citations = citationsOf(context, items, runId);
  const textSha256 = sha256(context.text);
  const counted = budget === null ? null : { tokens: budget.tokens, encoding: budget.counter.encoding };
  const parts = { runId, textSha256, budget: counted, citations };
  return {
    contextId: contextIdOf(sha256, parts),
    query,
    toolCallIds: views.map(({ toolCallId }) => toolCallId),
    text: context.text,
    itemCount: items.length,
    ...parts,
  };
}

interface Item {
  readonly toolCallId: string;
  readonly hit: ContextHit;
}

function itemsOf({ toolCallId, evidence }: AgentView): Item[] {
  return evidence.map((item) => ({ toolCallId, hit: contextHitOfItem(item) }));
}

/** The citations, each with the item that it is of. */
function citationsOf(
  { text, citations }: AssembledContext,
  items: readonly Item[],
  runId: string,
): RunCitation[] {
  const ids = new Set<string>();
  let from = 0;
  return citations.map((citation) => {
    const { citationId, snippet, start, end, evidenceKey } = citation;
    if (ids.has(citationId) || citationId === '') throw refused(runId, `two citations are ${citationId}`);
    ids.add(citationId);
    if (snippet === '' || text.slice(start, end) !== snippet || end - start !== snippet.length)
      throw refused(runId, `${citationId} does not stand in the text where it says`);
    const at = items.findIndex(
      ({ hit }, i) => i >= from && hit.evidenceKey === evidenceKey && hit.content.startsWith(snippet),
    );
    const item = items[at];
    if (item === undefined) throw refused(runId, `${citationId} is no item of the views, or out of order`);
    from = at + 1;
    return { ...citation, toolCallId: item.toolCallId, documentId: evidenceKey ?? '' };
  });
}

function contextIdOf(
  sha256: Sha256,
  { runId, textSha256, budget, citations }: Pick<RunContext, 'runId' | 'textSha256' | 'budget' | 'citations'>,
): string {
  const places = citations.map((each) => [
    each.citationId,
    each.toolCallId,
    each.documentId,
    each.start,
    each.end,
  ]);
  const parts = [runId, textSha256, budget?.tokens ?? null, budget?.encoding ?? null, places];
  return sha256(`proofline-context-1\n${JSON.stringify(parts)}`).slice(0, 32);
}
