import { sha256 } from '../contracts/digest.js';
import type { Cut, GuardVerdict, LedgerRead, LookupSnapshot } from '../contracts/generated.js';
import { parseJson, isJsonObject } from '../contracts/json.js';
import { writeAgentView } from '../evidence/agent-view.js';
import type { EvidenceEntry } from '../guard/entries.js';
import type { SubmissionEvidence } from '../guard/judge-submission.js';
import type { Difference } from './equal.js';
import type { RecordedEntry, RecordedRun } from './recorded-run.js';

/**
 * The evidence that a verdict rests on, put together again: states, expiry and signatures as its `read[]` says that they
 * were, and texts from wherever one of the digest that was read then is still kept. Pure.
 */

export interface EvidenceAgain {
  readonly evidence: SubmissionEvidence;
  /** Texts that the guard read and that are kept nowhere: without them there is no replay. */
  readonly gone: readonly string[];
  /** What is gone and may be missed in a detail: a difference that is found without it proves nothing. */
  readonly uncertain: readonly string[];
  /** Where the ledger says today something else than it said then, and may not. */
  readonly changed: readonly Difference[];
}

/** Of the calls that the draft cites. */
export function citedEvidence(verdict: GuardVerdict, run: RecordedRun): EvidenceAgain {
  const entries: EvidenceEntry[] = [];
  const foreignCalls = new Map<string, string>();
  const [gone, uncertain]: [string[], string[]] = [[], []];
  const changed: Difference[] = [];
  for (const read of verdict.read) {
    const { toolCallId, foundRunId, state } = read;
    if (foundRunId !== null && foundRunId !== verdict.runId) foreignCalls.set(toolCallId, foundRunId);
    if (state === null) continue;
    const entry = run.entries.find((each) => each.toolCallId === toolCallId);
    if (entry !== undefined) changed.push(...changesSince(read, entry));
    const text = textOf(read, entry, verdict, run);
    if (needsText(read, verdict)) {
      if (text === null) gone.push(`the agent view of ${toolCallId}`);
      if (entry === undefined) uncertain.push(entryOf(toolCallId));
    }
    entries.push(entryAsRead(read, state, text, entry, verdict));
  }
  const [first] = verdict.read;
  const readAt = { partition: first?.partition ?? 0, offset: first?.offset ?? 0 };
  return { evidence: { entries, foreignCalls, readAt }, gone, uncertain, changed };
}

function entryAsRead(
  read: LedgerRead,
  state: EvidenceEntry['state'],
  text: ViewText | null,
  entry: RecordedEntry | undefined,
  { runId }: GuardVerdict,
): EvidenceEntry {
  const { toolCallId, agentViewSha256, expiresAt, signatureCheck, partition, offset } = read;
  return {
    runId,
    toolCallId,
    state,
    agentView: text?.agentView ?? null,
    agentViewSha256,
    blocks: entry?.entry?.blocks ?? [],
    dropped: entry?.entry?.dropped ?? [],
    cuts: text?.cuts ?? [],
    noEvidenceBasis: text?.noEvidenceBasis ?? null,
    expiresAt,
    signature: signatureCheck,
    partition,
    offset,
  };
}

/** Nothing is read of an entry that is not ready, has expired, or is not what was signed. */
function needsText(read: LedgerRead, { occurredAt }: GuardVerdict): boolean {
  const hasExpired = read.expiresAt !== null && occurredAt >= read.expiresAt;
  return (
    read.state === 'READY' && read.signatureCheck === 'VALID' && read.agentViewSha256 !== null && !hasExpired
  );
}

interface ViewText {
  readonly agentView: string;
  readonly cuts: readonly Cut[];
  readonly noEvidenceBasis: string | null;
}

/** The text of the digest that was read: the ledger's, the verdict's own snapshot, or what the agent was answered. */
function textOf(
  { toolCallId, agentViewSha256 }: LedgerRead,
  entry: RecordedEntry | undefined,
  { lookups }: GuardVerdict,
  { answers }: RecordedRun,
): ViewText | null {
  const snapshots = lookups.filter((each) => each.toolCallId === toolCallId).map(textOfSnapshot);
  const answered = answers.filter((each) => each.toolCallId === toolCallId);
  for (const { agentView, cuts, noEvidenceBasis } of [entry?.entry, ...snapshots, ...answered].flatMap(
    (each) => each ?? [],
  ))
    if (agentView !== null && sha256(agentView) === agentViewSha256)
      return { agentView, cuts, noEvidenceBasis };
  return null;
}

function textOfSnapshot(lookup: LookupSnapshot): ViewText {
  const { toolCallId, query, evidenceStatus, relevanceLevel, truncated, items, cuts, noEvidenceBasis } =
    lookup;
  const view = { evidenceStatus, toolCallId, query, relevanceLevel, truncated };
  const agentView = writeAgentView({ ...view, evidence: items, returnedCount: items.length });
  return { agentView, cuts, noEvidenceBasis };
}

/** A state never goes back, and frozen evidence is never replaced: what was read of a signed entry still holds. */
function changesSince(
  read: LedgerRead,
  { toolCallId, state, entry, signature }: RecordedEntry,
): Difference[] {
  if (read.signatureCheck !== 'VALID') return [];
  const path = `/ledger/${toolCallId}`;
  const changed: Difference[] = [];
  const expect = (field: string, recorded: unknown, replayed: unknown): void => {
    if (recorded !== replayed) changed.push({ path: `${path}/${field}`, recorded, replayed });
  };
  if (signature === 'INVALID' || signature === 'ABSENT') expect('signature', 'VALID', signature);
  if (read.state !== 'PENDING' || state === 'UNREADABLE') expect('state', read.state, state);
  if (entry === null) return changed;
  expect('expiresAt', read.expiresAt, entry.expiresAt);
  if (read.state !== 'READY') return changed;
  expect('agentViewSha256', read.agentViewSha256, entry.agentViewSha256);
  expect('agentView', read.agentViewSha256, entry.agentView === null ? null : sha256(entry.agentView));
  return changed;
}

/**
 * With the run's other lookups, as the guard reads them where they can explain a violation: those that lay in the ledger
 * before the place that it had read to.
 * @param limit how many of them it reads
 */
export function withOthers(
  again: EvidenceAgain,
  verdict: GuardVerdict,
  run: RecordedRun,
  limit: number,
): EvidenceAgain {
  const cited = new Set(verdict.read.map(({ toolCallId }) => toolCallId));
  const position = verdict.read[0]?.offset ?? Infinity;
  const nearest = nearestCalls(verdict);
  const { partition, offset } = again.evidence.readAt;
  const others = run.entries
    .filter(({ toolCallId }) => !cited.has(toolCallId))
    .flatMap((entry) => otherEntry(entry, position, nearest, { partition, offset }) ?? [])
    .sort((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1));
  const uncertain = [
    ...again.uncertain,
    ...forgottenCalls(run)
      .filter((call) => !cited.has(call))
      .map(entryOf),
  ];
  if (others.length > limit) uncertain.push('which of the other lookups were looked at');
  const entries = [...again.evidence.entries, ...others.slice(0, limit)];
  return { ...again, uncertain, evidence: { ...again.evidence, entries } };
}

function entryOf(toolCallId: string): string {
  return `the ledger entry of ${toolCallId}`;
}

/**
 * One that was written after the read may have been pending at the time, and then nothing but its name was known: it
 * was if the verdict names it.
 */
function otherEntry(
  { runId, toolCallId, state, entry, signature, problems, offset }: RecordedEntry,
  position: number,
  nearest: ReadonlySet<string>,
  readAt: { readonly partition: number; readonly offset: number },
): EvidenceEntry | null {
  const wasThere = offset < position;
  if (!wasThere && !nearest.has(toolCallId)) return null;
  const isBroken = signature === 'INVALID' || problems.includes('OTHER_KEY');
  return {
    runId,
    toolCallId,
    state: wasThere ? state : 'PENDING',
    agentView: entry?.agentView ?? null,
    agentViewSha256: entry?.agentViewSha256 ?? null,
    blocks: entry?.blocks ?? [],
    dropped: entry?.dropped ?? [],
    cuts: entry?.cuts ?? [],
    noEvidenceBasis: entry?.noEvidenceBasis ?? null,
    expiresAt: entry?.expiresAt ?? null,
    // Without a key at hand it is believed: the guard had one, or it would have waited.
    signature: signature === 'ABSENT' ? 'ABSENT' : isBroken ? 'INVALID' : 'VALID',
    ...readAt,
  };
}

/** Calls that the verdict names as the one that was probably meant. */
function nearestCalls({ violations }: GuardVerdict): ReadonlySet<string> {
  const named = violations.flatMap(({ code, detailJson }) => {
    const detail = code.startsWith('TOOL_CALL_') ? parseJson(detailJson) : null;
    return isJsonObject(detail) && typeof detail['nearest'] === 'string' ? [detail['nearest']] : [];
  });
  return new Set(named);
}

/** Lookups that were answered, and whose entries the ledger has forgotten. */
function forgottenCalls({ answers, notes, entries }: RecordedRun): string[] {
  const answered = answers.filter(({ state }) => state !== 'REFUSED').map(({ toolCallId }) => toolCallId);
  const noted = notes.flatMap(({ kind, outcome, toolCallId }) =>
    kind === 'PROJECT' && outcome !== 'REFUSED' ? (toolCallId ?? []) : [],
  );
  const known = new Set(entries.map(({ toolCallId }) => toolCallId));
  return [...new Set([...answered, ...noted])].filter((call) => !known.has(call));
}
