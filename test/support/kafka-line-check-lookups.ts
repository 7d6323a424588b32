import type { LedgerEntry, LookupRequested, ProjectedEvidence } from '../../src/contracts/generated.js';
import type { TopicMessages, TopicName } from '../../src/contracts/topics.js';
import type { Keyring } from '../../src/ledger/keyring.js';
import { ledgerKey } from '../../src/ledger/ledger-view.js';
import { verifyEntry } from '../../src/ledger/signing.js';
import type { Counts } from './kafka-line-check.js';
import type { PartitionContents } from './kafka-line-topics.js';

type Named = { readonly runId: string; readonly toolCallId?: string | null };

/** By run and call. */
type ByCall<T> = ReadonlyMap<string, readonly T[]>;

/**
 * The first question under a name is accepted: one answer, one terminal entry, the same bytes in both. The same again
 * is answered again, marked; another question is refused. Of a run that must stop the first question is refused, and
 * all others under its name: none is accepted.
 */
export function lookupProblems(contents: PartitionContents, keyring: Keyring, counts: Counts): string[] {
  const requests = byCall(contents, 'lookup-requested.v1');
  const found = {
    raw: byCall(contents, 'raw-hits.v1'),
    governed: byCall(contents, 'postprocessed.v1'),
    answers: byCall(contents, 'projected.v1'),
    entries: byCall(contents, 'ledger.v1'),
    notes: byCall(contents, 'tool-invocation.v1'),
  };
  const problems: string[] = [];
  for (const [name, asked] of requests) {
    counts.lookups += isStopped(found.answers.get(name) ?? []) ? 0 : 1;
    counts.repeats += asked.length - 1;
    problems.push(...callProblems(name, asked, found, keyring).map((problem) => `${name}: ${problem}`));
  }
  for (const each of [found.raw, found.governed, found.answers, found.entries])
    for (const name of each.keys()) if (!requests.has(name)) problems.push(`${name}: nobody asked`);
  return problems;
}

/** Whether none of the questions under a name was accepted, since its run must stop. */
function isStopped(answers: readonly ProjectedEvidence[]): boolean {
  return answers[0]?.failure?.code === 'PL_STOP_REQUIRED';
}

interface Found {
  readonly raw: ByCall<TopicMessages['raw-hits.v1']>;
  readonly governed: ByCall<TopicMessages['postprocessed.v1']>;
  readonly answers: ByCall<ProjectedEvidence>;
  readonly entries: ByCall<LedgerEntry>;
  readonly notes: ByCall<TopicMessages['tool-invocation.v1']>;
}

function callProblems(
  name: string,
  asked: readonly LookupRequested[],
  found: Found,
  keyring: Keyring,
): string[] {
  const { eventId, requestSha256 } = asked[0]!;
  const answers = found.answers.get(name) ?? [];
  const accepted = isStopped(answers) ? 0 : 1;
  const same = accepted * asked.filter((each) => each.requestSha256 === requestSha256).length;
  const entries = found.entries.get(name) ?? [];
  const terminal = entries.filter(({ state }) => state !== 'PENDING');
  const ofFirst = answers.filter(({ state }) => state !== 'REFUSED');
  const expected: [what: string, found: number, expected: number][] = [
    ['first answers', ofFirst.filter(({ repeat }) => !repeat).length, accepted],
    ['answers marked as repeats', answers.filter(({ repeat }) => repeat).length, same - accepted],
    ['refusals', answers.length - ofFirst.length, asked.length - same],
    ['raw hits', found.raw.get(name)?.length ?? 0, asked.length],
    ['governed', found.governed.get(name)?.length ?? 0, asked.length],
    ['terminal entries', terminal.length, accepted],
    ['entries', Math.min(entries.length, 1), accepted],
  ];
  for (const station of ['retrieve', 'postprocess', 'project']) {
    const notes = (found.notes.get(name) ?? []).filter(
      (note) => note.station === station && note.kind !== 'DEAD_LETTER',
    );
    expected.push([`notes of ${station}`, notes.length, asked.length]);
  }
  const problems = expected
    .filter(([, is, should]) => is !== should)
    .map(([what, is, should]) => `${is} ${what}, not ${should}`);
  return [...problems, ...entryProblems(entries, eventId, keyring), ...answerProblems(ofFirst, terminal[0])];
}

/** PENDING, which compaction may have taken, and then the terminal entry; both of the first question, and signed. */
function entryProblems(entries: readonly LedgerEntry[], eventId: string, keyring: Keyring): string[] {
  const problems: string[] = [];
  const states = entries.map(({ state }) => state);
  if (states.filter((state) => state === 'PENDING').length > 1 || states.lastIndexOf('PENDING') > 0)
    problems.push(`its entries are ${states.join(', ')}`);
  if (entries.some(({ requestEventId }) => requestEventId !== eventId))
    problems.push('an entry is of another question');
  if (entries.some((entry) => verifyEntry(entry, keyring) !== 'VALID'))
    problems.push('an entry is not signed');
  return problems;
}

/** The first one is no repeat, and all say what was frozen. */
function answerProblems(answers: readonly ProjectedEvidence[], entry: LedgerEntry | undefined): string[] {
  const problems: string[] = [];
  if (answers[0]?.repeat === true) problems.push('a repeat lies before its first answer');
  const said = ({ state, agentView, agentViewSha256 }: ProjectedEvidence | LedgerEntry): string =>
    JSON.stringify([state, agentView, agentViewSha256]);
  if (entry !== undefined && answers.some((answer) => said(answer) !== said(entry)))
    problems.push('an answer says something else than its entry');
  return problems;
}

/** In the order in which they lie in the topic. */
function byCall<T extends TopicName>(contents: PartitionContents, topic: T): Map<string, TopicMessages[T][]> {
  const groups = new Map<string, TopicMessages[T][]>();
  for (const { message } of contents[topic]) {
    const { runId, toolCallId } = (message ?? {}) as Partial<Named>;
    if (message === null || runId === undefined || toolCallId === undefined || toolCallId === null) continue;
    const name = ledgerKey(runId, toolCallId);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [message]);
    else group.push(message);
  }
  return groups;
}
