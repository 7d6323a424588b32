import { sha256 } from '../contracts/digest.js';
import { isProoflineError } from '../contracts/errors.js';
import { assertValidId } from '../contracts/ids.js';
import type { AssemblyOptions, ContextAssembler } from '../context/assemble.js';
import { contextAssembled } from '../context/context-assembled.js';
import { assemblerOf, customForm, formOf, type ContextForm } from '../context/context-form.js';
import type { RecordedContext } from '../context/recorded-context.js';
import { assembleRunContext, type RunContext } from '../context/run-context.js';
import { readyViews } from '../context/run-views.js';
import { tokenBudget, type TokenBudget } from '../context/token-budget.js';
import type { Encoding } from '../context/token-counter.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { runEntries, type EntryPorts } from './run-entries.js';

/** A context for a run's prompt, made of what the ledger holds and recorded before anybody sees it. */

export interface RunContextPorts extends EntryPorts {
  readonly emitter: Emitter;
}

export interface RunContextRequest extends AssemblyOptions {
  readonly runId: string;
  readonly toolCallIds: readonly string[];
  /** The question that the prompt asks. */
  readonly query: string;
  readonly budget?: TokenBudget | null;
  /** The packed text, within its own budget of characters, in place of labelled sources. */
  readonly packed?: boolean;
  /** In place of the one that the options make. The record cannot tell how it works. */
  readonly assembler?: ContextAssembler;
}

/**
 * Assembles the READY agent views of the lookups and appends the record of it (CONTEXT_ASSEMBLED); answers once that
 * is durable. The ledger is read as far as its topic goes, so that no view that lags makes a difference.
 * @throws ProoflineError PL_ID_INVALID, PL_CONTEXT_REFUSED, PL_INPUT_INVALID, and what the bus throws.
 */
export async function assembleInRun(ports: RunContextPorts, request: RunContextRequest): Promise<RunContext> {
  const { runId, query, toolCallIds, budget = null } = request;
  const { bus, emitter } = ports;
  assertValidId('run_id', runId);
  const startedAt = emitter.now();
  const entries = await runEntries(ports, runId, toolCallIds);
  const views = readyViews(runId, toolCallIds, entries);
  const { form, assembler } = makerOf(request, budget);
  const context = assembleRunContext({ runId, query, views, assembler, budget }, sha256);
  const measured = { startedAt, finishedAt: emitter.now() };
  const record = contextAssembled(context, form, measured, sha256);
  await bus.append([encodeRecord(emitter, 'tool-invocation.v1', record)]);
  return context;
}

function makerOf(
  request: RunContextRequest,
  budget: TokenBudget | null,
): { readonly form: ContextForm; readonly assembler: ContextAssembler } {
  const form = request.assembler === undefined ? formOf(request) : customForm;
  const assembler = request.assembler ?? assemblerOf(form, budget, request.limits);
  if (assembler === null) throw new Error('only a custom form has no assembler');
  return { form, assembler };
}

/** A recorded context with its text again, or why there is none any more. */
export type Reassembled = { readonly context: RunContext } | { readonly gone: string };

/**
 * Makes the text of a recorded context again from the ledger. It is only given where it is the very text that was
 * recorded.
 * @throws ProoflineError as reading the ledger does
 */
export async function reassemble(ports: EntryPorts, recorded: RecordedContext): Promise<Reassembled> {
  const { runId, query, toolCallIds, form } = recorded;
  if (form === null) return { gone: 'it was not recorded how its text was made' };
  const budget = await budgetOf(recorded);
  const assembler = assemblerOf(form, budget);
  if (assembler === null) return { gone: "its text was made by a function of the caller's own" };
  try {
    const views = readyViews(runId, toolCallIds, await runEntries(ports, runId, toolCallIds));
    const context = assembleRunContext({ runId, query, views, assembler, budget }, sha256);
    if (context.contextId === recorded.contextId) return { context };
    return { gone: 'what the ledger has gives another text' };
  } catch (error) {
    // What has expired is forgotten one day.
    if (isProoflineError(error, 'PL_CONTEXT_REFUSED')) return { gone: String(error.params['problem']) };
    throw error;
  }
}

function budgetOf({ budget }: RecordedContext): Promise<TokenBudget | null> {
  if (budget === null) return Promise.resolve(null);
  // Another one than this version knows is refused.
  return tokenBudget({ tokens: budget.tokens, encoding: budget.encoding as Encoding });
}
