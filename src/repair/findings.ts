import type { Finding, GuardVerdict, PersonRef, RepairFinding, Violation } from '../contracts/generated.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import { cutText } from '../text/text.js';
import { wordsAt } from './words-in-draft.js';

/** What is to be mended, and why it came to a repair. */
export interface RepairInput {
  /** The verdict, whole: its draft, its violations, what the lookups showed. */
  readonly verdict: GuardVerdict;
  /** What review found. */
  readonly findings: readonly Finding[];
  /** Who turned it back, where a person did. */
  readonly person: PersonRef | null;
  /** How many more drafts are judged. */
  readonly attemptsLeft: number;
  /** When the run must have an outcome, epoch milliseconds. */
  readonly deadline: number | null;
}

/** One thing to mend, with the words of the draft that it is about. */
export interface Mendable {
  readonly finding: RepairFinding;
  /** A review finding's status; null of a violation and of a person's word. */
  readonly status: Finding['status'] | null;
  readonly words: string | null;
}

/** Findings that a record lists at most. */
export const LISTED_FINDINGS = 50;

const MESSAGE_CHARS = 500;
const SPANS_LISTED = 3;
const ID_CHARS = 100;

/** The first findings, and how many more there are: a person's word, violations, then what review found, worst first. */
export function mendables(input: RepairInput): {
  readonly listed: readonly Mendable[];
  readonly more: number;
} {
  const { verdict, findings, person } = input;
  const all = [
    ...(person === null ? [] : [ofPerson(person)]),
    ...verdict.violations.slice(0, LISTED_FINDINGS).map((violation) => ofViolation(violation, verdict)),
    ...worstFirst(findings)
      .slice(0, LISTED_FINDINGS)
      .map((finding) => ofFinding(finding, verdict)),
  ];
  const total = (person === null ? 0 : 1) + verdict.violationCount + findings.length;
  const listed = all.slice(0, LISTED_FINDINGS);
  return { listed, more: Math.max(0, total - listed.length) };
}

const RANK = { UNSUPPORTED: 0, OVERSTATED: 1, NOT_EVALUATED: 2, ABSTAINED: 3, SUPPORTED: 4 } as const;

function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => RANK[a.status] - RANK[b.status]);
}

function ofPerson({ by, reason }: PersonRef): Mendable {
  const detailJson = JSON.stringify({ by });
  const finding = { source: 'PERSON', code: 'PERSON_REJECTED', path: '', message: reason, detailJson };
  return { finding, status: null, words: null };
}

function ofViolation(violation: Violation, { draft }: GuardVerdict): Mendable {
  const { code, path, message, detailJson } = violation;
  const detail = parseJson(detailJson);
  // A coordinate that is written in a text stands in it whole.
  const written = isJsonObject(detail) ? detail['written'] : undefined;
  const inDraft = draft === null ? null : wordsAt(draft, path);
  return {
    finding: { source: 'GUARD', code, path, message, detailJson },
    status: null,
    words: typeof written === 'string' ? written : inDraft,
  };
}

function ofFinding(
  { path, status, reason, draftSpan, evidenceSpans }: Finding,
  verdict: GuardVerdict,
): Mendable {
  const message = cutText(reason, MESSAGE_CHARS);
  const detail = {
    status,
    draft_span: draftSpan,
    evidence_spans: evidenceSpans.slice(0, SPANS_LISTED).map(({ toolCallId, documentId, start, end }) => ({
      tool_call_id: cutText(toolCallId, ID_CHARS),
      document_id: cutText(documentId, ID_CHARS),
      start,
      end,
    })),
  };
  return {
    finding: {
      source: 'REVIEW',
      code: codeOf(reason) ?? status,
      path,
      message,
      detailJson: JSON.stringify(detail),
    },
    status,
    words: verdict.draft === null ? null : wordsAt(verdict.draft, path, draftSpan),
  };
}

/** A reason begins with what kind of finding it is: `NUMBER_NOT_SHOWN: …`. */
function codeOf(reason: string): string | null {
  return /^([A-Z][A-Z_]{2,59}):/.exec(reason)?.[1] ?? null;
}
