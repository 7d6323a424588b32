/**
 * What an error of kafkajs means. It wraps errors in errors, and codes that it does not know (those above 88,
 * PRODUCER_FENCED among them) are only in the message: so the whole chain of causes is looked through.
 */

/** Codes that say: this transactional id has another owner since. */
const FENCED_CODES = new Set([45, 47, 49, 59, 90]);
const REJOIN_TYPES = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);
const MAX_DEPTH = 10;

interface KafkaErrorLike {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

/** The error and its causes, from the outside in. */
export function causesOf(error: unknown): KafkaErrorLike[] {
  const chain: KafkaErrorLike[] = [];
  for (
    let at = error;
    typeof at === 'object' && at !== null && chain.length < MAX_DEPTH;
    at = (at as KafkaErrorLike).cause
  )
    chain.push(at);
  return chain;
}

/** True where another owner of the transactional id has taken over: whoever gets this must not go on. */
export function isFenced(error: unknown): boolean {
  return causesOf(error).some(({ code, message }) => {
    const unknownCode = /^Unknown error code (\d+)$/.exec(typeof message === 'string' ? message : '')?.[1];
    return FENCED_CODES.has(unknownCode === undefined ? Number(code) : Number(unknownCode));
  });
}

/** True where the previous transaction of this id is still being ended by the broker. */
export function isConcurrentTransaction(error: unknown): boolean {
  return hasType(error, 'CONCURRENT_TRANSACTIONS');
}

/** True where the group has moved on, or asks its members to join anew. */
export function asksToRejoin(error: unknown): boolean {
  return causesOf(error).some(({ type }) => REJOIN_TYPES.has(String(type)));
}

export function isRebalanceInProgress(error: unknown): boolean {
  return hasType(error, 'REBALANCE_IN_PROGRESS');
}

export function isOffsetOutOfRange(error: unknown): boolean {
  return hasType(error, 'OFFSET_OUT_OF_RANGE');
}

/** True for records that are larger than their topic allows. */
export function isTooLarge(error: unknown): boolean {
  return hasType(error, 'MESSAGE_TOO_LARGE') || hasType(error, 'RECORD_LIST_TOO_LARGE');
}

/** Types that say: ask again, with new metadata. So it is just after a topic was made, a leader moved, a broker started. */
const STALE_TYPES = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/** True where the metadata of a topic is out of date, or not spread yet. */
export function isStaleMetadata(error: unknown): boolean {
  return causesOf(error).some(({ type }) => STALE_TYPES.has(String(type)));
}

/** True while too few replicas are there to write to, or the leader cannot ask the transaction's coordinator. */
export function isShortOfReplicas(error: unknown): boolean {
  return hasType(error, 'NOT_ENOUGH_REPLICAS') || hasType(error, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND');
}

/** True where the leader has written, and too few replicas have. */
export function isAppended(error: unknown): boolean {
  return hasType(error, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND');
}

/** True where a connection could not be made, or was closed. */
export function isConnectionLost(error: unknown): boolean {
  return causesOf(error).some(({ name }) =>
    ['KafkaJSConnectionError', 'KafkaJSConnectionClosedError', 'KafkaJSBrokerNotFound'].includes(
      String(name),
    ),
  );
}

/** True for a request that got no answer in time; the next may. */
export function isTimeout(error: unknown): boolean {
  return causesOf(error).some(({ name }) => name === 'KafkaJSRequestTimeoutError');
}

function hasType(error: unknown, wanted: string): boolean {
  return causesOf(error).some(({ type }) => type === wanted);
}
