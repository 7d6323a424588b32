import { blankInvocation } from '../contracts/blank-invocation.js';
import type { Invocation } from './station.js';

type Required = 'kind' | 'outcome' | 'countIn' | 'countOut';

/** An audit event with what is not said left empty. `facts` hold no evidence text. */
export function invocation(
  fields: Pick<Invocation, Required> & Partial<Omit<Invocation, Required | 'factsJson'>> & { facts?: object },
): Invocation {
  const blank = blankInvocation;
  // Field by field, in the order of the schema: every station does this for each message, and spreading took most of it.
  return {
    kind: fields.kind,
    toolCallId: fields.toolCallId ?? blank.toolCallId,
    toolName: fields.toolName ?? blank.toolName,
    draftId: fields.draftId ?? blank.draftId,
    outcome: fields.outcome,
    code: fields.code ?? blank.code,
    query: fields.query ?? blank.query,
    evidenceStatus: fields.evidenceStatus ?? blank.evidenceStatus,
    relevanceLevel: fields.relevanceLevel ?? blank.relevanceLevel,
    topSimilarity: fields.topSimilarity ?? blank.topSimilarity,
    isLowQuality: fields.isLowQuality ?? blank.isLowQuality,
    countIn: fields.countIn,
    countOut: fields.countOut,
    dropped: fields.dropped ?? blank.dropped,
    cuts: fields.cuts ?? blank.cuts,
    retrievalTraceJson: fields.retrievalTraceJson ?? blank.retrievalTraceJson,
    violationCodes: fields.violationCodes ?? blank.violationCodes,
    factsJson: fields.facts === undefined ? '{}' : JSON.stringify(fields.facts),
  };
}
