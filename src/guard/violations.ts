import type { JsonObject } from '../contracts/json.js';
import { cutText } from '../text/text.js';

/** Name of the rule set of the 20 violations. It never grows: other rules get a set of their own. */
export const CORE_RULES = 'core-20';

interface ViolationRow {
  /** A: the draft's structure. B: its citations. C: the ledger behind them. */
  readonly group: 'A' | 'B' | 'C';
  /** Place in the table: violations are reported in this order. */
  readonly number: number;
  /** What is wrong, and what would put it right; `{name}` is filled. */
  readonly message: string;
}

/** The 20 violations of `core-20`, in the order in which they are reported. */
export const violationTable = {
  DRAFT_MALFORMED: {
    group: 'A',
    number: 1,
    message: 'The draft cannot be read: {problem}. Hand in one JSON object as the draft schema describes it.',
  },
  ANALYSIS_ID_DUPLICATE: {
    group: 'A',
    number: 2,
    message: 'The analysis id {id} is taken by an earlier analysis. Give each analysis an id of its own.',
  },
  ANALYSIS_TEXT_BLANK: {
    group: 'A',
    number: 3,
    message: 'The analysis has no text. Say what was found, or leave the analysis out.',
  },
  ANALYSIS_UNCITED: {
    group: 'A',
    number: 4,
    message:
      'The analysis cites no lookup. Name those it rests on in tool_call_ids, or leave the analysis out.',
  },
  CONCLUSION_TEXT_BLANK: {
    group: 'A',
    number: 5,
    message:
      'The conclusion has no text. Write it, or set conclusion to null where the evidence is not enough.',
  },
  CONCLUSION_UNGROUNDED: {
    group: 'A',
    number: 6,
    message:
      'The conclusion is based on no analysis. Name them in based_on_analysis_ids, or set conclusion to null.',
  },
  ACTION_TEXT_BLANK: {
    group: 'A',
    number: 7,
    message: 'The action has no text. Say what to do, or leave the action out.',
  },
  ACTION_UNGROUNDED: {
    group: 'A',
    number: 8,
    message:
      'The action is based on no analysis. Name them in based_on_analysis_ids, or leave the action out.',
  },
  ANALYSIS_REF_UNKNOWN: {
    group: 'A',
    number: 9,
    message: 'The draft has no analysis {id}. Refer to one that it has.',
  },
  LIMITATIONS_MISSING: {
    group: 'A',
    number: 10,
    message: 'The draft names no limitation. Say in limitations what was not looked at or is not known.',
  },
  TOOL_CALL_UNKNOWN: {
    group: 'B',
    number: 11,
    message: 'There was no lookup {id}. Cite lookups that this run made, by their tool_call_id.{hint}',
  },
  TOOL_CALL_FOREIGN_RUN: {
    group: 'B',
    number: 12,
    message: 'The lookup {id} belongs to another run. Cite lookups that this run made.{hint}',
  },
  TOOL_CALL_PENDING: {
    group: 'B',
    number: 13,
    message: 'The lookup {id} has no result yet. Wait for its answer before citing it.',
  },
  TOOL_CALL_FAILED: {
    group: 'B',
    number: 14,
    message:
      'The lookup {id} failed and is evidence of nothing. Ask again with a new tool_call_id, or do not cite it.',
  },
  TOOL_CALL_EXPIRED: {
    group: 'B',
    number: 15,
    message: 'The evidence of lookup {id} expired at {expires}, before the draft came. Look it up again.',
  },
  KIND_CLAIMS_EVIDENCE: {
    group: 'B',
    number: 16,
    message:
      'A NORMAL analysis cites lookup {id}, which found nothing. Cite one with evidence, or say NEGATIVE_OBSERVATION.',
  },
  KIND_DENIES_EVIDENCE: {
    group: 'B',
    number: 17,
    message:
      'A NEGATIVE_OBSERVATION cites lookup {id}, which found evidence. Cite only lookups that found nothing, or say NORMAL.',
  },
  DOCUMENT_NOT_SHOWN: {
    group: 'B',
    number: 18,
    message: 'The lookups cited here did not show {id}{why}.',
  },
  LEDGER_PROJECTION_INVALID: {
    group: 'C',
    number: 19,
    message:
      'The ledger entry of lookup {id} is not readable evidence: {problem}. The draft is not to blame.',
  },
  LEDGER_INTEGRITY_BROKEN: {
    group: 'C',
    number: 20,
    message:
      'The ledger entry of lookup {id} is not as it was written: {problem}. The draft is not to blame.',
  },
} as const satisfies Record<string, ViolationRow>;

export type ViolationCode = keyof typeof violationTable;

/** One thing that is wrong with a draft, before it is bounded for a record. */
export interface RuleViolation {
  /** A code of `core-20`, or of another rule set. */
  readonly code: string;
  /** JSON pointer into the draft; empty for the whole of it. */
  readonly path: string;
  readonly message: string;
  /** More about it, as JSON (snake_case). */
  readonly detail: JsonObject;
  /** True where the ledger is to blame and not the draft: such a draft is held and costs no attempt. */
  readonly ledgerFault: boolean;
}

/** A violation of `core-20` with its message filled. */
export function violation(
  code: ViolationCode,
  path: string,
  params: Readonly<Record<string, string>> = {},
  detail: JsonObject = {},
  ledgerFault = false,
): RuleViolation {
  return { code, path, message: filled(violationTable[code].message, params), detail, ledgerFault };
}

/** A message with its `{name}`s filled. */
export function filled(message: string, params: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
}

/** The violations by number in the table; those of one number keep the order of their places in the draft. */
export function inTableOrder(violations: readonly RuleViolation[]): RuleViolation[] {
  return violations.toSorted((a, b) => numberOf(a) - numberOf(b));
}

function numberOf(found: RuleViolation): number {
  return violationTable[found.code as ViolationCode].number;
}

/** An id or a name as a message shows it: in quotes, and not longer than a reader wants. */
export function shownName(name: string): string {
  const text = name.toWellFormed();
  return `"${text.length > 80 ? `${cutText(text, 80)}…` : text}"`;
}
