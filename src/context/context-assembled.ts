import { blankInvocation } from '../contracts/blank-invocation.js';
import type { Measured, ToolInvocation } from '../contracts/generated.js';
import { contextEventId } from '../contracts/ids.js';
import type { Sha256 } from '../text/text.js';
import { VERSION } from '../version.js';
import type { ContextForm } from './context-form.js';
import type { RunContext } from './run-context.js';

export const CONTEXT_ASSEMBLED = 'CONTEXT_ASSEMBLED';

/**
 * The record of a context: its digest, its budget and the place of each source, not its text. The same context of a
 * run is the same event, whenever it is made.
 */
export function contextAssembled(
  context: RunContext,
  form: ContextForm,
  measured: Measured,
  sha256: Sha256,
): ToolInvocation {
  return {
    ...blankInvocation,
    eventId: contextEventId(sha256, context),
    causedBy: null,
    runId: context.runId,
    occurredAt: measured.startedAt,
    station: 'context',
    version: VERSION,
    kind: CONTEXT_ASSEMBLED,
    outcome: context.citations.length === 0 ? 'EMPTY' : 'ASSEMBLED',
    query: context.query,
    countIn: context.itemCount,
    countOut: context.citations.length,
    factsJson: JSON.stringify(factsOf(context, form)),
    measured,
    ext: {},
  };
}

/** With the form, the ledger gives the text again. */
function factsOf(
  { contextId, textSha256, budget, citations, toolCallIds }: RunContext,
  form: ContextForm,
): object {
  return {
    context_id: contextId,
    text_sha256: textSha256,
    budget: budget?.tokens ?? null,
    encoding: budget?.encoding ?? null,
    tool_call_ids: toolCallIds,
    ...form,
    citations: citations.map(({ citationId, toolCallId, documentId, start, end }) => ({
      citation_id: citationId,
      tool_call_id: toolCallId,
      document_id: documentId,
      start,
      end,
    })),
  };
}
