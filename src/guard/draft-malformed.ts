import type * as z from 'zod';
import type { JsonObject } from '../contracts/json.js';
import type { DraftSchema } from './draft-schema.js';
import { fieldGuesser } from './field-names.js';
import { pointer, pointerToForeign } from './pointer.js';
import { shownName, violation, type RuleViolation } from './violations.js';

/** What makes a draft malformed, and how a person is told. */
const problems = {
  TOO_LARGE: 'it has {bytes} bytes, {limit} are allowed',
  TOO_DEEP: 'it nests deeper than {limit} levels',
  NOT_JSON: 'it is not JSON{hint}',
  KEY_TWICE: 'a key stands twice in one object, and readers differ on which one counts',
  UNKNOWN_FIELD: 'there is no field {field}{hint}',
  FIELD_MISSING: 'the field {field} is missing',
  WRONG_TYPE: 'there is {received} where {expected} belongs',
  NOT_ALLOWED: 'the value is none of {expected}',
  OVER_LIMIT: 'there are more than {limit}',
  BLANK_ID: 'the id is blank',
} as const;

type Problem = keyof typeof problems;

/** DRAFT_MALFORMED with the problem named in its detail; `detail` fills the words for a person. */
export function malformed(problem: Problem, path: string, detail: JsonObject = {}): RuleViolation {
  const words: Record<string, unknown> = { ...detail, hint: hintOf(detail) };
  const text = problems[problem].replace(/\{(\w+)\}/g, (_, name: string) => inWords(name, words[name]));
  return violation('DRAFT_MALFORMED', path, { problem: text }, { problem, ...detail });
}

function hintOf(detail: JsonObject): string {
  if (typeof detail['did_you_mean'] === 'string') return `; was ${shownName(detail['did_you_mean'])} meant?`;
  if (typeof detail['begins_with'] === 'string')
    return `: it begins with ${shownName(detail['begins_with'])}, not with {`;
  return '';
}

function inWords(name: string, value: unknown): string {
  return name === 'field' ? shownName(String(value)) : String(value);
}

/** Every issue that zod found as a violation, in the order of the schema's fields. */
export function schemaViolations(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  schema: DraftSchema,
): RuleViolation[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownFields(issue, schema) : [otherIssue(issue, value)],
  );
}

function unknownFields(issue: z.core.$ZodIssueUnrecognizedKeys, schema: DraftSchema): RuleViolation[] {
  const guess = fieldGuesser(knownFields(issue.path, schema));
  return issue.keys.toSorted().map((key) => {
    const meant = guess(key);
    const detail = {
      field: key.slice(0, 100).toWellFormed(),
      ...(meant !== undefined && { did_you_mean: meant }),
    };
    return malformed('UNKNOWN_FIELD', pointerToForeign([...issue.path, key]), detail);
  });
}

/** The fields that the object at `path` may have: the last name on the way tells which object it is. */
function knownFields(path: readonly PropertyKey[], schema: DraftSchema): string[] {
  const analysis = schema.shape.analysis.element;
  switch (path.findLast((segment) => typeof segment === 'string')) {
    case undefined:
      return Object.keys(schema.shape);
    case 'analysis':
      return Object.keys(analysis.shape);
    case 'quotes':
      return Object.keys(analysis.shape.quotes.unwrap().element.shape);
    default:
      return Object.keys(schema.shape.action_plan.element.shape);
  }
}

function otherIssue(issue: z.core.$ZodIssue, value: unknown): RuleViolation {
  const path = pointer(issue.path);
  const found = valueAt(value, issue.path);
  if (found === undefined) return malformed('FIELD_MISSING', path, { field: String(issue.path.at(-1)) });
  switch (issue.code) {
    case 'invalid_type':
      return malformed('WRONG_TYPE', path, { expected: typeWords(issue.expected), received: typeOf(found) });
    case 'invalid_value':
      return malformed('NOT_ALLOWED', path, { expected: issue.values.join(', ') });
    case 'too_big':
      return malformed('OVER_LIMIT', path, { limit: Number(issue.maximum) });
    default:
      return malformed('BLANK_ID', path);
  }
}

/** Undefined where a field is absent: JSON itself has no undefined. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, segment) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, segment)
        ? (at as Record<PropertyKey, unknown>)[segment]
        : undefined,
    value,
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return typeWords(Array.isArray(value) ? 'array' : typeof value);
}

function typeWords(type: string): string {
  return type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`;
}
