import type { LedgerEntry } from '../../contracts/generated.js';
import type { JsonObject } from '../../contracts/json.js';
import { recordToJson } from '../../contracts/record-json.js';
import type { CheckedEntry, EntryProblem, SignatureState } from '../../line/ledger-entries.js';
import type { LedgerProblem, LedgerReport } from '../../line/ledger-verify.js';
import { column, type Paint } from './page.js';
import { safeText } from './safe-text.js';
import { below, field, instant, listed, plural, quoted } from './trail-parts.js';

/** Ledger entries and the report about all of them, for a person. */

export const SIGNATURES: Readonly<Record<SignatureState, string>> = {
  VALID: 'valid',
  INVALID: 'INVALID',
  ABSENT: 'ABSENT',
  UNKNOWN_KEY: 'by a key that is not in the keyring',
  NO_KEYS: 'not checked, there is no public key',
};

/** What each problem of an entry means. */
export const PROBLEMS: Readonly<Record<EntryProblem, string>> = {
  UNREADABLE: 'its bytes are no ledger entry',
  SCHEMA_UNKNOWN: 'it was written with a schema that this version does not know',
  OTHER_KEY: 'it lies under the key of another lookup',
  DIGEST_WRONG: 'the agent view is not the one that its digest is of',
  SIGNATURE_INVALID: 'it is not what its writer signed',
  SIGNATURE_ABSENT: 'nobody signed it',
  SIGNING_KEY_UNKNOWN: 'the key that signed it is not in the keyring',
  AGENT_VIEW_MALFORMED: 'the agent view is not written as the contract says',
};

export function entryJson(checked: CheckedEntry): JsonObject {
  const { runId, toolCallId, state, signature, problems, entry } = checked;
  return {
    run_id: runId,
    tool_call_id: toolCallId,
    state,
    signature,
    problems,
    value: entry === null ? null : recordToJson('ledger.v1', entry),
  };
}

export function renderEntries(
  entries: readonly CheckedEntry[],
  style: { readonly paint: Paint; readonly whole: boolean },
): string {
  return entries.map((entry) => `${entryLines(entry, style).join('\n')}\n`).join('\n');
}

function entryLines(
  { runId, toolCallId, state, signature, problems, entry }: CheckedEntry,
  { paint, whole }: { readonly paint: Paint; readonly whole: boolean },
): readonly string[] {
  const key = entry === null ? '' : ` (key ${safeText(entry.signature.keyId)})`;
  const tone = problems.length === 0 ? 'good' : 'bad';
  return [
    `${paint('strong', `${safeText(runId)} ${safeText(toolCallId)}`)}  ${paint(tone, state)}`,
    ...field('signature', `${SIGNATURES[signature]}${key}`),
    ...problems.map((code) => `${column('problem', 11)}${paint('bad', code)} ${PROBLEMS[code]}`),
    ...(entry === null ? [] : bodyLines(entry, whole)),
  ];
}

function bodyLines(entry: LedgerEntry, whole: boolean): readonly string[] {
  const { agentView, agentViewSha256, blocks, dropped, cuts, failure, expiresAt, noEvidenceBasis } = entry;
  return [
    ...field('written', `${instant(entry.occurredAt)}, expires ${instant(expiresAt)}`),
    ...field('request', `event ${safeText(entry.requestEventId)}, offset ${entry.requestOffset}`),
    ...(failure === null ? [] : field('failure', `${failure.code}: ${failure.message}`)),
    ...field('why none', noEvidenceBasis ?? ''),
    ...(agentView === null
      ? []
      : field('view', `${Buffer.byteLength(agentView)} bytes, sha256 ${agentViewSha256 ?? ''}`)),
    ...(agentView !== null && whole ? below(quoted(agentView, true)) : []),
    ...blocks.flatMap(({ documentId, content }) => [
      ...field('block', documentId),
      ...below(quoted(content, whole)),
    ]),
    ...dropped.flatMap(({ evidenceKey, originalRank, reason }) =>
      field('dropped', listed([evidenceKey, originalRank === null ? null : `rank ${originalRank}`, reason])),
    ),
    ...cuts.flatMap(({ code, documentId }) => field('cut', listed([code, documentId]))),
  ];
}

export function renderReport(report: LedgerReport): string {
  const { entries, tombstones, others, states, signatures, problemCount, problems } = report;
  const lines = [
    ...field(
      'records',
      listed([
        entries === 1 ? '1 entry' : `${entries} entries`,
        plural(tombstones, 'tombstone'),
        others === 0 ? null : `${others} other`,
      ]),
    ),
    ...field('states', counted(states)),
    ...field('signatures', counted(signatures)),
    ...field('view', viewLine(report)),
    ...problems.map(problemLine),
    ...(problems.length < problemCount ? [`and ${problemCount - problems.length} more problems`] : []),
    conclusion(report),
  ];
  return `${lines.join('\n')}\n`;
}

function viewLine({ compared, behind, bytesPerEntry }: LedgerReport): string {
  return listed([
    `${compared} compared`,
    behind === 0 ? null : `${behind} records behind the topic`,
    bytesPerEntry === null ? null : `${bytesPerEntry} bytes of memory an entry`,
  ]);
}

function counted(counts: Readonly<Record<string, number>>): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0);
  return named.length === 0 ? 'none' : named.map(([name, count]) => `${name} ${count}`).join(', ');
}

function problemLine({ code, partition, offset, runId, toolCallId }: LedgerProblem): string {
  const place = `${partition}${offset === null ? '' : `@${offset}`}`;
  return `${column(code, 22)}${column(place, 10)}${safeText(runId ?? '')} ${safeText(toolCallId ?? '')}`.trimEnd();
}

function conclusion({ problemCount, signatures }: LedgerReport): string {
  if (problemCount > 0) return `${plural(problemCount, 'problem')}.`;
  if (signatures.NO_KEYS > 0)
    return 'No signature could be checked: there is no public key (`proofline keys import FILE`).';
  return 'Every entry is what its writer signed, and the view is what the topic says.';
}
