import { checkTopics, type CheckOptions, type Counts } from '../kafka-line-check.js';
import { readTopic } from '../kafka-line-topics.js';
import type { KafkaTestLine } from '../kafka-line.js';
import { checkView } from './view-check.js';

export interface FinalCheck {
  /** Nothing is the only right answer. */
  readonly findings: readonly string[];
  readonly counts: Counts;
  /** Verdicts by their status and what they found, each draft counted once. */
  readonly verdicts: Readonly<Record<string, number>>;
  /** Invocations in the audit, and entries of the view, that were compared with the topics. */
  readonly audited: number;
  readonly compared: number;
}

type TopicsOf = Pick<CheckOptions, 'reader' | 'codec' | 'keyring'>;

/** Holds the topics against the rules, and then audit and view against the topics. The line must be at rest. */
export async function checkAll(line: KafkaTestLine): Promise<FinalCheck> {
  const { bus: reader, codec, keyring } = line;
  const topics = await checkSoakTopics({ reader, codec, keyring });
  const { events, lookups } = await line.audited();
  const view = await checkView(line, topics.counts.lookups);
  const findings = [
    ...topics.findings,
    ...auditProblems('invocation', events, topics.invocations),
    ...auditProblems('answer', lookups, topics.answered),
    ...view.problems,
  ];
  const { counts, verdicts } = topics;
  return { findings, counts, verdicts, audited: events.length, compared: view.compared };
}

export interface CheckedSoakTopics extends Pick<FinalCheck, 'findings' | 'counts' | 'verdicts'> {
  /** Ids of what the audit must have. */
  readonly invocations: ReadonlySet<string>;
  /** Requests that were answered, or refused. */
  readonly answered: ReadonlySet<string>;
}

export async function checkSoakTopics({ reader, codec, keyring }: TopicsOf): Promise<CheckedSoakTopics> {
  const { problems, counts } = await checkTopics({ reader, codec, keyring, keepEvents: false });
  const verdicts: Record<string, number> = {};
  const judged = new Set<string>();
  const invocations = new Set<string>();
  const answered = new Set<string>();
  const each = async <T extends 'tool-invocation.v1' | 'verdict.v1' | 'projected.v1'>(topic: T) => {
    const pages = Array.from({ length: reader.partitions }, (_, p) => readTopic(reader, codec, topic, p));
    return (await Promise.all(pages)).flat().flatMap(({ message }) => message ?? []);
  };
  for (const { eventId } of await each('tool-invocation.v1')) invocations.add(eventId);
  for (const { requestEventId } of await each('projected.v1')) answered.add(requestEventId);
  for (const { eventId, status, violations } of await each('verdict.v1')) {
    if (judged.has(eventId)) continue;
    judged.add(eventId);
    const name = [status, ...new Set(violations.map(({ code }) => code))].join(' ');
    verdicts[name] = (verdicts[name] ?? 0) + 1;
  }
  return { findings: problems, counts, verdicts, invocations, answered };
}

/** Each of the topic's events once, and nothing else. */
export function auditProblems(
  what: string,
  audited: readonly string[],
  wanted: ReadonlySet<string>,
): string[] {
  const found = new Set<string>();
  const problems: string[] = [];
  for (const id of audited) {
    if (found.has(id)) problems.push(`the audit has the ${what} ${id} twice`);
    if (!wanted.has(id)) problems.push(`the audit has the ${what} ${id}, and the topics do not`);
    found.add(id);
  }
  const missing = [...wanted].filter((id) => !found.has(id));
  return [...problems, ...missing.map((id) => `the audit lacks the ${what} ${id}`)];
}
