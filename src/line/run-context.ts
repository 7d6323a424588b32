import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { assertValidId } from '../contracts/ids.js';
import {
  contextAssembler,
  tokenAwareAssembler,
  type AssemblyOptions,
  type ContextAssembler,
} from '../context/assemble.js';
import { contextAssembled } from '../context/context-assembled.js';
import { assembleRunContext, type RunContext } from '../context/run-context.js';
import { readyViews, refused, type LedgerText } from '../context/run-views.js';
import type { TokenBudget } from '../context/token-budget.js';
import type { Keyring } from '../ledger/keyring.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { checkEntry, readRunEntries, type CheckedEntry } from './ledger-entries.js';
import { learning } from './learning-reader.js';

/** A context for a run's prompt, made of what the ledger holds and recorded before anybody sees it. */

export interface RunContextPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly emitter: Emitter;
  /** Entries whose signature does not hold make no context. Null: there is no key to check with. */
  readonly keyring: Keyring | null;
}

export interface RunContextRequest extends AssemblyOptions {
  readonly runId: string;
  readonly toolCallIds: readonly string[];
  /** The question that the prompt asks. */
  readonly query: string;
  readonly budget?: TokenBudget | null;
  /** In place of the one that the options make. */
  readonly assembler?: ContextAssembler;
}

/**
 * Assembles the READY agent views of the lookups and appends the record of it (CONTEXT_ASSEMBLED); answers once that
 * is durable. The ledger's topic is read, not its view, which may lag.
 * @throws ProoflineError PL_ID_INVALID, PL_CONTEXT_REFUSED, PL_INPUT_INVALID, and what the bus throws.
 */
export async function assembleInRun(
  { bus, codec, emitter, keyring }: RunContextPorts,
  request: RunContextRequest,
): Promise<RunContext> {
  const { runId, query, toolCallIds, budget = null } = request;
  assertValidId('run_id', runId);
  const startedAt = emitter.now();
  const calls = new Set(toolCallIds);
  const records = await readRunEntries(learning(bus, codec), codec, runId);
  const entries = records
    .filter(({ toolCallId }) => calls.has(toolCallId))
    .map((record) => textOf(checkEntry(codec, keyring, record)));
  const views = readyViews(runId, toolCallIds, entries);
  const assembler = request.assembler ?? assemblerOf(request, budget);
  const context = assembleRunContext({ runId, query, views, assembler, budget }, sha256);
  const record = contextAssembled(context, { startedAt, finishedAt: emitter.now() }, sha256);
  await bus.append([encodeRecord(emitter, 'tool-invocation.v1', record)]);
  return context;
}

function assemblerOf(options: AssemblyOptions, budget: TokenBudget | null): ContextAssembler {
  return budget === null ? contextAssembler(options) : tokenAwareAssembler(budget, options);
}

function textOf({ runId, toolCallId, state, entry, problems }: CheckedEntry): LedgerText {
  const [problem] = problems;
  if (problem !== undefined)
    throw refused(runId, `the entry of ${JSON.stringify(toolCallId)} is broken: ${problem}`);
  return { runId, toolCallId, state, agentView: entry?.agentView ?? null };
}
