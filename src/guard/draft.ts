import type { Analysis, Draft, Quote, Statement } from '../contracts/generated.js';
import { parseJson } from '../contracts/json.js';
import { utf8Length } from '../text/text.js';
import { draftSchema, type DraftJson } from './draft-schema.js';
import { malformed, schemaViolations } from './draft-malformed.js';
import { scanJson } from './duplicate-keys.js';
import type { GuardLimits } from './limits.js';
import type { RuleViolation } from './violations.js';

/** The draft, written anew; or every reason why there is none (DRAFT_MALFORMED). */
export type DraftReading = { readonly draft: Draft } | { readonly violations: readonly RuleViolation[] };

/**
 * Reads a draft from its text as the model wrote it. Each step only looks at what the one before let
 * through: the size, the nesting, whether it is JSON, keys that stand twice, the schema. Never throws.
 */
export function readDraft(text: string, limits: GuardLimits): DraftReading {
  const tooLarge = bytesOver(text, limits.draftBytes);
  if (tooLarge !== null)
    return refused(malformed('TOO_LARGE', '', { bytes: tooLarge, limit: limits.draftBytes }));
  const json = unwrapped(text);
  const scan = scanJson(json, limits.nesting);
  if (scan.tooDeep) return refused(malformed('TOO_DEEP', '', { limit: limits.nesting }));
  const value = parseJson(json);
  if (value === undefined) return refused(notJson(json));
  if (scan.duplicates.length > 0) {
    return { violations: scan.duplicates.map((path) => malformed('KEY_TWICE', path)) };
  }
  return readValue(value, limits);
}

function readValue(value: unknown, limits: GuardLimits): DraftReading {
  const schema = draftSchema(limits);
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { violations: schemaViolations(parsed.error.issues, value, schema) };
  const tooMany = firstCallTooMany(parsed.data, limits.calls);
  if (tooMany !== undefined) return refused(malformed('OVER_LIMIT', tooMany, { limit: limits.calls }));
  return { draft: toDraft(parsed.data) };
}

/** UTF-8 bytes of a text that has more than `limit` of them, else null. No UTF-16 unit takes more than three. */
function bytesOver(text: string, limit: number): number | null {
  if (text.length * 3 <= limit) return null;
  const bytes = utf8Length(text);
  return bytes > limit ? bytes : null;
}

function refused(violation: RuleViolation): DraftReading {
  return { violations: [violation] };
}

/** The syntax error's own words differ between engines, and a replayed verdict must not. */
function notJson(json: string): RuleViolation {
  return malformed(
    'NOT_JSON',
    '',
    json.startsWith('{') ? {} : { begins_with: json.slice(0, 20).toWellFormed() },
  );
}

const FENCE = '```';
const FENCE_HEAD = /^```\p{L}*(?:\r\n|\n|\r)/u;

/** Without outer white space, a byte order mark, and a Markdown fence around the whole. */
export function unwrapped(text: string): string {
  // `trim` removes U+FEFF too.
  const trimmed = text.trim();
  const head = trimmed.startsWith(FENCE) ? FENCE_HEAD.exec(trimmed)?.[0].length : undefined;
  if (head === undefined || trimmed.length < head + FENCE.length || !trimmed.endsWith(FENCE)) return trimmed;
  return trimmed.slice(head, -FENCE.length).trim();
}

/** Pointer to the first citation of a call that is one too many. */
function firstCallTooMany(draft: DraftJson, limit: number): string | undefined {
  const calls = new Set<string>();
  for (const [i, analysis] of draft.analysis.entries()) {
    for (const [j, call] of (analysis.tool_call_ids ?? []).entries()) {
      if (calls.add(call).size > limit) return `/analysis/${i}/tool_call_ids/${j}`;
    }
  }
  return undefined;
}

/** What was left out becomes an empty list or text, and every text well-formed, before anything is compared. */
function toDraft(json: DraftJson): Draft {
  return {
    analysis: json.analysis.map(toAnalysis),
    conclusion: json.conclusion === null ? null : toStatement(json.conclusion),
    actionPlan: json.action_plan.map(toStatement),
    limitations: wellFormed(json.limitations),
  };
}

function toAnalysis(json: DraftJson['analysis'][number]): Analysis {
  return {
    id: json.id.toWellFormed(),
    kind: json.kind,
    text: json.text?.toWellFormed() ?? '',
    toolCallIds: wellFormed(json.tool_call_ids),
    documentIds: wellFormed(json.document_ids),
    quotes: (json.quotes ?? []).map(toQuote),
  };
}

function toQuote(json: NonNullable<DraftJson['analysis'][number]['quotes']>[number]): Quote {
  return {
    documentId: json.document_id.toWellFormed(),
    text: json.text?.toWellFormed() ?? '',
    prefix: json.prefix?.toWellFormed() ?? null,
    suffix: json.suffix?.toWellFormed() ?? null,
  };
}

function toStatement(json: NonNullable<DraftJson['conclusion']>): Statement {
  return {
    text: json.text?.toWellFormed() ?? '',
    basedOnAnalysisIds: wellFormed(json.based_on_analysis_ids),
  };
}

function wellFormed(texts: readonly string[] | undefined): string[] {
  return (texts ?? []).map((text) => text.toWellFormed());
}
