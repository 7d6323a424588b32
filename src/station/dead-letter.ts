import type { Headers, NewRecord, StoredRecord } from '../bus/bus.js';
import { sha256 } from '../contracts/digest.js';
import { errorMessage, type ErrorCode, type ErrorParams } from '../contracts/errors.js';
import type { DeadLetter } from '../contracts/generated.js';
import { deadLetterEventId, isValidId } from '../contracts/ids.js';
import type { AnyMessage } from '../contracts/topics.js';
import { encodeRecord, type Emitter } from './envelope.js';

/** Header of a replayed record: the dead letter that it comes from, and how often it was given up. */
export const REPLAY_HEADER = 'proofline-dead-letter';
export const ATTEMPT_HEADER = 'proofline-dead-letter-attempt';

/** A record that cannot be processed, whole, with the reason. `message` is null where it could not be decoded. */
export function deadLetterRecord(
  emitter: Emitter,
  record: StoredRecord,
  message: AnyMessage | null,
  reason: { readonly code: ErrorCode; readonly params: ErrorParams; readonly message?: string },
  inherited: Headers = record.headers,
): NewRecord {
  const { topic, partition, offset, key, value, headers } = record;
  const letter: DeadLetter = {
    eventId: deadLetterIdOf(emitter, record),
    causedBy: message?.eventId.toWellFormed() ?? null,
    runId: message?.runId ?? runIdOfKey(key),
    occurredAt: message?.occurredAt ?? record.timestamp,
    origin: { topic, partition, offset },
    key,
    value,
    headers: Object.entries(headers).map(([name, text]) => ({
      key: name.toWellFormed(),
      value: Buffer.from(text, 'latin1'),
    })),
    station: emitter.station,
    code: reason.code,
    message: (reason.message ?? errorMessage(reason.code, reason.params)).toWellFormed(),
    attempt: attemptOf(headers),
  };
  const encoded = encodeRecord(emitter, 'dead-letter.v1', letter, inherited);
  // It stays on the partition number of the record, whatever that record says of its run.
  return { ...encoded, partition, key: key ?? Buffer.from(`${topic}/${partition}/${offset}`, 'utf8') };
}

/** The event id of the dead letter that this emitter makes of the record. */
export function deadLetterIdOf(
  { station }: Emitter,
  { topic, partition, offset }: Pick<StoredRecord, 'topic' | 'partition' | 'offset'>,
): string {
  return deadLetterEventId(sha256, { station, topic, partition, offset });
}

function runIdOfKey(key: Buffer | null): string {
  const text = key?.toString('utf8') ?? '';
  return isValidId(text) ? text : '';
}

function attemptOf(headers: Headers): number {
  const before = Number(headers[ATTEMPT_HEADER] ?? '0');
  return Number.isSafeInteger(before) && before >= 0 && before < 1_000_000 ? before + 1 : 1;
}
