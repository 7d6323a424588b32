import { setTimeout as pause } from 'node:timers/promises';
import type { AuditReader, Trail } from '../audit/audit-store.js';
import type { Codec } from '../contracts/codec.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import { recordedContext, type RecordedContext } from '../context/recorded-context.js';
import { STAGES, type LookupTrace } from '../trace/lookup-trace.js';
import { runTrace, type RunTrace, type SubmittedGeneration } from '../trace/run-trace.js';
import { decodeAnswer } from './kept-answers.js';
import { withInstants } from './instants.js';

/** A run's trace as the audit has it: no topic is read for it, and no text of evidence is in it. */

export interface TracePorts {
  readonly audit: AuditReader;
  readonly codec: Codec;
}

/** Null of a run that the audit does not know. */
export async function readRunTrace({ audit, codec }: TracePorts, runId: string): Promise<RunTrace | null> {
  const trail = await audit.trail(runId);
  if (trail.invocations.length === 0 && trail.answers.length === 0) return null;
  return traceOfTrail(runId, trail, codec);
}

export function traceOfTrail(runId: string, trail: Trail, codec: Codec): RunTrace {
  const { invocations, truncated } = trail;
  return runTrace({ runId, invocations, truncated, submitted: submittedIn(trail, codec) });
}

/** Verdicts carry what the draft said of its generation. */
function submittedIn({ answers }: Trail, codec: Codec): SubmittedGeneration[] {
  return answers
    .filter(({ kind }) => kind === 'VERDICT')
    .flatMap((answer) => {
      const verdict = decodeAnswer(codec, 'verdict.v1', answer);
      if (verdict === null || verdict.generation === null) return [];
      const { draftId, generation, eventId, occurredAt: at } = verdict;
      return [{ draftId, generation, eventId, at }];
    });
}

/** How long what was done a moment ago may take into the audit. */
export const AUDIT_WAIT_MS = 2000;
const FIRST_LOOK_MS = 10;

/**
 * The trace of a lookup that was answered: once the audit has it whole, or as far as it has it after two seconds; null
 * where it knows nothing of it.
 */
export async function readLookupTrace(
  { audit, codec }: TracePorts,
  runId: string,
  toolCallId: string,
  waitMs = AUDIT_WAIT_MS,
): Promise<LookupTrace | null> {
  const trail = await untilKept(audit, runId, waitMs, ({ invocations }) =>
    invocations.some((note) => note.toolCallId === toolCallId && note.kind === STAGES.project),
  );
  const { lookups } = traceOfTrail(runId, trail, codec);
  return lookups.find((lookup) => lookup.toolCallId === toolCallId) ?? null;
}

/** The record of a context; null where there is none after two seconds. */
export async function readContext(
  { audit }: TracePorts,
  runId: string,
  contextId: string,
  waitMs = AUDIT_WAIT_MS,
): Promise<RecordedContext | null> {
  const contextIn = ({ invocations }: Trail): RecordedContext | undefined =>
    invocations.map(recordedContext).find((context) => context?.contextId === contextId) ?? undefined;
  const trail = await untilKept(audit, runId, waitMs, (read) => contextIn(read) !== undefined);
  return contextIn(trail) ?? null;
}

/**
 * What the audit has of the run once it has what is looked for, or as far as it has it in the end.
 * @throws ProoflineError PL_AUDIT_DOWN
 */
export async function untilKept(
  audit: AuditReader,
  runId: string,
  waitMs: number,
  isThere: (trail: Trail) => boolean,
): Promise<Trail> {
  const end = performance.now() + waitMs;
  for (let look = FIRST_LOOK_MS; ; look *= 2) {
    const trail = await audit.trail(runId);
    const left = end - performance.now();
    if (isThere(trail) || left <= 0) return trail;
    await pause(Math.min(look, left));
  }
}

/** As JSON: snake_case, instants in RFC 3339, durations in milliseconds. */
export function traceJson(trace: RunTrace | LookupTrace | RecordedContext): JsonObject {
  const json = toSnakeJson(trace, new Set(['queryPlan', 'retrievalTrace']));
  return withInstants(json, new Set(['query_plan', 'retrieval_trace'])) as JsonObject;
}
