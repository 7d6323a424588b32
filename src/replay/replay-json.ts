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

/** A difference with its values as texts; null where there is nothing. */
export function shownDifference({ path, recorded, replayed }: Difference) {
  return { path, recorded: shown(recorded), replayed: shown(replayed) };
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARS ? text : `${cutText(text, VALUE_CHARS)}…`;
}

/** What to do about what is gone. */
export const goneAdvice = errorTable[EVIDENCE_GONE].solve;
