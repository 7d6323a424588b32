import type { AgentView } from '../contracts/generated.js';
import { ProoflineError } from '../contracts/errors.js';
import { parseAgentView } from '../evidence/parse-agent-view.js';

/** What a run's context may be made of: the ledger's entries, read and checked by somebody else. */
export interface LedgerText {
  readonly runId: string;
  readonly toolCallId: string;
  readonly state: string;
  /** The text that the model was shown; null unless READY. */
  readonly agentView: string | null;
}

/** The most lookups of one context: what a draft may cite. */
export const MAX_CALLS = 128;

/**
 * The READY views of the lookups, in the order of the ids, each once.
 * @throws ProoflineError PL_CONTEXT_REFUSED where one of them has none in this run, or one that cannot be read: a
 *   context that leaves a lookup out in silence would say of its evidence that there is none.
 */
export function readyViews(
  runId: string,
  toolCallIds: readonly string[],
  entries: readonly LedgerText[],
): readonly AgentView[] {
  const calls = [...new Set(toolCallIds)];
  if (calls.length === 0) throw refused(runId, 'no lookup is named');
  if (calls.length > MAX_CALLS) throw refused(runId, `${calls.length} lookups are more than ${MAX_CALLS}`);
  const own = entries.filter((entry) => entry.runId === runId);
  return calls.map((call) => readyView(runId, call, own));
}

function readyView(runId: string, call: string, entries: readonly LedgerText[]): AgentView {
  const [entry, another] = entries.filter(({ toolCallId }) => toolCallId === call);
  const name = JSON.stringify(call.slice(0, 128));
  if (entry === undefined) throw refused(runId, `it has no lookup ${name}`);
  if (another !== undefined) throw refused(runId, `there are two entries of ${name}`);
  if (entry.state !== 'READY' || entry.agentView === null)
    throw refused(runId, `${name} is ${entry.state}, and has no view`);
  const reading = parseAgentView(entry.agentView, call);
  if ('problem' in reading) throw refused(runId, `the view of ${name} is broken: ${reading.problem}`);
  return reading.view;
}

export function refused(runId: string, problem: string): ProoflineError {
  return new ProoflineError('PL_CONTEXT_REFUSED', { run_id: runId, problem });
}
