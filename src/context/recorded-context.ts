import type { Measured, ToolInvocation } from '../contracts/generated.js';
import { factsOf, numberIn, objectsIn, textIn, textsIn } from '../trace/facts.js';
import { CONTEXT_ASSEMBLED } from './context-assembled.js';
import { readForm, type ContextForm } from './context-form.js';

/** A context as the audit has it: without its text, which the ledger gives again. */
export interface RecordedContext {
  readonly contextId: string;
  readonly runId: string;
  readonly query: string;
  readonly textSha256: string;
  readonly budget: { readonly tokens: number; readonly encoding: string } | null;
  /** Null where it was not recorded how the text was made. */
  readonly form: ContextForm | null;
  readonly toolCallIds: readonly string[];
  readonly itemCount: number;
  readonly citations: readonly RecordedCitation[];
  readonly eventId: string;
  readonly measured: Measured;
}

export interface RecordedCitation {
  readonly citationId: string;
  readonly toolCallId: string;
  readonly documentId: string;
  readonly start: number;
  readonly end: number;
}

/** Null where the event is no record of a context. */
export function recordedContext(event: ToolInvocation): RecordedContext | null {
  if (event.kind !== CONTEXT_ASSEMBLED) return null;
  const facts = factsOf(event);
  const [contextId, textSha256] = [textIn(facts['context_id']), textIn(facts['text_sha256'])];
  if (contextId === null || textSha256 === null) return null;
  const [tokens, encoding] = [numberIn(facts['budget']), textIn(facts['encoding'])];
  return {
    contextId,
    runId: event.runId,
    query: event.query ?? '',
    textSha256,
    budget: tokens === null || encoding === null ? null : { tokens, encoding },
    form: readForm(facts),
    toolCallIds: textsIn(facts['tool_call_ids']),
    itemCount: event.countIn,
    citations: objectsIn(facts['citations']).map((citation) => ({
      citationId: textIn(citation['citation_id']) ?? '',
      toolCallId: textIn(citation['tool_call_id']) ?? '',
      documentId: textIn(citation['document_id']) ?? '',
      start: numberIn(citation['start']) ?? 0,
      end: numberIn(citation['end']) ?? 0,
    })),
    eventId: event.eventId,
    measured: event.measured,
  };
}
