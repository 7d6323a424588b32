import type { DraftSubmitted, GuardVerdict } from '../contracts/generated.js';
import type { EvidenceEntry, GuardTools } from './entries.js';
import { guard, type GuardResult } from './guard.js';
import { toVerdictFields, type VerdictFields } from './record.js';

/** What was read of the ledger for one submission. */
export interface SubmissionEvidence {
  readonly entries: readonly EvidenceEntry[];
  readonly foreignCalls: ReadonlyMap<string, string>;
  readonly readAt: { readonly partition: number; readonly offset: number };
}

/** A verdict without its envelope. */
export type VerdictBody = Omit<GuardVerdict, 'eventId' | 'causedBy' | 'runId' | 'occurredAt'>;

/** Judges what was handed in. A run that was given up has no draft to judge. */
export function judgeSubmission(
  submission: DraftSubmitted,
  evidence: SubmissionEvidence,
  tools: GuardTools,
): { readonly body: VerdictBody; readonly result: GuardResult | null } {
  const { runId, draftJson, occurredAt } = submission;
  if (draftJson === null) return { body: verdictBody(submission, abandoned), result: null };
  const result = guard({ runId, draftJson, submittedAt: occurredAt, ...evidence }, tools);
  return { body: verdictBody(submission, toVerdictFields(result, tools.limits)), result };
}

/** The verdict without what can be large; review holds such a draft. */
export function withoutLargeParts(body: VerdictBody): VerdictBody {
  const ext = { ...body.ext, code: 'PL_VERDICT_TOO_LARGE' };
  return { ...body, draft: null, lookups: [], quotes: [], shown: [], analyses: [], ext };
}

const abandoned: VerdictFields = {
  ruleSets: [],
  status: 'ABANDONED',
  draftSha256: null,
  draft: null,
  violations: [],
  violationCount: 0,
  lookups: [],
  shown: [],
  analyses: [],
  quotes: [],
  read: [],
};

function verdictBody(submission: DraftSubmitted, fields: VerdictFields): VerdictBody {
  const { draftId, attempt, givenUp, prompt, generation, limits } = submission;
  // Review says on the fallback why the run was given up.
  const ext: Record<string, string> = givenUp === null ? {} : { given_up: givenUp };
  return { draftId, attempt, ...fields, prompt, generation, limits, ext };
}
