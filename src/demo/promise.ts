import { isJsonObject, parseJson } from '../contracts/json.js';
import type { Violation } from '../contracts/generated.js';
import type { SubmissionAnswer } from '../line/doors.js';
import type { DraftPromise, PromisedLie } from './script.js';

/** Everything in which the answer is not what was promised, in words; empty where all is. */
export function brokenPromises(promise: DraftPromise, answer: SubmissionAnswer): readonly string[] {
  const { verdict, reviewed, verified } = answer;
  return [
    ...differs('the verdict', verdict.status, promise.verdict),
    ...liesThatDiffer(promise.lies, verdict.violations.map(lieOf)),
    ...differs('the review', reviewed.status, promise.review),
    ...differs('the decision', reviewed.decision, promise.decision),
    ...differs('published', verified?.outcome === 'VERIFIED', promise.published),
  ];
}

function differs<T>(what: string, is: T, promised: T): string[] {
  return is === promised ? [] : [`${what} is ${String(is)}, not ${String(promised)}`];
}

function liesThatDiffer(promised: readonly PromisedLie[], caught: readonly PromisedLie[]): string[] {
  const expected = new Set(promised.map(nameOf));
  const found = new Set(caught.map(nameOf));
  return [
    ...[...expected].filter((lie) => !found.has(lie)).map((lie) => `not caught: ${lie}`),
    ...[...found].filter((lie) => !expected.has(lie)).map((lie) => `caught, but no lie: ${lie}`),
  ];
}

function nameOf({ path, code, why }: PromisedLie): string {
  return [path, code, why].filter((part) => part !== null).join(' ');
}

/** A violation as the script promises one. */
export function lieOf(violation: Violation): PromisedLie {
  const { why, reason } = detailOf(violation);
  const words = [why, reason].filter((word) => word !== undefined);
  return { path: violation.path, code: violation.code, why: words.length === 0 ? null : words.join(' ') };
}

/** What the detail of a violation may say; what it does not say is undefined. */
export interface LieDetail {
  readonly why: string | undefined;
  /** Why a retrieved document was dropped. */
  readonly reason: string | undefined;
  /** What the draft cites: a lookup, a document, or a coordinate that it writes in a text. */
  readonly cites: string | undefined;
  readonly nearest: string | undefined;
}

export function detailOf({ detailJson }: Violation): LieDetail {
  const parsed = parseJson(detailJson);
  const detail = isJsonObject(parsed) ? parsed : {};
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => detail[name]).find((value) => typeof value === 'string');
  return {
    why: text('why'),
    reason: text('reason'),
    cites: text('tool_call_id', 'document_id', 'written'),
    nearest: text('nearest', 'shown_by'),
  };
}
