import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openEmbeddedReader } from '../../src/bus/embedded/embedded-bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { sha256 } from '../../src/contracts/digest.js';
import {
  topicNames,
  type AnyMessage,
  type TopicMessages,
  type TopicName,
} from '../../src/contracts/topics.js';
import type { EvidenceEntry, GuardTools } from '../../src/guard/entries.js';
import { judgeSubmission } from '../../src/guard/judge-submission.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { plainViews } from '../../src/guard/view-cache.js';
import { openKeyring, type Keyring } from '../../src/ledger/keyring.js';
import { verifyEntry } from '../../src/ledger/signing.js';
import { dataFolder } from '../../src/line/data-folder.js';
import { areEqual } from '../../src/replay/equal.js';
import { readAll } from './bus.js';
import type { PlannedRun } from './line-kill-plan.js';

/** Everything that the topics hold, decoded. */
export type Logs = { readonly [T in TopicName]: readonly TopicMessages[T][] };

export async function readLogs(folder: string): Promise<{ logs: Logs; problems: string[] }> {
  const reader = openEmbeddedReader(folder);
  const codec = createCodec();
  const problems: string[] = [];
  const logs: Partial<Record<TopicName, AnyMessage[]>> = {};
  for (const topic of topicNames) {
    const messages: AnyMessage[] = (logs[topic] = []);
    for (let p = 0; p < reader.partitions; p++) {
      const records = await readAll(reader, topic, p);
      records.forEach(({ offset, value }, i) => {
        if (offset !== i) problems.push(`${topic}/${p} has ${offset} where ${i} belongs`);
        messages.push(codec.decode(topic, value!));
      });
    }
  }
  await reader.close();
  return { logs: logs as Logs, problems };
}

/** Everything that is wrong with what the line has done with the plan; nothing is the only right answer. */
export async function problemsOf(folder: string, plan: readonly PlannedRun[]): Promise<string[]> {
  const { logs, problems } = await readLogs(folder);
  const keyring = openKeyring(dataFolder(folder).keys, { create: false });
  problems.push(...eventIdProblems(logs), ...auditProblems(folder, logs));
  if (logs['dead-letter.v1'].length > 0) problems.push(`${logs['dead-letter.v1'].length} dead letters`);
  const index = indexOf(logs);
  for (const run of plan) {
    problems.push(...run.lookups.flatMap(({ eventId }) => lookupProblems(eventId, run, index)));
    problems.push(...draftProblems(run, index, keyring));
  }
  const known = new Set(plan.map(({ runId }) => runId));
  for (const topic of topicNames) {
    if (logs[topic].some(({ runId }) => !known.has(runId))) problems.push(`${topic} has a run of its own`);
  }
  return problems;
}

type Index = ReturnType<typeof indexOf>;

function indexOf(logs: Logs) {
  return {
    requests: groupBy(logs['lookup-requested.v1'], ({ eventId }) => eventId),
    raw: groupBy(logs['raw-hits.v1'], ({ requestEventId }) => requestEventId),
    governed: groupBy(logs['postprocessed.v1'], ({ requestEventId }) => requestEventId),
    projected: groupBy(logs['projected.v1'], ({ requestEventId }) => requestEventId),
    entries: groupBy(logs['ledger.v1'], ({ requestEventId }) => requestEventId),
    entriesOfRun: groupBy(logs['ledger.v1'], ({ runId }) => runId),
    drafts: groupBy(logs['draft-submitted.v1'], ({ runId }) => runId),
    verdicts: groupBy(logs['verdict.v1'], ({ runId }) => runId),
    reviewed: groupBy(logs['reviewed.v1'], ({ runId }) => runId),
    verified: groupBy(logs['verified.v1'], ({ runId }) => runId),
    outcomes: groupBy(logs['run-outcome.v1'], ({ runId }) => runId),
    notes: groupBy(logs['tool-invocation.v1'], ({ runId, station, toolCallId }) =>
      [runId, station, toolCallId].join(' '),
    ),
  };
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

/** One answer and one terminal entry; each time that it was asked again, one repeat of the answer. */
function lookupProblems(eventId: string, run: PlannedRun, index: Index): string[] {
  const problems: string[] = [];
  const asked = index.requests.get(eventId)?.length ?? 0;
  const answers = index.projected.get(eventId) ?? [];
  const states = (index.entries.get(eventId) ?? []).map(({ state }) => state);
  const firsts = answers.filter(({ repeat }) => !repeat);
  const name = `${run.runId} ${answers[0]?.toolCallId ?? eventId}`;
  const counts: [string, number, number][] = [
    ['first answers', firsts.length, 1],
    ['answers', answers.length, asked],
    ['raw hits', index.raw.get(eventId)?.length ?? 0, asked],
    ['governed', index.governed.get(eventId)?.length ?? 0, asked],
    ['PENDING', states.filter((state) => state === 'PENDING').length, 1],
    ['terminal entries', states.filter((state) => state !== 'PENDING').length, 1],
  ];
  for (const station of ['retrieve', 'postprocess', 'project'])
    counts.push([
      `notes of ${station}`,
      index.notes.get(`${run.runId} ${station} ${firsts[0]?.toolCallId}`)?.length ?? 0,
      asked,
    ]);
  for (const [what, found, expected] of counts)
    if (found !== expected) problems.push(`${name}: ${found} ${what}, not ${expected}`);
  if (new Set(answers.map(({ agentView, state }) => `${state} ${agentView}`)).size > 1)
    problems.push(`${name}: answers that differ`);
  if (states[0] !== 'PENDING') problems.push(`${name}: its entries are ${states.join(', ')}`);
  return problems;
}

/** One verdict by its id, the one that the pure rule gives, reviewed once, and at most one outcome. */
function draftProblems(run: PlannedRun, index: Index, keyring: Keyring): string[] {
  const { runId, codes } = run;
  const problems: string[] = [];
  const [draft, ...again] = index.drafts.get(runId) ?? [];
  if (draft === undefined) return [`${runId}: no draft`];
  const verdicts = index.verdicts.get(runId) ?? [];
  if (verdicts.length !== again.length + 1)
    problems.push(`${runId}: ${verdicts.length} verdicts on ${again.length + 1} hand-ins`);
  if (new Set(verdicts.map(({ eventId }) => eventId)).size !== 1)
    problems.push(`${runId}: verdicts of several ids`);
  const entries = (index.entriesOfRun.get(runId) ?? []).filter(({ state }) => state !== 'PENDING');
  const evidence = {
    entries: entries.map((entry): EvidenceEntry => ({
      ...entry,
      signature: verifyEntry(entry, keyring) === 'VALID' ? 'VALID' : 'INVALID',
      partition: 0,
      offset: 0,
    })),
    foreignCalls: new Map<string, string>(),
    readAt: { partition: 0, offset: 0 },
  };
  const { body } = judgeSubmission(draft, evidence, tools);
  const [verdict] = verdicts;
  const without = ['eventId', 'causedBy', 'runId'];
  if (!areEqual(verdict ?? {}, body, { repeated: true, without }))
    problems.push(`${runId}: the verdict is not the rule's`);
  const found = [...new Set(verdict?.violations.map(({ code }) => code))];
  if (String(found) !== String(codes ?? []))
    problems.push(`${runId}: ${String(found)}, not ${String(codes)}`);
  const decision = codes === null ? 'FALLBACK' : codes.length === 0 ? 'PUBLISH' : 'REPAIR';
  const decided = (index.reviewed.get(runId) ?? []).map((each) => each.decision);
  if (String(decided) !== decision) problems.push(`${runId}: decided ${String(decided)}, not ${decision}`);
  const verified = (index.verified.get(runId) ?? []).length;
  if (verified !== (decision === 'REPAIR' ? 0 : 1)) problems.push(`${runId}: ${verified} outcomes`);
  if ((index.outcomes.get(runId) ?? []).length !== 1)
    problems.push(`${runId}: progress written more than once`);
  return problems;
}

const tools: GuardTools = { sha256, limits: defaultGuardLimits, views: plainViews(sha256) };

/** Events of one id are equal, and lie in one topic: an id never names two things. */
function eventIdProblems(logs: Logs): string[] {
  const seen = new Map<string, { topic: TopicName; event: AnyMessage }>();
  const problems: string[] = [];
  for (const topic of topicNames) {
    for (const message of logs[topic]) {
      const before = seen.get(message.eventId);
      if (before === undefined) seen.set(message.eventId, { topic, event: message });
      else if (before.topic !== topic || !areEqual(before.event, message, { repeated: true }))
        problems.push(`${topic} and ${before.topic} have two events under ${message.eventId}`);
    }
  }
  return problems;
}

/** The audit has each event of the topic, and nothing else. */
function auditProblems(folder: string, logs: Logs): string[] {
  const db = new Database(join(dataFolder(folder).audit), { readonly: true });
  const rows = db.prepare('SELECT event_id FROM tool_invocation').pluck().all() as string[];
  const answers = db.prepare("SELECT id FROM answer WHERE kind = 'LOOKUP'").pluck().all() as string[];
  db.close();
  const expected = (ids: string[]): string => [...new Set(ids)].sort().join();
  const problems: string[] = [];
  if (rows.sort().join() !== expected(logs['tool-invocation.v1'].map(({ eventId }) => eventId)))
    problems.push('the audit has other events than the topic');
  if (answers.sort().join() !== expected(logs['lookup-requested.v1'].map(({ eventId }) => eventId)))
    problems.push('the audit has other answers than there are lookups');
  return problems;
}
