import * as z from 'zod';
import { sha256 } from '../../contracts/digest.js';
import { ProoflineError } from '../../contracts/errors.js';
import type { SignatureCheck } from '../../contracts/generated.js';
import { toSnakeJson, type JsonObject } from '../../contracts/json.js';
import type { EvidenceEntry } from '../../guard/entries.js';
import { guard, type GuardResult } from '../../guard/guard.js';
import { instantText } from '../../guard/instant.js';
import { defaultGuardLimits } from '../../guard/limits.js';
import { plainViews } from '../../guard/view-cache.js';
import { quoteWithTexts } from './quote-texts.js';

/**
 * The guard by hand: a draft and the evidence behind it as JSON, judged without a bus. Ids are any strings
 * here, and an entry may be without digest or signature; the verdict then says `unsigned: true`.
 */

// Text is made well-formed before anything is compared or digested.
const text = z.string().transform((value) => value.toWellFormed());
const instant = z.iso
  .datetime({ offset: true })
  .transform((value) => Date.parse(value))
  .refine((epochMs) => Number.isFinite(epochMs), 'not an instant');
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
const textOrNull = text.nullish().transform((value) => value ?? null);

// Entries may have more fields, as a ledger's own records do.
const entrySchema = z.object({
  run_id: text,
  tool_call_id: text,
  state: z.enum(['PENDING', 'READY', 'FAILED', 'UNREADABLE']),
  agent_view: textOrNull,
  agent_view_sha256: textOrNull,
  blocks: listOf(z.object({ document_id: text, content: text })),
  dropped: listOf(
    z.object({
      evidence_key: textOrNull,
      document_id: textOrNull,
      original_rank: z.number().nullish(),
      reason: text,
    }),
  ),
  cuts: listOf(z.object({ code: text, document_id: textOrNull })),
  no_evidence_basis: textOrNull,
  expires_at: instant.nullish(),
});

const inputSchema = z.object({
  evidence: z.object({ run_id: text, entries: z.array(z.unknown()) }),
  draft_json: z.string(),
  submitted_at: instant,
});

/** Checks the signature of an entry, given as it stands in the input; ABSENT where nobody can tell. */
export type VerifySignature = (entry: JsonObject) => SignatureCheck;

/**
 * `{evidence: {run_id, entries[]}, draft_json, submitted_at}` → the verdict as JSON.
 * @throws ProoflineError PL_INPUT_INVALID naming what is wrong with the input, never with the draft.
 */
export function tryGuard(input: unknown, verifySignature: VerifySignature = () => 'ABSENT'): JsonObject {
  const { evidence, draft_json: draftJson, submitted_at: submittedAt } = read(inputSchema, input, []);
  const entries = evidence.entries.map((entry, i) => toEntry(entry, i, verifySignature));
  refuseRepeats(entries);
  const result = guard(
    {
      runId: evidence.run_id,
      draftJson,
      submittedAt,
      entries,
      readAt: { partition: 0, offset: null },
      allowUnsigned: true,
    },
    { sha256, limits: defaultGuardLimits, views: plainViews(sha256) },
  );
  const own = entries.filter((entry) => entry.runId === evidence.run_id);
  return verdictJson(result, own);
}

function read<S extends z.ZodType>(schema: S, value: unknown, at: readonly PropertyKey[]): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = [...at, ...(issue?.path ?? [])].map(String).join('.');
  throw invalid(`${place === '' ? 'the input' : place}: ${issue?.message ?? 'not as expected'}`);
}

function invalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}

function toEntry(value: unknown, index: number, verifySignature: VerifySignature): EvidenceEntry {
  const json = read(entrySchema, value, ['evidence', 'entries', index]);
  return {
    runId: json.run_id,
    toolCallId: json.tool_call_id,
    state: json.state,
    agentView: json.agent_view,
    agentViewSha256: json.agent_view_sha256,
    blocks: json.blocks.map((block) => ({ documentId: block.document_id, content: block.content })),
    dropped: json.dropped.map((drop) => ({
      evidenceKey: drop.evidence_key ?? '',
      documentId: drop.document_id ?? '',
      originalRank: drop.original_rank ?? null,
      reason: drop.reason,
    })),
    cuts: json.cuts.map((cut) => ({ code: cut.code, documentId: cut.document_id })),
    noEvidenceBasis: json.no_evidence_basis,
    expiresAt: json.expires_at ?? null,
    signature: verifySignature(value as JsonObject),
    partition: 0,
    offset: null,
  };
}

/** Which of two entries of one call would count is nobody's to guess. */
function refuseRepeats(entries: readonly EvidenceEntry[]): void {
  const seen = new Set<string>();
  for (const { runId, toolCallId } of entries) {
    const key = JSON.stringify([runId, toolCallId]);
    if (seen.has(key)) throw invalid(`two entries of run ${runId} and call ${toolCallId}`);
    seen.add(key);
  }
}

/**
 * The verdict with the names and instants of JSON; details are objects, and nothing is cut. A quote that was found has
 * its words in place and its offsets from the chunk to the draft.
 */
function verdictJson(
  { faultIsOurs, read, ...result }: GuardResult,
  entries: readonly EvidenceEntry[],
): JsonObject {
  const violations = result.violations.map(({ code, path, message, detail }) => ({
    code,
    path,
    message,
    detail,
  }));
  const readJson = read.map((entry) => ({
    ...entry,
    expiresAt: entry.expiresAt === null ? null : instantText(entry.expiresAt),
  }));
  const quotes = result.quotes.map((quote) => quoteWithTexts(quote, result.draft, entries));
  return toSnakeJson({ ...result, violations, quotes, read: readJson, faultIsOurs }) as JsonObject;
}
