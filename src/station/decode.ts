import type { StoredRecord } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { isProoflineError, ProoflineError, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import { isValidId } from '../contracts/ids.js';
import { partitionOf } from '../contracts/partition.js';
import { topics, type AnyMessage, type TopicName } from '../contracts/topics.js';
import type { Message } from './station.js';

/** A record that can be worked on, one that never can, with the reason, or the end of a key of a compacted topic. */
export type Decoded<I extends TopicName> =
  | { readonly kind: 'message'; readonly message: Message<I>; readonly record: StoredRecord }
  | { readonly kind: 'tombstone'; readonly record: StoredRecord }
  | {
      readonly kind: 'poison';
      readonly record: StoredRecord;
      readonly message: AnyMessage | null;
      readonly code: ErrorCode;
      readonly params: ErrorParams;
    };

/** Decodes a record and checks what holds for every message: its ids, and the partition that it lies on. */
export function decodeRecord<I extends TopicName>(
  codec: Codec,
  partitions: number,
  record: StoredRecord,
  admit: ((message: Message<I>) => { code: ErrorCode; params: ErrorParams } | null) | undefined,
): Decoded<I> {
  if (record.value === null && topics[record.topic].cleanup === 'compact')
    return { kind: 'tombstone', record };
  let message: Message<I> | null = null;
  try {
    message = decodeMessage<I>(codec, record);
    checkIds(message.value);
    checkPartition(message.value.runId, record.partition, partitions);
    const refusal = admit?.(message) ?? null;
    if (refusal !== null) return { kind: 'poison', record, message: message.value, ...refusal };
    return { kind: 'message', record, message };
  } catch (error) {
    // A registry that is down is no fault of the record's.
    if (isProoflineError(error) && error.retryable) throw error;
    return { kind: 'poison', record, message: message?.value ?? null, ...reasonOf(error) };
  }
}

/** Whatever a record makes the checks throw, it would make them throw for ever. */
function reasonOf(error: unknown): { code: ErrorCode; params: ErrorParams } {
  if (isProoflineError(error)) return { code: error.code, params: error.params };
  return { code: 'PL_INVARIANT', params: { problem: String(error).slice(0, 300) } };
}

function decodeMessage<I extends TopicName>(codec: Codec, record: StoredRecord): Message<I> {
  if (record.value === null)
    throw new ProoflineError('PL_RECORD_UNDECODABLE', { problem: 'it has no value' });
  return { topic: record.topic, record, value: codec.decode(record.topic, record.value) } as Message<I>;
}

function checkIds(message: AnyMessage): void {
  const ids = message as { runId: string; toolCallId?: string | null; draftId?: string | null };
  for (const [field, id] of [
    ['run_id', ids.runId],
    ['tool_call_id', ids.toolCallId],
    ['draft_id', ids.draftId],
  ] as const) {
    if (id === undefined || id === null) continue;
    if (!isValidId(id))
      throw new ProoflineError('PL_ID_INVALID', { field, id: JSON.stringify(id.slice(0, 64)) });
  }
}

function checkPartition(runId: string, found: number, partitions: number): void {
  const expected = partitionOf(runId, partitions);
  if (found !== expected) throw new ProoflineError('PL_PARTITION_WRONG', { found, run_id: runId, expected });
}
