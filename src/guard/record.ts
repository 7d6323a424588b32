import type { GuardVerdict, Violation } from '../contracts/generated.js';
import { cutText } from '../text/text.js';
import type { GuardResult } from './guard.js';
import type { GuardLimits } from './limits.js';
import type { RuleViolation } from './violations.js';

/** The part of a GuardVerdict that the rules decide. */
export type VerdictFields = Pick<
  GuardVerdict,
  | 'ruleSets'
  | 'status'
  | 'draftSha256'
  | 'draft'
  | 'violations'
  | 'violationCount'
  | 'lookups'
  | 'shown'
  | 'analyses'
  | 'quotes'
  | 'read'
>;

/**
 * The result as a record holds it: the first violations, each message and detail cut to its limit. The count
 * still counts all of them.
 */
export function toVerdictFields(result: GuardResult, limits: GuardLimits): VerdictFields {
  const { ruleSets, status, draftSha256, draft, violationCount, lookups, shown, analyses, quotes, read } =
    result;
  const violations = result.violations
    .slice(0, limits.recordViolations)
    .map((found) => toRecord(found, limits.recordChars));
  return {
    ruleSets,
    status,
    draftSha256,
    draft,
    violations,
    violationCount,
    lookups,
    shown,
    analyses,
    quotes,
    read,
  };
}

function toRecord({ code, path, message, detail }: RuleViolation, chars: number): Violation {
  return { code, path, message: cutText(message, chars), detailJson: boundedJson(detail, chars) };
}

/** How long the texts in a detail may be, tried in turn until the whole fits; escapes make them longer. */
const TEXT_CHARS = [200, 100, 50, 20, 8, 0];

/** The JSON of a detail, still JSON when it had to be cut: its texts are shortened and end in `…`. */
function boundedJson(detail: unknown, chars: number): string {
  const whole = JSON.stringify(detail);
  if (whole.length <= chars) return whole;
  for (const textChars of TEXT_CHARS) {
    const json = JSON.stringify(detail, (_, value: unknown) =>
      typeof value === 'string' ? shortened(value, textChars) : value,
    );
    if (json.length <= chars) return json;
  }
  return '{}';
}

function shortened(text: string, chars: number): string {
  return text.length <= chars ? text : `${cutText(text, chars)}…`;
}
