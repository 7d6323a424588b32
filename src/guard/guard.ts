import { QUOTE_RULES } from '../citation/quote-violations.js';
import type {
  AnalysisCitations,
  Draft,
  LedgerRead,
  LookupSnapshot,
  QuoteOutcome,
  ShownLookup,
} from '../contracts/generated.js';
import { citationRules } from './citations.js';
import { documentRules } from './documents.js';
import { readDraft } from './draft.js';
import type { EvidenceEntry, GuardInput, GuardTools } from './entries.js';
import { openLedger, type RunLedger } from './ledger.js';
import { quoteRules } from './quote-rules.js';
import { emptySnapshot, snapshotOf, type Snapshot } from './snapshot.js';
import { structureRules } from './structure.js';
import { CORE_RULES, inTableOrder, type RuleViolation } from './violations.js';

/** What the guard says of a draft, before it becomes a record: nothing in it is cut. */
export interface GuardResult {
  readonly status: 'PASSED' | 'REJECTED';
  readonly ruleSets: readonly string[];
  /** SHA-256 of the draft's text as it came, hex. */
  readonly draftSha256: string;
  /** The draft, written anew; null when malformed. */
  readonly draft: Draft | null;
  /** All of them, by number in the table, then by place in the draft. */
  readonly violations: readonly RuleViolation[];
  readonly violationCount: number;
  /** The evidence snapshot; of a PASSED draft only. */
  readonly lookups: readonly LookupSnapshot[];
  readonly shown: readonly ShownLookup[];
  readonly analyses: readonly AnalysisCitations[];
  /** Of each quote that could be checked, where it stands. */
  readonly quotes: readonly QuoteOutcome[];
  readonly read: readonly LedgerRead[];
  /** Rejected only because the ledger cannot be trusted: the draft is held, and costs no attempt. */
  readonly faultIsOurs: boolean;
  /** Some entry was without digest or signature, which only a trial allows. */
  readonly unsigned: boolean;
}

/**
 * Judges one draft against the ledger by the 20 rules of `core-20` and, where it quotes, by `quotes-1`, all found at
 * once. Pure: the same input gives the same result, in whatever order the entries come. Never throws, whatever the
 * draft's text is.
 */
export function guard(input: GuardInput, tools: GuardTools): GuardResult {
  const reading = readDraft(input.draftJson, tools.limits);
  if ('violations' in reading) return verdict(input, tools, null, reading.violations, emptySnapshot);
  const { draft } = reading;
  const ledger = openLedger(input, tools.views);
  const violations = inTableOrder(allRules(draft, ledger, input, tools));
  const result = verdict(input, tools, draft, violations, snapshotOf(draft, ledger, input.readAt));
  const quotes = tools.leaveOut?.has(QUOTE_RULES)
    ? null
    : quoteRules(draft, ledger, tools.sha256, tools.limits.quoteHintUnits);
  return quotes === null ? result : withRuleSet(result, quotes);
}

function allRules(draft: Draft, ledger: RunLedger, input: GuardInput, tools: GuardTools): RuleViolation[] {
  const budget = { left: tools.limits.nearMissPairs };
  return [
    ...structureRules(draft),
    ...citationRules(draft, ledger, budget, input.allowUnsigned ?? false),
    ...documentRules(draft, ledger, budget),
  ];
}

function verdict(
  input: GuardInput,
  tools: GuardTools,
  draft: Draft | null,
  violations: readonly RuleViolation[],
  snapshot: Snapshot,
): GuardResult {
  const hasPassed = violations.length === 0;
  return {
    status: hasPassed ? 'PASSED' : 'REJECTED',
    ruleSets: [CORE_RULES],
    draftSha256: tools.sha256(input.draftJson.toWellFormed()),
    draft,
    violations,
    violationCount: violations.length,
    ...snapshot,
    lookups: hasPassed ? snapshot.lookups : [],
    quotes: [],
    faultIsOurs: isLedgersFault(violations),
    unsigned: (input.allowUnsigned ?? false) && input.entries.some(isUnsigned),
  };
}

function isLedgersFault(violations: readonly RuleViolation[]): boolean {
  return violations.length > 0 && violations.every((found) => found.ledgerFault);
}

function isUnsigned(entry: EvidenceEntry): boolean {
  return entry.signature === 'ABSENT' || (entry.state === 'READY' && entry.agentViewSha256 === null);
}

/** What another rule set found in the same draft: its violations come after those of `core-20`. */
export interface RuleSetFindings {
  readonly ruleSet: string;
  readonly violations: readonly RuleViolation[];
  readonly quotes: readonly QuoteOutcome[];
}

/** The result with another rule set's findings: any violation of it rejects a draft that had passed. */
export function withRuleSet(result: GuardResult, findings: RuleSetFindings): GuardResult {
  const violations = [...result.violations, ...findings.violations];
  const hasPassed = violations.length === 0;
  return {
    ...result,
    status: hasPassed ? 'PASSED' : 'REJECTED',
    ruleSets: [...result.ruleSets, findings.ruleSet],
    violations,
    violationCount: violations.length,
    lookups: hasPassed ? result.lookups : [],
    quotes: [...result.quotes, ...findings.quotes],
    faultIsOurs: isLedgersFault(violations),
  };
}
