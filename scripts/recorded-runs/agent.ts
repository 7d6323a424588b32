import { draftSubmitted, type DraftHandIn } from '../../producers/drafts.js';
import { lookupRequested, type Lookup } from '../../producers/lookups.js';
import type { AgentView, LedgerEntry } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';
import { decideHeld } from '../../src/line/decide-held.js';
import type { SubmissionAnswer } from '../../src/line/doors.js';
import type { Line } from '../../src/line/embedded-line.js';
import { readRunEntries } from '../../src/line/ledger-entries.js';

/** The agent of one recorded run, and the person who looks at its drafts, on a line whose clock stands still. */

const TIMEOUT_MS = 30_000;
const LOOK_MS = 20;

/** Event time: it moves only when told to. */
export interface Clock {
  now(): number;
  pass(ms: number): void;
}

export interface Agent {
  readonly runId: string;
  readonly clock: Clock;
  /** Asks, and reads what it is shown; null where the lookup failed. */
  ask(toolCallId: string, query: string, more?: Partial<Lookup>): Promise<AgentView | null>;
  /** Asks, and goes on while nothing has been found yet; the promise is of the answer. */
  askSlowly(toolCallId: string, query: string): Promise<{ readonly answered: Promise<unknown> }>;
  /** Hands a draft in as an object, or as a text; null gives up. */
  handIn(
    draftId: string,
    draft: object | string | null,
    more?: Partial<DraftHandIn>,
  ): Promise<SubmissionAnswer>;
  decide(draftId: string, decision: 'APPROVE' | 'REJECT', reason: string): Promise<void>;
  /** Changes an entry in the ledger's view, as somebody could who may write to it. */
  forge(toolCallId: string, change: (entry: LedgerEntry) => Partial<LedgerEntry>): Promise<void>;
}

export function agentOf(line: Line, runId: string, clock: Clock): Agent {
  const ask: Agent['ask'] = async (toolCallId, query, more = {}) => {
    const request = lookupRequested({ runId, toolCallId, query, ...more }, clock.now());
    const { agentView } = await line.lookup(request, TIMEOUT_MS);
    const reading = agentView === null ? null : parseAgentView(agentView, toolCallId);
    return reading !== null && 'view' in reading ? reading.view : null;
  };
  return {
    runId,
    clock,
    ask,
    async askSlowly(toolCallId, query) {
      const answered = ask(toolCallId, query);
      await until(async () => (await readRunEntries(line.bus, line.codec, runId)).length > 0);
      return { answered };
    },
    handIn(draftId, draft, more = {}) {
      const draftJson = draft === null || typeof draft === 'string' ? draft : JSON.stringify(draft, null, 1);
      return line.submit(draftSubmitted({ runId, draftId, draftJson, ...more }, clock.now()), TIMEOUT_MS);
    },
    async decide(draftId, decision, reason) {
      await decideHeld(line, { runId, draftId, decision, by: 'alice', reason }, TIMEOUT_MS);
    },
    async forge(toolCallId, change) {
      const query = { runId, toolCallIds: [toolCallId], others: 0 };
      const read = await line.ledger.read(partitionOf(runId, line.bus.partitions), [query]);
      const [found] = read?.entries ?? [];
      if (found === undefined) throw new Error(`there is no entry of ${toolCallId}`);
      const entry = line.codec.decode('ledger.v1', found.value);
      const value = line.codec.encode('ledger.v1', { ...entry, ...change(entry) });
      await line.bus.writer.write((db) => {
        const sql = 'UPDATE ledger_entry SET value = ? WHERE run_id = ? AND tool_call_id = ?';
        db.prepare(sql).run(value, runId, toolCallId);
      });
    },
  };
}

/** Looks again and again until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come to that in time');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
