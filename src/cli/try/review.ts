import * as z from 'zod';
import { sha256 } from '../../contracts/digest.js';
import { ProoflineError } from '../../contracts/errors.js';
import type { Draft, LookupSnapshot } from '../../contracts/generated.js';
import { toSnakeJson, type JsonObject } from '../../contracts/json.js';
import { parseAgentView } from '../../evidence/parse-agent-view.js';
import { readDraft } from '../../guard/draft.js';
import { defaultGuardLimits } from '../../guard/limits.js';
import { reviewDraft } from '../../review/rules/review.js';

/** The deterministic reviewer by hand: a draft and the evidence behind it as JSON, reviewed without a bus. */

const text = z.string().transform((value) => value.toWellFormed());

// Entries may have more fields, as a ledger's own records do.
const entrySchema = z.object({
  run_id: text,
  tool_call_id: text,
  state: z.string(),
  agent_view: text.nullish(),
});

const inputSchema = z.object({
  evidence: z.object({ run_id: text, entries: z.array(entrySchema) }),
  draft_json: z.string(),
});

/**
 * `{draft_json, evidence: {run_id, entries[]}}` → `{status, findings[]}`. The draft is not judged: what it cites and
 * the run does not have READY counts as no evidence.
 * @throws ProoflineError PL_INPUT_INVALID when the input, the draft or a view cannot be read.
 */
export function tryReview(input: unknown): JsonObject {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`${issue?.path.join('.') || 'the input'}: ${issue?.message ?? 'not as expected'}`);
  }
  const draft = draftOf(parsed.data.draft_json);
  return toSnakeJson(reviewDraft({ draft, lookups: lookupsOf(draft, parsed.data.evidence) })) as JsonObject;
}

function invalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}

function draftOf(draftJson: string): Draft {
  const reading = readDraft(draftJson, defaultGuardLimits);
  if ('draft' in reading) return reading.draft;
  const [first] = reading.violations;
  throw invalid(`draft_json${first?.path ?? ''}: ${first?.message ?? 'no draft'}`);
}

type Evidence = z.output<typeof inputSchema>['evidence'];

/** Of the run's entries those that the draft cites: only their views have to be readable. */
function lookupsOf(draft: Draft, evidence: Evidence): LookupSnapshot[] {
  const cited = new Set(draft.analysis.flatMap(({ toolCallIds }) => toolCallIds));
  const lookups = new Map<string, LookupSnapshot>();
  for (const { run_id: runId, tool_call_id: toolCallId, state, agent_view: agentView } of evidence.entries) {
    if (runId !== evidence.run_id || !cited.has(toolCallId)) continue;
    if (state !== 'READY' || typeof agentView !== 'string') continue;
    // Which of two entries of one call would count is nobody's to guess.
    if (lookups.has(toolCallId)) throw invalid(`two entries of run ${runId} and call ${toolCallId}`);
    lookups.set(toolCallId, snapshotOf(toolCallId, agentView));
  }
  return [...lookups.values()];
}

function snapshotOf(toolCallId: string, agentView: string): LookupSnapshot {
  const reading = parseAgentView(agentView, toolCallId);
  if ('problem' in reading) throw invalid(`the view of ${toolCallId}: ${reading.problem}`);
  const { query, evidenceStatus, relevanceLevel, truncated, evidence } = reading.view;
  return {
    toolCallId,
    query,
    evidenceStatus,
    relevanceLevel,
    truncated,
    cuts: [],
    noEvidenceBasis: null,
    agentViewSha256: sha256(agentView),
    items: evidence,
  };
}
