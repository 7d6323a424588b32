import type {
  DeadLetter,
  DeadLetterDone,
  DraftSubmitted,
  GuardVerdict,
  LedgerEntry,
  LookupRequested,
  PostprocessedEvidence,
  ProjectedEvidence,
  RawHits,
  RepairRequested,
  ReviewDecision,
  Reviewed,
  RunOutcome,
  RunState,
  ToolInvocation,
  VerifiedDraft,
} from './generated.js';

/** What each topic carries, by the topic's name without its prefix. */
export interface TopicMessages {
  'lookup-requested.v1': LookupRequested;
  'raw-hits.v1': RawHits;
  'postprocessed.v1': PostprocessedEvidence;
  'projected.v1': ProjectedEvidence;
  'ledger.v1': LedgerEntry;
  'draft-submitted.v1': DraftSubmitted;
  'verdict.v1': GuardVerdict;
  'reviewed.v1': Reviewed;
  'repair-requested.v1': RepairRequested;
  'verified.v1': VerifiedDraft;
  'review-decision.v1': ReviewDecision;
  'run-state.v1': RunState;
  'run-outcome.v1': RunOutcome;
  'tool-invocation.v1': ToolInvocation;
  'dead-letter.v1': DeadLetter;
  'dead-letter-done.v1': DeadLetterDone;
}

/** Name of a topic without its prefix; also the name of the schema of its values. */
export type TopicName = keyof TopicMessages;

/** A message of any topic. */
export type AnyMessage = TopicMessages[TopicName];

interface TopicSpec {
  /** What the key is. All but the ledger's pick the partition by run_id through the key itself. */
  readonly key: 'run' | 'run/call' | 'origin' | 'dead-letter';
  /** Frozen: the schema never changes, a new one is a new topic. Internal: evolves backward compatibly. */
  readonly contract: 'frozen' | 'internal';
  /** Kafka's cleanup.policy. */
  readonly cleanup: 'delete' | 'compact';
  /** Days that a record is kept; null where it is kept for good or until a newer one of its key. */
  readonly retentionDays: number | null;
  /** Most bytes that a record may have, key, value and headers. */
  readonly maxBytes: number;
  /** The only ones who write it. */
  readonly writers: readonly string[];
}

const MIB = 1024 * 1024;
const deleted = (
  days: number | null,
  writers: readonly string[],
  contract: 'frozen' | 'internal',
): TopicSpec => ({
  key: 'run',
  contract,
  cleanup: 'delete',
  retentionDays: days,
  maxBytes: 4 * MIB,
  writers,
});
const compacted = (
  key: TopicSpec['key'],
  writers: readonly string[],
  contract: 'frozen' | 'internal',
): TopicSpec => ({
  key,
  contract,
  cleanup: 'compact',
  retentionDays: null,
  maxBytes: 4 * MIB,
  writers,
});

/** The topics of the line. All have the same number of partitions, so that a run keeps its partition number. */
export const topics: Readonly<Record<TopicName, TopicSpec>> = {
  'lookup-requested.v1': deleted(7, ['agents'], 'frozen'),
  'raw-hits.v1': deleted(7, ['retrieve'], 'internal'),
  'postprocessed.v1': deleted(7, ['postprocess'], 'internal'),
  'projected.v1': deleted(7, ['project'], 'frozen'),
  'ledger.v1': compacted('run/call', ['retrieve', 'project'], 'frozen'),
  'draft-submitted.v1': deleted(30, ['agents', 'harness'], 'frozen'),
  'verdict.v1': deleted(30, ['guard'], 'frozen'),
  'reviewed.v1': deleted(30, ['review'], 'frozen'),
  'repair-requested.v1': deleted(7, ['review'], 'frozen'),
  'verified.v1': deleted(30, ['review'], 'frozen'),
  'review-decision.v1': deleted(30, ['people'], 'frozen'),
  'run-state.v1': compacted('run', ['harness'], 'internal'),
  'run-outcome.v1': compacted('run', ['review'], 'internal'),
  'tool-invocation.v1': deleted(null, ['stations'], 'frozen'),
  'dead-letter.v1': { ...deleted(30, ['stations'], 'internal'), key: 'origin', maxBytes: 8 * MIB },
  'dead-letter-done.v1': compacted('dead-letter', ['people'], 'internal'),
};

export const topicNames = Object.keys(topics) as readonly TopicName[];

/** True for the name of a topic, without its prefix. */
export function isTopicName(name: string): name is TopicName {
  return Object.hasOwn(topics, name);
}
