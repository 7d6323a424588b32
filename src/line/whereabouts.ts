import type { AuditReader } from '../audit/audit-store.js';
import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { GuardVerdict, ProjectedEvidence } from '../contracts/generated.js';
import { partitionOf } from '../contracts/partition.js';
import type { TopicMessages } from '../contracts/topics.js';
import { readEntry } from '../ledger/entry-state.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import { decodeAnswer, keptAnswers } from './kept-answers.js';
import { mayBeOfRun, readMessage, scanPartition } from './scan.js';
import type { StationName } from './station-names.js';

/**
 * Where a lookup or a draft is by its id, whoever handed it in and through which process. What is not answered yet lies
 * before one of the stations that it passes: each moves it on in one atomic step, so that looking in the line's
 * direction, and into the audit last, cannot miss it.
 */

export interface WhereaboutsPorts {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly ledger: LedgerView;
  readonly audit: AuditReader;
}

/** Null: no such lookup was ever asked. `answer` is null while there is none. */
export type LookupPlace = {
  readonly requestEventId: string;
  readonly answer: ProjectedEvidence | null;
} | null;

/** Null: no such draft was ever handed in. `verdict` is null while it is not judged, or not in the audit yet. */
export type DraftPlace = {
  readonly eventId: string;
  readonly verdict: GuardVerdict | null;
} | null;

/** @throws ProoflineError PL_AUDIT_DOWN, PL_BUS_DOWN, PL_VIEW_DOWN, PL_OVERLOADED */
export async function findLookup(
  ports: WhereaboutsPorts,
  runId: string,
  toolCallId: string,
): Promise<LookupPlace> {
  const entered = await entryOf(ports, runId, toolCallId);
  const requestEventId =
    entered ?? (await lookupUnderWay(ports, runId, toolCallId)) ?? (await entryOf(ports, runId, toolCallId));
  if (requestEventId !== null) {
    const answer = await keptAnswers(ports.audit, ports.codec).lookup(runId, requestEventId);
    return { requestEventId, answer };
  }
  // What was refused has no entry, and what is older than the ledger has none any more.
  return answeredLookup(ports, runId, toolCallId);
}

async function entryOf(
  { bus, codec, ledger }: WhereaboutsPorts,
  runId: string,
  toolCallId: string,
): Promise<string | null> {
  const partition = partitionOf(runId, bus.partitions);
  const read = await ledger.read(partition, [{ runId, toolCallIds: [toolCallId], others: 0 }]);
  const value = read?.entries[0]?.value;
  return value === undefined ? null : (readEntry(codec, value)?.requestEventId ?? null);
}

async function lookupUnderWay(
  ports: WhereaboutsPorts,
  runId: string,
  toolCallId: string,
): Promise<string | null> {
  const request = await firstUnread(
    ports,
    'retrieve',
    'lookup-requested.v1',
    runId,
    (m) => m.toolCallId === toolCallId,
  );
  if (request !== null) return request.eventId;
  for (const [station, topic] of PASSED) {
    const passing = await firstUnread(ports, station, topic, runId, (m) => m.toolCallId === toolCallId);
    if (passing !== null) return passing.requestEventId;
  }
  return null;
}

const PASSED = [
  ['postprocess', 'raw-hits.v1'],
  ['project', 'postprocessed.v1'],
  ['audit-sink', 'projected.v1'],
] as const;

async function answeredLookup(
  { audit, codec }: WhereaboutsPorts,
  runId: string,
  toolCallId: string,
): Promise<LookupPlace> {
  const { answers } = await audit.trail(runId);
  for (const answer of answers) {
    const projected = answer.kind === 'LOOKUP' ? decodeAnswer(codec, 'projected.v1', answer) : null;
    if (projected?.toolCallId === toolCallId)
      return { requestEventId: projected.requestEventId, answer: projected };
  }
  return null;
}

/** @throws as `findLookup` */
export async function findDraft(
  ports: WhereaboutsPorts,
  runId: string,
  draftId: string,
): Promise<DraftPlace> {
  const kept = keptAnswers(ports.audit, ports.codec);
  // Most are judged, and the rest is looked for before they are looked for again.
  const early = await kept.verdict(runId, draftId);
  if (early !== null) return placeOf(early);
  const draft = await firstUnread(ports, 'guard', 'draft-submitted.v1', runId, (m) => m.draftId === draftId);
  if (draft !== null) return { eventId: draft.eventId, verdict: null };
  const judged = await firstUnread(ports, 'audit-sink', 'verdict.v1', runId, (m) => m.draftId === draftId);
  if (judged !== null) return placeOf(judged);
  const verdict = await kept.verdict(runId, draftId);
  return verdict === null ? null : placeOf(verdict);
}

function placeOf(verdict: GuardVerdict): DraftPlace {
  return { eventId: verdict.causedBy ?? '', verdict };
}

/** Records that a station has not taken yet are looked through up to so many. */
const MAX_BACKLOG = 20_000;

/** The first message of the run that the station has not taken yet, of those that are wanted. */
async function firstUnread<T extends keyof TopicMessages>(
  ports: WhereaboutsPorts,
  station: StationName,
  topic: T,
  runId: string,
  isWanted: (message: TopicMessages[T]) => boolean,
): Promise<TopicMessages[T] | null> {
  for await (const message of unread(ports, station, topic, runId)) if (isWanted(message)) return message;
  return null;
}

/**
 * The messages of the run that lie before the station.
 * @throws ProoflineError PL_OVERLOADED where too much lies there to be looked through
 */
export async function* unread<T extends keyof TopicMessages>(
  { bus, codec }: Pick<WhereaboutsPorts, 'bus' | 'codec'>,
  station: StationName,
  topic: T,
  runId: string,
): AsyncGenerator<TopicMessages[T]> {
  const partition = partitionOf(runId, bus.partitions);
  const from = (await bus.committed(station, topic, partition)) ?? 0;
  const id = Buffer.from(runId, 'utf8');
  let passed = 0;
  for await (const record of scanPartition(bus, topic, partition, from)) {
    if (++passed > MAX_BACKLOG)
      throw new ProoflineError('PL_OVERLOADED', {
        what: `${station} has a long backlog, and the run may be in it`,
      });
    if (!mayBeOfRun(record, id)) continue;
    const { message } = readMessage(codec, topic, record.value);
    if (message?.runId === runId) yield message;
  }
}
