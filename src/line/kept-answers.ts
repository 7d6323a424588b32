import type { Answer, AnswerKind, AuditReader } from '../audit/audit-store.js';
import type { Codec } from '../contracts/codec.js';
import { sha256 } from '../contracts/digest.js';
import { isProoflineError } from '../contracts/errors.js';
import type {
  GuardVerdict,
  ProjectedEvidence,
  RepairRequested,
  Reviewed,
  VerifiedDraft,
} from '../contracts/generated.js';
import { decisionEventId, derivedEventId } from '../contracts/ids.js';
import type { TopicMessages, TopicName } from '../contracts/topics.js';
import type { SubmissionAnswer } from './doors.js';

/**
 * The line's answers as the audit keeps them. Event ids are derived, so each is asked for by its own name: nothing
 * here reads more than one row at a time. Each rejects with PL_AUDIT_DOWN where the store does not answer.
 */
export interface KeptAnswers {
  /** The first answer to the request. */
  lookup(runId: string, requestEventId: string): Promise<ProjectedEvidence | null>;
  /** The first verdict under the draft's id, of whichever text. */
  verdict(runId: string, draftId: string): Promise<GuardVerdict | null>;
  /** What was decided of the verdict: a person's decision, where there is one, else the line's own. */
  reviewed(verdict: GuardVerdict): Promise<Reviewed | null>;
  /** The run's outcome, where the decision published one. */
  outcome(reviewed: Reviewed): Promise<VerifiedDraft | null>;
  /** The repair that the decision asked for. */
  repair(reviewed: Reviewed): Promise<RepairRequested | null>;
}

export function keptAnswers(audit: AuditReader, codec: Codec): KeptAnswers {
  async function read<T extends TopicName>(
    topic: T,
    runId: string,
    kind: AnswerKind,
    id: string,
  ): Promise<TopicMessages[T] | null> {
    const kept = await audit.answer(runId, kind, id);
    return kept === null ? null : decodeAnswer(codec, topic, kept);
  }

  return {
    lookup: (runId, requestEventId) => read('projected.v1', runId, 'LOOKUP', requestEventId),
    verdict: (runId, draftId) => read('verdict.v1', runId, 'VERDICT', draftId),
    async reviewed({ runId, draftId, eventId }) {
      const decision = decisionEventId(sha256, { runId, draftId, verdictEventId: eventId });
      const byPerson = reviewEventId(runId, decision, 'reviewed.v1');
      const reviewed =
        (await read('reviewed.v1', runId, 'REVIEWED', byPerson)) ??
        (await read('reviewed.v1', runId, 'REVIEWED', draftId));
      return reviewed?.verdictEventId === eventId ? reviewed : null;
    },
    async outcome({ runId, causedBy }) {
      return causedBy === null
        ? null
        : read('verified.v1', runId, 'OUTCOME', reviewEventId(runId, causedBy, 'verified.v1'));
    },
    async repair({ runId, draftId, causedBy }) {
      const repair = await read('repair-requested.v1', runId, 'REPAIR', draftId);
      return repair !== null && repair.causedBy === causedBy ? repair : null;
    },
  };
}

/** Of what review emits for a verdict or a person's decision. */
function reviewEventId(runId: string, inputEventId: string, topic: TopicName): string {
  return derivedEventId(sha256, { station: 'review', runId, inputEventId, topic, ordinal: 0 });
}

/** Null where the bytes are not the topic's: what cannot be read is no answer. */
export function decodeAnswer<T extends TopicName>(
  codec: Codec,
  topic: T,
  answer: Answer,
): TopicMessages[T] | null {
  try {
    return codec.decode(topic, answer.value);
  } catch (error) {
    if (isProoflineError(error)) return null;
    throw error;
  }
}

export function isOutcome({ decision }: Reviewed): boolean {
  return decision === 'PUBLISH' || decision === 'FALLBACK';
}

/** All that the audit has of a judged draft; null while a part of it is still on its way there. */
export async function settledAnswer(
  kept: KeptAnswers,
  verdict: GuardVerdict,
): Promise<SubmissionAnswer | null> {
  const reviewed = await kept.reviewed(verdict);
  if (reviewed === null) return null;
  const verified = isOutcome(reviewed) ? await kept.outcome(reviewed) : null;
  const repair = reviewed.decision === 'REPAIR' ? await kept.repair(reviewed) : null;
  const isWhole = verified !== null || repair !== null;
  return isWhole || !(isOutcome(reviewed) || reviewed.decision === 'REPAIR')
    ? { verdict, reviewed, verified, repair }
    : null;
}
