import type { Generation, ToolInvocation } from '../contracts/generated.js';
import { isJsonObject } from '../contracts/json.js';
import { recordedContext, type RecordedContext } from '../context/recorded-context.js';
import { factsOf, numberIn, textIn } from './facts.js';
import { lookupTrace, STAGES, took, type LookupTrace } from './lookup-trace.js';
import { GENERATION_USAGE, readUsage, type GenerationUsage } from './usage.js';

/** How a run's evidence came about, what its model used, and what judges said: all that the audit keeps of it. */
export interface RunTrace {
  readonly runId: string;
  /** In the order in which they were asked. */
  readonly lookups: readonly LookupTrace[];
  readonly contexts: readonly RecordedContext[];
  /** One a draft: what was filled in last, else what the draft came with. */
  readonly generations: readonly GenerationTrace[];
  readonly guards: readonly GuardTrace[];
  /** The last one of each draft. */
  readonly judgements: readonly JudgementTrace[];
  /** True where the audit has more of the run than was read. */
  readonly truncated: boolean;
}

export interface GenerationTrace extends GenerationUsage {
  readonly draftId: string;
  /** SUBMITTED with the draft, or REPORTED after the fact. */
  readonly source: 'SUBMITTED' | 'REPORTED';
  readonly eventId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface GuardTrace extends Pick<ToolInvocation, 'outcome' | 'violationCodes' | 'measured'> {
  readonly draftId: string;
  readonly eventId: string;
}

export interface JudgementTrace extends Pick<ToolInvocation, 'outcome' | 'code' | 'measured'> {
  readonly draftId: string;
  readonly eventId: string;
  /** Who asked. */
  readonly station: string;
  readonly model: string | null;
  readonly promptSha256: string | null;
  /** From 0 to 1; null where the judge gave none. */
  readonly scores: {
    readonly faithfulness: number | null;
    readonly contextRelevance: number | null;
    readonly answerRelevance: number | null;
  };
  readonly reason: string | null;
}

/** A draft's own word of how it was generated. */
export interface SubmittedGeneration {
  readonly draftId: string;
  readonly generation: Generation;
  readonly eventId: string;
  readonly at: number;
}

export interface RunTraceInput {
  readonly runId: string;
  /** In the order of the audit. */
  readonly invocations: readonly ToolInvocation[];
  readonly submitted: readonly SubmittedGeneration[];
  readonly truncated: boolean;
}

const JUDGE_EVALUATION = 'JUDGE_EVALUATION';
const OF_LOOKUPS: ReadonlySet<string> = new Set(Object.values(STAGES));

export function runTrace({ runId, invocations, submitted, truncated }: RunTraceInput): RunTrace {
  const contexts = invocations.flatMap((event) => recordedContext(event) ?? []);
  return {
    runId,
    lookups: lookupsOf(invocations, contexts),
    contexts,
    generations: generationsOf(invocations, submitted),
    guards: invocations.filter(({ kind }) => kind === 'GUARD').flatMap(guardOf),
    judgements: lastOfDrafts(
      invocations.filter(({ kind }) => kind === JUDGE_EVALUATION).flatMap(judgementOf),
    ),
    truncated,
  };
}

function lookupsOf(
  invocations: readonly ToolInvocation[],
  contexts: readonly RecordedContext[],
): LookupTrace[] {
  const byCall = new Map<string, ToolInvocation[]>();
  for (const event of invocations) {
    if (event.toolCallId === null || !OF_LOOKUPS.has(event.kind)) continue;
    const notes = byCall.get(event.toolCallId);
    if (notes === undefined) byCall.set(event.toolCallId, [event]);
    else notes.push(event);
  }
  const assembled = new Map<string, number | null>();
  for (const { toolCallIds, measured } of contexts)
    for (const call of toolCallIds) assembled.set(call, took(measured));
  return Array.from(byCall, ([call, notes]) => lookupTrace(call, notes, assembled.get(call) ?? null));
}

function generationsOf(
  invocations: readonly ToolInvocation[],
  submitted: readonly SubmittedGeneration[],
): GenerationTrace[] {
  const own = submitted.map(({ generation, ...of }) => ({
    ...of,
    ...generation,
    source: 'SUBMITTED' as const,
  }));
  const reported = invocations
    .filter(({ kind }) => kind === GENERATION_USAGE)
    .flatMap((event) => {
      const { draftId, eventId, occurredAt: at } = event;
      if (draftId === null) return [];
      return [{ draftId, ...readUsage(factsOf(event)), source: 'REPORTED' as const, eventId, at }];
    });
  return lastOfDrafts([...own, ...reported]);
}

function guardOf({ draftId, eventId, outcome, violationCodes, measured }: ToolInvocation): GuardTrace[] {
  return draftId === null ? [] : [{ draftId, eventId, outcome, violationCodes, measured }];
}

function judgementOf(event: ToolInvocation): JudgementTrace[] {
  const { draftId, eventId, station, outcome, code, measured } = event;
  if (draftId === null) return [];
  const facts = factsOf(event);
  const scores = isJsonObject(facts['scores']) ? facts['scores'] : {};
  const judgement: JudgementTrace = {
    draftId,
    eventId,
    station,
    outcome,
    code,
    model: textIn(facts['model']),
    promptSha256: textIn(facts['prompt_sha256']),
    scores: {
      faithfulness: numberIn(scores['faithfulness']),
      contextRelevance: numberIn(scores['context_relevance']),
      answerRelevance: numberIn(scores['answer_relevance']),
    },
    reason: textIn(facts['reason']),
    measured,
  };
  return [judgement];
}

/** Of each draft the last one, in the order of their drafts. */
function lastOfDrafts<T extends { readonly draftId: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.draftId, item] as const)).values()];
}
