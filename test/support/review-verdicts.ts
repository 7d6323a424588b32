import { decisionEventId } from '../../src/contracts/ids.js';
import { sha256 } from '../../src/contracts/digest.js';
import type {
  GuardVerdict,
  ReviewDecision,
  ReviewStatus,
  ShownLookup,
  Violation,
} from '../../src/contracts/generated.js';
import type { Reviewer } from '../../src/review/appraise.js';
import { draftOf } from './review-rules.js';

/** Verdicts and decisions as review gets them. */

/** A PASSED verdict on the run's first draft; `other` says what the test is about. */
export function verdict(other: Partial<GuardVerdict> = {}): GuardVerdict {
  const draftId = other.draftId ?? 'draft-1';
  return {
    eventId: `verdict-of-${draftId}`,
    causedBy: `event-of-${draftId}`,
    runId: 'run-1',
    occurredAt: 1_700_000_000_000,
    draftId,
    attempt: 1,
    ruleSets: ['core-20'],
    status: 'PASSED',
    draftSha256: 'd'.repeat(64),
    draft: draftOf([]),
    violations: [],
    violationCount: 0,
    lookups: [],
    shown: [],
    analyses: [],
    quotes: [],
    read: [],
    prompt: null,
    generation: null,
    limits: null,
    ext: {},
    ...other,
  };
}

export const violation = (code: string, path = '', detail: object = {}): Violation => ({
  code,
  path,
  message: code,
  detailJson: JSON.stringify(detail),
});

export const rejected = (other: Partial<GuardVerdict> = {}): GuardVerdict =>
  verdict({
    status: 'REJECTED',
    violations: [violation('LIMITATIONS_MISSING')],
    violationCount: 1,
    ...other,
  });

/** Rejected for nothing but a broken entry of the ledger. */
export const broken = (other: Partial<GuardVerdict> = {}): GuardVerdict =>
  rejected({
    violations: [violation('LEDGER_INTEGRITY_BROKEN', '/analysis/0/tool_call_ids/0')],
    ...other,
  });

export const abandoned = (other: Partial<GuardVerdict> = {}): GuardVerdict =>
  verdict({ status: 'ABANDONED', draft: null, draftSha256: null, ruleSets: [], ...other });

/** A draft that the reviewer below finds to be so. */
export const found = (status: ReviewStatus, other: Partial<GuardVerdict> = {}): GuardVerdict =>
  verdict({ draft: draftOf([], { limitations: [status] }), ...other });

/** Says what the draft's limitation says, SUPPORTED where that is no status. */
export const scriptedReview: Reviewer = ({ limitations }) => {
  const status = limitations[0] as ReviewStatus;
  const known = ['SUPPORTED', 'OVERSTATED', 'UNSUPPORTED', 'ABSTAINED', 'NOT_EVALUATED'].includes(status);
  return { status: known ? status : 'SUPPORTED', findings: [] };
};

export function decision(
  about: Pick<GuardVerdict, 'draftId' | 'eventId'>,
  other: Partial<ReviewDecision> = {},
): ReviewDecision {
  const { draftId, eventId: verdictEventId } = about;
  return {
    eventId: decisionEventId(sha256, { runId: 'run-1', draftId, verdictEventId }),
    causedBy: null,
    runId: 'run-1',
    occurredAt: 1_700_000_100_000,
    draftId,
    verdictEventId,
    decision: 'APPROVE',
    by: 'alice',
    reason: 'It is what the runbook says.',
    ext: {},
    ...other,
  };
}

export function shown(toolCallId: string, items: ShownLookup['items'] = [], truncated = false): ShownLookup {
  return {
    toolCallId,
    evidenceStatus: items.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    truncated,
    items,
  };
}
