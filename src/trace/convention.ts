import type { RecordedContext } from '../context/recorded-context.js';
import type { LookupTrace, RetrievedHit } from './lookup-trace.js';
import type { GenerationTrace, GuardTrace, JudgementTrace, RunTrace } from './run-trace.js';
import type { Attributes, SpanEvent } from './span.js';

/** How a convention names a step, and what it tells of it. */
export interface Described {
  readonly name: string;
  readonly attributes: Attributes;
  readonly events?: readonly SpanEvent[];
}

/** The text of a hit, while its topic keeps it; null afterwards, and where no texts are asked for. */
export type TextOfHit = (
  toolCallId: string,
  hit: Pick<RetrievedHit, 'evidenceKey' | 'originalRank'>,
) => string | null;

/** The vocabulary that a trace is told in, so that a tool that knows the vocabulary can show it. */
export interface Convention {
  run(trace: RunTrace): Described;
  lookup(lookup: LookupTrace): Described;
  retrieve(lookup: LookupTrace, textOf: TextOfHit): Described;
  postprocess(lookup: LookupTrace, textOf: TextOfHit): Described;
  project(lookup: LookupTrace): Described;
  context(context: RecordedContext): Described;
  generation(generation: GenerationTrace): Described;
  guard(guard: GuardTrace): Described;
  judgement(judgement: JudgementTrace): Described;
}

/** The scores that a judge gave, by their names. */
export function scoresOf({ scores }: JudgementTrace): (readonly [name: string, score: number])[] {
  const named = [
    ['faithfulness', scores.faithfulness],
    ['context_relevance', scores.contextRelevance],
    ['answer_relevance', scores.answerRelevance],
  ] as const;
  return named.flatMap(([name, score]) => (score === null ? [] : [[name, score] as const]));
}
