import type { AnswerKind, AuditStore } from '../src/audit/audit-store.js';
import type { Message, Station } from '../src/station/station.js';

/**
 * Audit sink: keeps every tool invocation, and the first answer of each kind and id, in the audit store. Both are
 * kept by their ids, so what comes again changes nothing.
 */

type AuditTopic =
  | 'tool-invocation.v1'
  | 'projected.v1'
  | 'verdict.v1'
  | 'reviewed.v1'
  | 'repair-requested.v1'
  | 'verified.v1';

type Audited = Message<AuditTopic>;

/** An audit is read by people, and a moment later. */
const REST_MS = 100;

export function auditSinkStation(store: AuditStore): Station<AuditTopic, null> {
  return {
    name: 'audit-sink',
    inputs: [
      'tool-invocation.v1',
      'projected.v1',
      'verdict.v1',
      'reviewed.v1',
      'repair-requested.v1',
      'verified.v1',
    ],
    maxRecords: 500,
    restMs: REST_MS,
    open: () =>
      Promise.resolve({
        async prepare(messages) {
          const events = messages.flatMap((m) => (m.topic === 'tool-invocation.v1' ? [m.value] : []));
          const answers = messages.flatMap(answerOf);
          await Promise.all([
            events.length > 0 && store.appendInvocations(events),
            answers.length > 0 && store.keepAnswers(answers),
          ]);
          return null;
        },
        decide: () => ({ kind: 'emit', records: [] }),
      }),
  };
}

function answerOf({ topic, value, record }: Audited) {
  const answer = answerKey({ topic, value, record } as Audited);
  if (answer === null || record.value === null) return [];
  const { runId, eventId, occurredAt } = value;
  return [{ ...answer, runId, eventId, occurredAt, value: record.value }];
}

/** What is asked for later: a lookup's answer by its request, a draft's by its id, a run's outcome by the run. */
function answerKey(message: Audited): { kind: AnswerKind; id: string } | null {
  switch (message.topic) {
    case 'tool-invocation.v1':
      return null;
    case 'projected.v1':
      return { kind: 'LOOKUP', id: message.value.requestEventId };
    case 'verdict.v1':
      return { kind: 'VERDICT', id: message.value.draftId };
    case 'reviewed.v1':
      // A person decides after the line did: that is one more answer, under its own id.
      return {
        kind: 'REVIEWED',
        id: message.value.decidedBy === 'PERSON' ? message.value.eventId : message.value.draftId,
      };
    case 'repair-requested.v1':
      return { kind: 'REPAIR', id: message.value.draftId };
    case 'verified.v1':
      return { kind: 'OUTCOME', id: message.value.eventId };
  }
}
