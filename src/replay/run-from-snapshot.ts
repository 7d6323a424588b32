import * as z from 'zod';
import { invocationFromJson } from '../audit/invocation-json.js';
import { createCodec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { ToolInvocation } from '../contracts/generated.js';
import { recordFromJson } from '../contracts/record-from-json.js';
import { isTopicName, type TopicMessages, type TopicName } from '../contracts/topics.js';
import type { Keyring } from '../ledger/keyring.js';
import { checkEntry } from '../line/ledger-entries.js';
import { firstOfEach } from '../line/run-messages.js';
import { SNAPSHOT_FORMAT } from '../line/run-snapshot.js';
import type { RecordedEntry, RecordedRun } from './recorded-run.js';

/** A run out of the file that `proofline trail RUN --snapshot FILE` wrote. Nothing in it is believed. */

const records = z.array(z.looseObject({ value: z.unknown() })).default([]);

const snapshotSchema = z.looseObject({
  format: z.literal(SNAPSHOT_FORMAT, `is not ${SNAPSHOT_FORMAT}, the one that this version reads`),
  run_id: z.string(),
  trimmed: z.array(z.string()).default([]),
  drafts: records,
  verdicts: records,
  reviewed: records,
  decisions: records,
  repairs: records,
  verified: records,
  views: records,
  run_outcome: records,
  ledger: z
    .array(z.looseObject({ offset: z.int(), tool_call_id: z.string(), value: z.unknown() }))
    .default([]),
  audit: z
    .looseObject({ invocations: z.array(z.unknown()).default([]), truncated: z.boolean().default(false) })
    .default({ invocations: [], truncated: false }),
});

type Snapshot = z.output<typeof snapshotSchema>;

/**
 * @param keyring checks the signatures of its ledger entries; null leaves them unchecked
 * @throws ProoflineError PL_INPUT_INVALID naming what is no part of a snapshot.
 */
export function runFromSnapshot(json: unknown, keyring: Keyring | null): RecordedRun {
  const parsed = snapshotSchema.safeParse(json);
  if (!parsed.success) throw notASnapshot(parsed.error.issues);
  const snapshot = parsed.data;
  const runId = snapshot.run_id;
  const { audit, trimmed } = snapshot;
  return {
    runId,
    drafts: messagesOf(snapshot.drafts, 'draft-submitted.v1', runId),
    verdicts: firsts(messagesOf(snapshot.verdicts, 'verdict.v1', runId)),
    reviewed: firsts(messagesOf(snapshot.reviewed, 'reviewed.v1', runId)),
    decisions: messagesOf(snapshot.decisions, 'review-decision.v1', runId),
    repairs: firsts(messagesOf(snapshot.repairs, 'repair-requested.v1', runId)),
    verified: firsts(messagesOf(snapshot.verified, 'verified.v1', runId)),
    answers: messagesOf(snapshot.views, 'projected.v1', runId),
    outcome: messagesOf(snapshot.run_outcome, 'run-outcome.v1', runId).at(-1) ?? null,
    entries: snapshot.ledger.map((entry) => entryOf(runId, entry, keyring)),
    notes: audit.invocations.map(noteOf).filter((note) => note.runId === runId),
    trimmed: new Set(trimmed.filter(isTopicName)),
    isAuditWhole: !audit.truncated,
  };
}

function messagesOf<T extends TopicName>(
  section: Snapshot['drafts'],
  topic: T,
  runId: string,
): TopicMessages[T][] {
  return section
    .map(({ value }) => recordFromJson(topic, value))
    .filter((message) => message.runId === runId);
}

function firsts<M extends { readonly eventId: string }>(messages: readonly M[]): M[] {
  return firstOfEach(messages, ({ eventId }) => eventId);
}

const codec = createCodec();

function entryOf(
  runId: string,
  { offset, tool_call_id: toolCallId, value }: Snapshot['ledger'][number],
  keyring: Keyring | null,
): RecordedEntry {
  if (value === null) {
    const unread = { entry: null, state: 'UNREADABLE', signature: 'ABSENT' } as const;
    return { runId, toolCallId, ...unread, problems: ['UNREADABLE'], offset };
  }
  const bytes = codec.encode('ledger.v1', recordFromJson('ledger.v1', value));
  return { ...checkEntry(codec, keyring, { runId, toolCallId, value: bytes }), offset };
}

/** Held against its schema, like everything else. */
function noteOf(json: unknown): ToolInvocation {
  try {
    const note = invocationFromJson(JSON.stringify(json));
    return codec.decode('tool-invocation.v1', codec.encode('tool-invocation.v1', note));
  } catch (error) {
    const problem = 'an event under audit.invocations is none';
    throw new ProoflineError('PL_INPUT_INVALID', { problem }, { cause: error });
  }
}

const PROBLEMS_SHOWN = 5;

function notASnapshot(issues: readonly z.core.$ZodIssue[]): ProoflineError {
  const problems = issues
    .slice(0, PROBLEMS_SHOWN)
    .map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  const problem = `it is no snapshot of a run (\`proofline trail RUN --snapshot FILE\` writes one): ${problems.join('; ')}`;
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
