import type { Analysis, Draft } from '../contracts/generated.js';
import { instantText } from './instant.js';
import type { AssessedCall, CallFinding, ReadableLookup, RunLedger } from './ledger.js';
import { EditSearch, type PairBudget } from './near-misses.js';
import { firstPlaces } from './structure.js';
import { shownName, violation, type RuleViolation } from './violations.js';

/**
 * The rules about cited calls: each citation gets the first that applies of unknown, foreign, pending,
 * failed, expired, broken, unreadable, and only when none does, whether the analysis's kind fits what the
 * lookup found. In the order of places. On the line (not `allowUnsigned`) a state that was read from an entry
 * without a valid signature is the ledger's fault.
 */
export function citationRules(
  draft: Draft,
  ledger: RunLedger,
  budget: PairBudget,
  allowUnsigned: boolean,
): RuleViolation[] {
  const nearest = nearestCallOf(ledger, budget);
  return draft.analysis.flatMap((analysis, i) =>
    firstPlaces(analysis.toolCallIds).flatMap(([j, id]) => {
      const path = `/analysis/${i}/tool_call_ids/${j}`;
      const call = ledger.assess(id);
      if (call.lookup !== null) return kindRule(analysis, call.lookup, path);
      return call.finding === null ? [] : [findingRule(call, call.finding, path, nearest, allowUnsigned)];
    }),
  );
}

function kindRule(analysis: Analysis, lookup: ReadableLookup, path: string): RuleViolation[] {
  const isNormal = analysis.kind === 'NORMAL';
  const hasEvidence = lookup.view.evidenceStatus === 'EVIDENCE_FOUND';
  if (isNormal === hasEvidence) return [];
  const code = isNormal ? 'KIND_CLAIMS_EVIDENCE' : 'KIND_DENIES_EVIDENCE';
  return [
    violation(
      code,
      path,
      { id: shownName(lookup.toolCallId) },
      { tool_call_id: lookup.toolCallId, evidence_status: lookup.view.evidenceStatus },
    ),
  ];
}

function findingRule(
  call: AssessedCall,
  { code, problem }: CallFinding,
  path: string,
  nearestCall: NearestCall,
  allowUnsigned: boolean,
): RuleViolation {
  const isAbsent = code === 'TOOL_CALL_UNKNOWN' || code === 'TOOL_CALL_FOREIGN_RUN';
  const nearest = isAbsent ? nearestCall(call.toolCallId) : undefined;
  const expires = code === 'TOOL_CALL_EXPIRED' ? instantText(call.entry?.expiresAt ?? 0) : undefined;
  const detail = {
    tool_call_id: call.toolCallId,
    ...(nearest !== undefined && { nearest }),
    ...(expires !== undefined && { expires_at: expires }),
    ...(problem !== '' && { problem }),
  };
  const params = {
    id: shownName(call.toolCallId),
    hint: nearest === undefined ? '' : ` Was ${shownName(nearest)} meant?`,
    expires: expires ?? '',
    problem,
  };
  return violation(code, path, params, detail, isLedgerFault(call, code, allowUnsigned));
}

function isLedgerFault(call: AssessedCall, code: CallFinding['code'], allowUnsigned: boolean): boolean {
  switch (code) {
    case 'LEDGER_PROJECTION_INVALID':
    case 'LEDGER_INTEGRITY_BROKEN':
      return true;
    case 'TOOL_CALL_PENDING':
    case 'TOOL_CALL_FAILED':
    case 'TOOL_CALL_EXPIRED':
      return !allowUnsigned && call.entry?.signature !== 'VALID';
    default:
      return false;
  }
}

/** The call of the run that is one edit away from an unknown one. */
type NearestCall = (toolCallId: string) => string | undefined;

function nearestCallOf(ledger: RunLedger, budget: PairBudget): NearestCall {
  let search: EditSearch | undefined;
  const found = new Map<string, string | undefined>();
  return (toolCallId) => {
    if (!found.has(toolCallId)) {
      search ??= new EditSearch(ledger.callIds(), budget);
      found.set(toolCallId, search.near(toolCallId)[0]);
    }
    return found.get(toolCallId);
  };
}
