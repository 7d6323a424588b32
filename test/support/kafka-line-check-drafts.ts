import { sha256 } from '../../src/contracts/digest.js';
import type { DraftSubmitted, GuardVerdict, LedgerEntry } from '../../src/contracts/generated.js';
import type { EvidenceEntry, GuardTools } from '../../src/guard/entries.js';
import { judgeSubmission } from '../../src/guard/judge-submission.js';
import { defaultGuardLimits } from '../../src/guard/limits.js';
import { plainViews } from '../../src/guard/view-cache.js';
import type { Keyring } from '../../src/ledger/keyring.js';
import { verifyEntry } from '../../src/ledger/signing.js';
import { differencesBetween } from '../../src/replay/equal.js';
import type { Counts } from './kafka-line-check.js';
import { groupBy, type PartitionContents } from './kafka-line-topics.js';

/**
 * Each draft has one verdict (as often as it was handed in, all alike), which is what the pure rules give from the
 * entries that are frozen; and each verdict is reviewed once.
 */
export function draftProblems(contents: PartitionContents, keyring: Keyring, counts: Counts): string[] {
  const drafts = groupBy(contents, 'draft-submitted.v1', ({ eventId }) => eventId);
  const verdicts = groupBy(contents, 'verdict.v1', ({ causedBy }) => causedBy ?? '');
  const reviewed = groupBy(contents, 'reviewed.v1', ({ causedBy }) => causedBy ?? '');
  const entries = groupBy(contents, 'ledger.v1', ({ runId }) => runId);
  const problems: string[] = [];
  for (const [eventId, [draft, ...again]] of drafts) {
    counts.drafts += 1;
    const given = verdicts.get(eventId) ?? [];
    const frozen = (entries.get(draft!.runId) ?? []).filter(({ state }) => state !== 'PENDING');
    const found = verdictProblems(draft!, again.length + 1, given, frozen, keyring);
    const reviews = reviewed.get(given[0]?.eventId ?? '')?.length ?? 0;
    if (given.length > 0 && reviews !== 1) found.push(`reviewed ${reviews} times`);
    problems.push(...found.map((problem) => `${draft!.runId} ${draft!.draftId}: ${problem}`));
  }
  for (const [cause, [verdict]] of verdicts)
    if (!drafts.has(cause)) problems.push(`${verdict!.runId}: a verdict on nothing`);
  return problems;
}

function verdictProblems(
  draft: DraftSubmitted,
  times: number,
  verdicts: readonly GuardVerdict[],
  frozen: readonly LedgerEntry[],
  keyring: Keyring,
): string[] {
  const problems: string[] = [];
  if (verdicts.length !== times) problems.push(`${verdicts.length} verdicts on ${times} hand-ins`);
  if (new Set(verdicts.map(({ eventId }) => eventId)).size > 1) problems.push('verdicts of several ids');
  const [verdict] = verdicts;
  // One that no record can hold whole has nothing left to compare.
  if (verdict === undefined || verdict.ext['code'] !== undefined) return problems;
  const evidence = {
    entries: frozen.map((entry): EvidenceEntry => ({
      ...entry,
      signature: verifyEntry(entry, keyring) === 'VALID' ? 'VALID' : 'INVALID',
      partition: 0,
      offset: 0,
    })),
    foreignCalls: new Map<string, string>(),
    readAt: { partition: 0, offset: 0 },
  };
  const { body } = judgeSubmission(draft, evidence, tools);
  const without = ['eventId', 'causedBy', 'runId'];
  const differences = differencesBetween(verdict, body, { repeated: true, without });
  if (differences.length > 0)
    problems.push(`the verdict is not what the rules give: ${JSON.stringify(differences)}`);
  return problems;
}

const tools: GuardTools = { sha256, limits: defaultGuardLimits, views: plainViews(sha256) };
