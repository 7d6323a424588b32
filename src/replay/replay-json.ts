import { errorTable } from '../contracts/errors.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import { instantToJson } from '../contracts/record-json.js';
import { cutText } from '../text/text.js';
import type { Comparison } from './comparison.js';
import type { Difference } from './equal.js';
import { EVIDENCE_GONE } from './recorded-run.js';
import type { VerdictReplay, VerdictUnderRules } from './replay-run.js';

/** A replay as JSON, snake_case, one value a verdict; what is long in it is cut. */

const DIFFERENCES_TOLD = 20;
const VALUE_CHARS = 500;
const SHOWN_BEFORE = 40;

/**
 * `{run_id, draft_id, attempt, verdict_event_id, submitted_at, outcome, status, guard, reviews[]}`; a comparison is
 * `{kind, differences[]?, difference_count?, code?, gone[]?}`, a difference `{path, recorded, replayed}` with the values
 * as JSON texts.
 */
export function verdictReplayJson({ submittedAt, guard, reviews, ...about }: VerdictReplay): JsonObject {
  return {
    ...(toSnakeJson(about) as JsonObject),
    submitted_at: instantToJson(submittedAt),
    guard: comparisonJson(guard),
    reviews: reviews.map(({ by, decision, comparison }) => ({ by, decision, ...comparisonJson(comparison) })),
  };
}

/** As it is, with `recorded` and `changed` of `{status, violations, review, decision}`. */
export function verdictUnderRulesJson({ submittedAt, gone, ...about }: VerdictUnderRules): JsonObject {
  const json = { ...(toSnakeJson(about) as JsonObject), submitted_at: instantToJson(submittedAt), gone };
  return gone.length === 0 ? json : { ...json, code: EVIDENCE_GONE };
}

function comparisonJson(comparison: Comparison): JsonObject {
  switch (comparison.kind) {
    case 'EQUAL':
      return { kind: 'EQUAL' };
    case 'GONE':
      return { kind: 'GONE', code: EVIDENCE_GONE, gone: comparison.gone };
    case 'DIFFERENT':
      return {
        kind: 'DIFFERENT',
        difference_count: comparison.differences.length,
        differences: comparison.differences.slice(0, DIFFERENCES_TOLD).map(shownDifference),
      };
  }
}

/** A difference with its values as JSON texts, each from a little before where they part; null where there is nothing. */
export function shownDifference({ path, recorded, replayed }: Difference) {
  const [a, b] = [textOf(recorded), textOf(replayed)];
  const from = Math.max(0, alike(a ?? '', b ?? '') - SHOWN_BEFORE);
  return { path, recorded: shown(a, from), replayed: shown(b, from) };
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** How many characters both begin with. */
function alike(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

function shown(text: string | null, from: number): string | null {
  if (text === null) return null;
  const part = from === 0 ? text : `…${text.slice(from)}`;
  return part.length <= VALUE_CHARS ? part : `${cutText(part, VALUE_CHARS)}…`;
}

/** What to do about what is gone. */
export const goneAdvice = errorTable[EVIDENCE_GONE].solve;
