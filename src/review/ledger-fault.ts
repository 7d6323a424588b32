import type { GuardVerdict, LedgerRead, Violation } from '../contracts/generated.js';

/**
 * True when a draft was rejected only because the ledger cannot be trusted: an entry that is broken, or that says
 * pending, failed or expired without a valid signature. That is our fault, not the model's.
 */
export function isLedgerFault(verdict: GuardVerdict): boolean {
  const { violations, violationCount, draft, read } = verdict;
  if (violations.length === 0 || violations.length < violationCount || draft === null) return false;
  const reads = new Map(read.map((each) => [each.toolCallId, each] as const));
  return violations.every((violation) => isOurs(violation, verdict, reads));
}

const BROKEN = new Set(['LEDGER_PROJECTION_INVALID', 'LEDGER_INTEGRITY_BROKEN']);
const OF_STATE = new Set(['TOOL_CALL_PENDING', 'TOOL_CALL_FAILED', 'TOOL_CALL_EXPIRED']);

function isOurs(
  { code, path }: Violation,
  verdict: GuardVerdict,
  reads: ReadonlyMap<string, LedgerRead>,
): boolean {
  if (BROKEN.has(code)) return true;
  if (!OF_STATE.has(code)) return false;
  const [, analysis, call] = /^\/analysis\/(\d+)\/tool_call_ids\/(\d+)$/.exec(path) ?? [];
  const id = verdict.draft?.analysis[Number(analysis)]?.toolCallIds[Number(call)];
  const read = id === undefined ? undefined : reads.get(id);
  return read !== undefined && read.signatureCheck !== 'VALID';
}
