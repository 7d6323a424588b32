/** What the package offers to programs. The line's parts are wired in `openLine`; everything else is rules and ports. */

export { openLine, type Line, type LineOptions } from './line/embedded-line.js';
export type { Doors, SubmissionAnswer } from './line/doors.js';
export { lookupRequested, type Lookup } from '../producers/lookups.js';
export { reviewDecision, type DecisionHandIn } from '../producers/decisions.js';
export { draftSubmitted, type DraftHandIn } from '../producers/drafts.js';

export type { KnowledgeQuery, KnowledgeSearch, SearchOutcome } from './retrieval/knowledge-search.js';
export { createPyRag } from './retrieval/py-rag/py-rag.js';
export { openLocalIndex, type LocalIndex } from './retrieval/local/local-index.js';
export { memorySearch } from './retrieval/memory.js';

export { mapHits } from './evidence/map-hits.js';
export { postprocess, type Postprocessed } from './evidence/postprocess.js';
export { packEvidence, type ContextPack } from './evidence/pack.js';
export { governHits, type LookupResult } from './evidence/lookup-result.js';
export { lookupResultJson } from './evidence/lookup-result-json.js';
export { project, type Projection } from './evidence/project.js';
export { parseAgentView, type AgentViewReading } from './evidence/parse-agent-view.js';
export { evidenceLimits, type EvidenceLimits } from './evidence/limits.js';

export {
  contextAssembler,
  tokenAwareAssembler,
  type AssembledContext,
  type AssemblyOptions,
  type ContextAssembler,
} from './context/assemble.js';
export { packedAssembler } from './context/packed.js';
export { contextHitOfHit, contextHitOfItem, type Citation, type ContextHit } from './context/citation.js';
export { contextLimits, type ContextLimits } from './context/limits.js';
export { encodingOfModel, loadTokenCounter } from './context/load-token-counter.js';
export { budgetOf, tokenBudget, type TokenBudget } from './context/token-budget.js';
export { encodings, type Encoding, type TokenCounter } from './context/token-counter.js';
export { searchContext, type SearchResult, type SearchTrace } from './context/search.js';
export type { RunCitation, RunContext } from './context/run-context.js';
export { readRunTrace, traceJson } from './line/read-trace.js';
export type { LookupTrace } from './trace/lookup-trace.js';
export type { RunTrace } from './trace/run-trace.js';
export { genAi } from './trace/gen-ai.js';
export { openInference } from './trace/openinference.js';
export { otlpJson } from './trace/otlp-json.js';
export type { TraceSpan } from './trace/span.js';
export { traceSpans, type SpansOptions } from './trace/trace-spans.js';
export { assembleInRun, type RunContextPorts, type RunContextRequest } from './line/run-context.js';

export {
  bindAnswer,
  type AnswerSpans,
  type BindOptions,
  type Claim,
  type MarkerSpan,
} from './spans/bind-answer.js';
export { bindDraft, type DraftSpans } from './spans/bind-draft.js';
export type { ClaimKind } from './spans/claim-kind.js';
export { spanLimits, type SpanLimits } from './spans/limits.js';
export type { OffsetUnit } from './spans/offsets.js';

export { guard, type GuardResult } from './guard/guard.js';
export type { EvidenceEntry, GuardInput, GuardTools } from './guard/entries.js';
export { defaultGuardLimits, type GuardLimits } from './guard/limits.js';
export { readDraft, type DraftReading } from './guard/draft.js';
export { violationTable, type ViolationCode } from './guard/violations.js';
export { reviewDraft } from './review/rules/review.js';

export type {
  Judge,
  JudgedClaim,
  Judgement,
  JudgeHit,
  JudgeOptions,
  JudgeOutcome,
  JudgeQuestion,
} from './judge/judge.js';
export { createChatJudge } from './judge/chat/chat-judge.js';
export type { ChatJudgeSettings } from './judge/chat/settings.js';
export { memoryJudge, type MemoryOpinion } from './judge/memory.js';

export {
  anthropicDraftTool,
  anthropicTool,
  draftOutputSchema,
  draftSchemaItem,
  inForm,
  kitItem,
  lookupTool,
  lookupToolItem,
  mcpTool,
  openAiResponseFormat,
  openAiTool,
  promptKit,
  promptRefOf,
  systemPrompt,
  type KitItem,
  type Language,
  type PromptFormat,
  type ToolDefinition,
} from './prompts/index.js';

export { createCodec, localSchemaIds, type Codec, type SchemaIds } from './contracts/codec.js';
export { topicNames, topics, type TopicMessages, type TopicName } from './contracts/topics.js';
export { partitionOf } from './contracts/partition.js';
export { errorTable, isProoflineError, ProoflineError, type ErrorCode } from './contracts/errors.js';
export type {
  AgentView,
  DeadLetter,
  Draft,
  DraftSubmitted,
  GuardVerdict,
  Hit,
  LedgerEntry,
  LookupRequested,
  ProjectedEvidence,
  PromptRef,
  Reviewed,
  ToolInvocation,
  VerifiedDraft,
} from './contracts/generated.js';
