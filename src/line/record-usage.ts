import type { AuditReader } from '../audit/audit-store.js';
import type { Bus } from '../bus/bus.js';
import { sha256 } from '../contracts/digest.js';
import { assertValidId } from '../contracts/ids.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { AUDIT_WAIT_MS, untilKept } from './read-trace.js';
import { GENERATION_USAGE, generationUsed, usageJson, type GenerationUsage } from '../trace/usage.js';

/** What a draft's generation used, filled in by the caller after the fact: one more event, and the last one counts. */

export interface UsageHandIn {
  readonly runId: string;
  readonly draftId: string;
  readonly usage: GenerationUsage;
}

export interface UsageRecorded {
  readonly eventId: string;
  /** True where the same was filled in last already: nothing was added. */
  readonly repeat: boolean;
}

export interface UsagePorts {
  readonly bus: Bus;
  readonly emitter: Emitter;
  readonly audit: AuditReader;
}

/**
 * Answers once the event is durable and, where that does not take long, known to the audit.
 * @throws ProoflineError PL_ID_INVALID, PL_AUDIT_DOWN, and what the bus throws.
 */
export async function recordUsage(
  { bus, emitter, audit }: UsagePorts,
  { runId, draftId, usage }: UsageHandIn,
): Promise<UsageRecorded> {
  assertValidId('run_id', runId);
  assertValidId('draft_id', draftId);
  const { invocations } = await audit.trail(runId);
  const last = invocations.findLast((event) => event.kind === GENERATION_USAGE && event.draftId === draftId);
  if (last?.factsJson === JSON.stringify(usageJson(usage))) return { eventId: last.eventId, repeat: true };
  const now = emitter.now();
  const measured = { startedAt: now, finishedAt: now };
  const event = generationUsed({ runId, draftId, usage, after: last?.eventId ?? null }, measured, sha256);
  await bus.append([encodeRecord(emitter, 'tool-invocation.v1', event)]);
  // So that what the caller fills in next comes after it.
  await untilKept(audit, runId, AUDIT_WAIT_MS, (trail) =>
    trail.invocations.some(({ eventId }) => eventId === event.eventId),
  );
  return { eventId: event.eventId, repeat: false };
}
