// Generated from schemas/*.avsc by `npm run generate`. Do not edit.

/** Whether the view shows any evidence; decided by its list alone. */
export type EvidenceStatus = 'EVIDENCE_FOUND' | 'NO_EVIDENCE';

/** One item of an agent view, re-read from the ledger. */
export interface EvidenceItem {
  /** Its identity, as shown. */
  readonly documentId: string;
  /** As shown. */
  readonly source: string | null;
  /** As shown. */
  readonly title: string | null;
  /** As shown. */
  readonly breadcrumb: string | null;
  /** As shown. */
  readonly excerpt: string;
}

/** Grade of the best evidence: PRECISE may conclude, REFERENCE may not by itself. */
export type RelevanceLevel = 'PRECISE' | 'REFERENCE';

/** What the model is given for one lookup: exactly these fields, in this order. */
export interface AgentView {
  /** EVIDENCE_FOUND when there is an item, else NO_EVIDENCE. */
  readonly evidenceStatus: EvidenceStatus;
  /** The lookup. */
  readonly toolCallId: string;
  /** The question, at most 500 characters. */
  readonly query: string;
  /** The items, best first. */
  readonly evidence: readonly EvidenceItem[];
  /** How many items there are. */
  readonly returnedCount: number;
  /** Grade of the best evidence. */
  readonly relevanceLevel: RelevanceLevel | null;
  /** True when anything was left out. */
  readonly truncated: boolean;
}

/** Where it went. */
export interface Target {
  /** The topic. */
  readonly topic: string;
  /** The partition. */
  readonly partition: number;
}

/** A dead letter was replayed. */
export interface DeadLetterDone {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The dead letter. */
  readonly deadLetterEventId: string;
  /** Who replayed it. */
  readonly replayedBy: string;
  /** Where it was sent. */
  readonly to: Target;
}

/** Where the record lies. */
export interface Origin {
  /** Its topic. */
  readonly topic: string;
  /** Its partition. */
  readonly partition: number;
  /** Its offset. */
  readonly offset: number;
}

/** One header. */
export interface Header {
  /** Name. */
  readonly key: string;
  /** Value. */
  readonly value: Buffer | null;
}

/** A record that could not be processed, whole. */
export interface DeadLetter {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** Where it came from. */
  readonly origin: Origin;
  /** Its key. */
  readonly key: Buffer | null;
  /** Its value. */
  readonly value: Buffer | null;
  /** Its headers. */
  readonly headers: readonly Header[];
  /** The station that gave it up. */
  readonly station: string;
  /** Why: a code of the error table. */
  readonly code: string;
  /** Why, in words. */
  readonly message: string;
  /** 1 for the first time; one more each time a replay fails again. */
  readonly attempt: number;
}

/** Why the run was given up, and by whom: the harness or the agent. */
export type GivenUp = 'DEADLINE' | 'BUDGET' | 'AGENT';

/** The prompt that the model was given. */
export interface PromptRef {
  /** Name of the prompt. */
  readonly id: string;
  /** Its version. */
  readonly version: string;
  /** SHA-256 of its text, hex. */
  readonly sha256: string;
}

/** What producing the draft took, as its caller reports it. */
export interface Generation {
  /** Who ran the model. */
  readonly provider: string | null;
  /** Which model. */
  readonly model: string | null;
  /** The provider's id of the request. */
  readonly requestId: string | null;
  /** Tokens read. */
  readonly inputTokens: number | null;
  /** Tokens written. */
  readonly outputTokens: number | null;
  /** Tokens in all. */
  readonly totalTokens: number | null;
  /** Cost as a decimal string; prices are the caller's. */
  readonly cost: string | null;
  /** ISO 4217 code of the cost. */
  readonly currency: string | null;
}

/** What a run may spend. Every limit is optional; the first that came count. */
export interface Limits {
  /** When the run must have an outcome. */
  readonly deadline: number | null;
  /** How many lookups are answered at most. */
  readonly maxLookups: number | null;
  /** How many tokens views and generation may take together. */
  readonly maxTokens: number | null;
  /** How many distinct drafts are judged before the run falls back. */
  readonly maxAttempts: number | null;
}

/** A draft is handed in, or the run is given up. */
export interface DraftSubmitted {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The draft. */
  readonly draftId: string;
  /** Its number in the run, from 1. */
  readonly attempt: number;
  /** The draft's text, as the model wrote it. */
  readonly draftJson: string | null;
  /** Set instead of a draft. */
  readonly givenUp: GivenUp | null;
  /** The prompt that the model was given. */
  readonly prompt: PromptRef | null;
  /** What producing it took. */
  readonly generation: Generation | null;
  /** The run's limits, repeated. */
  readonly limits: Limits | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** NORMAL rests on evidence that was found, NEGATIVE_OBSERVATION on the fact that there was none. */
export type AnalysisKind = 'NORMAL' | 'NEGATIVE_OBSERVATION';

/** Words that the draft quotes from a shown document. */
export interface Quote {
  /** The document quoted, as shown. */
  readonly documentId: string;
  /** The quoted words. */
  readonly text: string;
  /** Words right before them, to tell places apart. */
  readonly prefix: string | null;
  /** Words right after them. */
  readonly suffix: string | null;
}

/** One step of the report, resting on lookups. */
export interface Analysis {
  /** Name of the analysis inside the draft. */
  readonly id: string;
  /** What kind of step it is. */
  readonly kind: AnalysisKind;
  /** What it says; empty where the draft left it out. */
  readonly text: string;
  /** The lookups that it rests on. */
  readonly toolCallIds: readonly string[];
  /** The shown documents that it cites. */
  readonly documentIds: readonly string[];
  /** Words quoted from them. */
  readonly quotes: readonly Quote[];
}

/** A conclusion or an action, resting on analyses. */
export interface Statement {
  /** What it says; empty where the draft left it out. */
  readonly text: string;
  /** The analyses that it rests on. */
  readonly basedOnAnalysisIds: readonly string[];
}

/** The model's structured report, parsed and written anew. */
export interface Draft {
  /** The steps of the report. */
  readonly analysis: readonly Analysis[];
  /** The conclusion; null where the evidence was not enough. */
  readonly conclusion: Statement | null;
  /** What should be done. */
  readonly actionPlan: readonly Statement[];
  /** What the report does not know. */
  readonly limitations: readonly string[];
}

/** PENDING: accepted. READY: the agent view is frozen. FAILED: for good. */
export type LedgerState = 'PENDING' | 'READY' | 'FAILED';

/** A governed block, whole: what the agent view may have cut. */
export interface Block {
  /** The identity that the agent view shows. */
  readonly documentId: string;
  /** The text before any cut. */
  readonly content: string;
}

/** A hit that did not become evidence, and why. */
export interface Dropped {
  /** Identity of the chunk. */
  readonly evidenceKey: string;
  /** Its document. */
  readonly documentId: string;
  /** Its place in retrieval's answer. */
  readonly originalRank: number | null;
  /** BLANK, DUPLICATE, KEY_COLLISION, DOC_CAP or TOTAL_CAP. */
  readonly reason: string;
}

/** One thing that the agent view leaves out of what was found. */
export interface Cut {
  /** QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET. */
  readonly code: string;
  /** The identity of the item concerned; null for QUERY_CUT. */
  readonly documentId: string | null;
}

/** Why a lookup has no evidence to show: it failed, or it was refused. */
export interface Failure {
  /** A code of the error table, PL_…. */
  readonly code: string;
  /** The English text, for a person. */
  readonly message: string;
  /** True where a new lookup may succeed. */
  readonly retryable: boolean;
}

/** Ed25519 signature of the entry by the station that wrote it. */
export interface Signature {
  /** First 16 hex digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** The signature, base64url. */
  readonly value: string;
}

/** The record of one lookup: what the model was shown. */
export interface LedgerEntry {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The lookup inside the run. */
  readonly toolCallId: string;
  /** The tool that the model called: lookup_knowledge. */
  readonly toolName: string;
  /** How far the lookup is. */
  readonly state: LedgerState;
  /** event_id of the LookupRequested. */
  readonly requestEventId: string;
  /** Digest of the request. */
  readonly requestSha256: string;
  /** Offset of the accepted request. Unsigned, and not compared. */
  readonly requestOffset: number;
  /** The JSON text that the model was shown; null unless READY. */
  readonly agentView: string | null;
  /** SHA-256 of that text, hex. */
  readonly agentViewSha256: string | null;
  /** The blocks behind the view, untruncated. */
  readonly blocks: readonly Block[];
  /** What post-processing dropped. */
  readonly dropped: readonly Dropped[];
  /** What the view leaves out. */
  readonly cuts: readonly Cut[];
  /** Why there is no evidence. */
  readonly noEvidenceBasis: string | null;
  /** Set when FAILED. */
  readonly failure: Failure | null;
  /** When the evidence can no longer be cited. Epoch milliseconds. */
  readonly expiresAt: number;
  /** The writing station's signature. */
  readonly signature: Signature;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** An agent asks the knowledge base one question. */
export interface LookupRequested {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The lookup inside the run. */
  readonly toolCallId: string;
  /** The tool that the model called: lookup_knowledge. */
  readonly toolName: string;
  /** The question. */
  readonly query: string;
  /** hybrid or semantic. */
  readonly mode: string;
  /** A JSON object of filters for retrieval. */
  readonly filtersJson: string;
  /** How many hits to ask for. */
  readonly topK: number;
  /** How long the evidence may be cited, in milliseconds; null is 24 hours. */
  readonly ttlMs: number | null;
  /** Whether the caller wants the retrieval trace. */
  readonly includeTrace: boolean;
  /** SHA-256 of the RFC 8785 JSON of {tool_name, query, mode, filters, top_k}, hex. */
  readonly requestSha256: string;
  /** What the run may spend. */
  readonly limits: Limits | null;
  /** The caller's query plan, for the trace. */
  readonly queryPlanJson: string | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** What became of the lookup on its way: found or not, failed, asked before, or refused. */
export type Outcome = 'HITS' | 'FAILURE' | 'REPEAT' | 'REFUSED';

/** The governed evidence of one lookup. */
export interface PostprocessedEvidence {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The lookup inside the run. */
  readonly toolCallId: string;
  /** The tool that the model called: lookup_knowledge. */
  readonly toolName: string;
  /** What became of the lookup. */
  readonly outcome: Outcome;
  /** event_id of the LookupRequested. */
  readonly requestEventId: string;
  /** Digest of the request. */
  readonly requestSha256: string;
  /** Offset of the accepted request in lookup-requested. */
  readonly requestOffset: number;
  /** When the evidence expires. Epoch milliseconds. */
  readonly expiresAt: number;
  /** The LookupResult as a JSON string: the internal truth behind the frozen contract. */
  readonly lookupResult: string | null;
  /** Set when the outcome is FAILURE or REFUSED. */
  readonly failure: Failure | null;
}

/** READY has an agent view; FAILED and REFUSED have a failure. */
export type ProjectionState = 'READY' | 'FAILED' | 'REFUSED';

/** What the answer adds to what the run was shown before. */
export type Gain = 'NEW' | 'UNCHANGED' | 'NONE';

/** The answer to one lookup: what the agent is given. */
export interface ProjectedEvidence {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The lookup inside the run. */
  readonly toolCallId: string;
  /** The tool that the model called: lookup_knowledge. */
  readonly toolName: string;
  /** event_id of the LookupRequested that is answered. */
  readonly requestEventId: string;
  /** Whether there is a view. */
  readonly state: ProjectionState;
  /** The JSON text for the model, byte for byte as the ledger has it. */
  readonly agentView: string | null;
  /** SHA-256 of that text, hex. */
  readonly agentViewSha256: string | null;
  /** What the view leaves out. */
  readonly cuts: readonly Cut[];
  /** Why there is no evidence: retrieval's word, all_dropped or byte_budget. */
  readonly noEvidenceBasis: string | null;
  /** What the answer adds; null on a repeat or without a view. */
  readonly gain: Gain | null;
  /** True when the lookup was answered before and this is the same answer again. */
  readonly repeat: boolean;
  /** Set when the state is FAILED or REFUSED. */
  readonly failure: Failure | null;
  /** When the evidence expires. */
  readonly expiresAt: number | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** One chunk that retrieval returned. */
export interface Hit {
  /** Identity of the chunk: docId#chunk-N. */
  readonly evidenceKey: string;
  /** The document that the chunk belongs to. */
  readonly documentId: string;
  /** N of a final #chunk-N in the evidence key. */
  readonly chunkIndex: number | null;
  /** The text of the chunk. */
  readonly content: string;
  /** Retrieval's score; its meaning is score_label's. */
  readonly score: number | null;
  /** Kind of the score: rerank is an absolute quality from 0 to 1. */
  readonly scoreLabel: string | null;
  /** Place in retrieval's answer, from 1. The only thing that orders hits. */
  readonly originalRank: number | null;
  /** Which retrieval attempt found it. */
  readonly attempt: string | null;
  /** Where the document comes from: a path or a name. */
  readonly source: string | null;
  /** Title of the document. */
  readonly title: string | null;
  /** Headings from the document down to the chunk, joined by " > ". */
  readonly breadcrumb: string | null;
  /** Where the document can be opened. */
  readonly sourceUri: string | null;
  /** Page of the chunk, from 1. */
  readonly pageNumber: number | null;
  /** Title of the section that the chunk lies in. */
  readonly sectionTitle: string | null;
}

/** What retrieval answered. */
export interface RawHits {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The lookup inside the run. */
  readonly toolCallId: string;
  /** The tool that the model called: lookup_knowledge. */
  readonly toolName: string;
  /** What became of the lookup. */
  readonly outcome: Outcome;
  /** event_id of the LookupRequested. */
  readonly requestEventId: string;
  /** Digest of the request. */
  readonly requestSha256: string;
  /** Offset of the accepted request in lookup-requested. */
  readonly requestOffset: number;
  /** When the evidence expires. Epoch milliseconds. */
  readonly expiresAt: number;
  /** The question. */
  readonly query: string;
  /** hybrid or semantic. */
  readonly mode: string;
  /** The filters. */
  readonly filtersJson: string;
  /** How many were asked for. */
  readonly topK: number;
  /** The hits in retrieval's order. */
  readonly hits: readonly Hit[];
  /** Retrieval's own trace, as JSON. */
  readonly retrievalTraceJson: string;
  /** Set when the outcome is FAILURE or REFUSED. */
  readonly failure: Failure | null;
}

/** One thing to mend. */
export interface RepairFinding {
  /** GUARD, REVIEW or PERSON. */
  readonly source: string;
  /** What is wrong. */
  readonly code: string;
  /** JSON pointer into the draft. */
  readonly path: string;
  /** What is wrong, in words. */
  readonly message: string;
  /** More about it, as JSON. */
  readonly detailJson: string;
}

/** The agent is told what is wrong with its draft. */
export interface RepairRequested {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The draft. */
  readonly draftId: string;
  /** Its number in the run. */
  readonly attempt: number;
  /** How many more drafts are judged. */
  readonly attemptsLeft: number;
  /** At most 50. */
  readonly findings: readonly RepairFinding[];
  /** How many findings are not listed. */
  readonly more: number;
  /** The repair prompt in Chinese. */
  readonly promptZh: string;
  /** The repair prompt in English. */
  readonly promptEn: string;
  /** When the run must have an outcome. */
  readonly deadline: number | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** What the person says. */
export type PersonDecision = 'APPROVE' | 'REJECT';

/** A person decides about a held draft. */
export interface ReviewDecision {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The draft. */
  readonly draftId: string;
  /** The verdict decided about. */
  readonly verdictEventId: string;
  /** The decision. */
  readonly decision: PersonDecision;
  /** Who decides. */
  readonly by: string;
  /** Why. */
  readonly reason: string;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** How far the evidence carries what is said. */
export type ReviewStatus = 'SUPPORTED' | 'OVERSTATED' | 'UNSUPPORTED' | 'ABSTAINED' | 'NOT_EVALUATED';

/** A stretch of an excerpt in UTF-16 units, end exclusive. */
export interface Place {
  /** First unit. */
  readonly start: number;
  /** One past the last. */
  readonly end: number;
}

/** A stretch of shown evidence. */
export interface EvidenceSpan {
  /** The lookup. */
  readonly toolCallId: string;
  /** The item. */
  readonly documentId: string;
  /** First UTF-16 unit of the excerpt. */
  readonly start: number;
  /** One past the last. */
  readonly end: number;
}

/** Who decided. */
export type DecidedBy = 'RULES' | 'JUDGE' | 'PERSON';

/** What a reviewer says of one text of the draft. */
export interface Finding {
  /** JSON pointer of the text. */
  readonly path: string;
  /** The finding. */
  readonly status: ReviewStatus;
  /** Why: a code, and words for a person. */
  readonly reason: string;
  /** The words concerned, in the draft's text. */
  readonly draftSpan: Place | null;
  /** The evidence that they were held against. */
  readonly evidenceSpans: readonly EvidenceSpan[];
  /** Who says so. */
  readonly decidedBy: DecidedBy;
}

/** What becomes of the draft. */
export type ReviewOutcome = 'PUBLISH' | 'REPAIR' | 'HOLD' | 'FALLBACK' | 'STALE';

/** A judge's scores from 0 to 1; null where it gave none. */
export interface JudgeScores {
  /** Faithful to the evidence. */
  readonly faithfulness: number | null;
  /** Evidence fits the question. */
  readonly contextRelevance: number | null;
  /** Answer fits the question. */
  readonly answerRelevance: number | null;
}

/** The judge that was asked. */
export interface JudgeRef {
  /** Its model. */
  readonly model: string;
  /** SHA-256 of its prompt, hex. */
  readonly promptSha256: string;
  /** What it scored. */
  readonly scores: JudgeScores;
}

/** The person who decided. */
export interface PersonRef {
  /** Name, as given. */
  readonly by: string;
  /** Why, as given. */
  readonly reason: string;
}

/** What review decided about a verdict. */
export interface Reviewed {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The draft. */
  readonly draftId: string;
  /** Its number in the run. */
  readonly attempt: number;
  /** The verdict that was reviewed. */
  readonly verdictEventId: string;
  /** The review's finding; null where nothing was reviewed. */
  readonly status: ReviewStatus | null;
  /** The findings, text by text. */
  readonly findings: readonly Finding[];
  /** What becomes of the draft. */
  readonly decision: ReviewOutcome;
  /** Who decided. */
  readonly decidedBy: DecidedBy;
  /** The judge that was asked. */
  readonly judge: JudgeRef | null;
  /** The person who decided. */
  readonly person: PersonRef | null;
  /** A code of the error table that explains the decision: PL_REPEAT_CONFLICT, PL_VERDICT_TOO_LARGE, …. */
  readonly code: string | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** A draft that was judged. */
export interface JudgedDraft {
  /** The draft. */
  readonly draftId: string;
  /** Digest of its text; null when given up. */
  readonly draftSha256: string | null;
  /** Its first verdict. */
  readonly verdictEventId: string;
  /** Its number in the run; 0 where it was judged before this was kept. */
  readonly attempt: number;
  /** Whether a person's decision about it was answered. */
  readonly decided: boolean;
}

/** VERIFIED: the draft was proven. FALLBACK: the fixed text that says that none could be. */
export type VerifiedOutcome = 'VERIFIED' | 'FALLBACK';

/** ABANDONED: the run was given up. */
export type VerdictStatus = 'PASSED' | 'REJECTED' | 'ABANDONED';

/** One rule that the draft breaks. */
export interface Violation {
  /** The violation's code, of core-20 or quotes-1. */
  readonly code: string;
  /** JSON pointer into the draft. */
  readonly path: string;
  /** What is wrong, for a person; at most 500 characters. */
  readonly message: string;
  /** More about it as JSON; at most 500 characters. */
  readonly detailJson: string;
}

/** A cited lookup as the ledger has it, never as the model tells it. */
export interface LookupSnapshot {
  /** The lookup. */
  readonly toolCallId: string;
  /** The question as shown. */
  readonly query: string;
  /** As shown. */
  readonly evidenceStatus: EvidenceStatus;
  /** As shown. */
  readonly relevanceLevel: RelevanceLevel | null;
  /** Whether the view leaves anything out. */
  readonly truncated: boolean;
  /** What it leaves out. */
  readonly cuts: readonly Cut[];
  /** Why there is no evidence: retrieval's word, all_dropped or byte_budget. */
  readonly noEvidenceBasis: string | null;
  /** SHA-256 of the view's text, hex. */
  readonly agentViewSha256: string;
  /** The items shown. */
  readonly items: readonly EvidenceItem[];
}

/** An item that the model was shown. */
export interface ShownItem {
  /** Its identity. */
  readonly documentId: string;
  /** Its title. */
  readonly title: string | null;
}

/** What a cited lookup showed, whatever the verdict. */
export interface ShownLookup {
  /** The lookup. */
  readonly toolCallId: string;
  /** As shown. */
  readonly evidenceStatus: EvidenceStatus;
  /** As shown. */
  readonly truncated: boolean;
  /** The items shown. */
  readonly items: readonly ShownItem[];
}

/** An item within reach of an analysis. */
export interface AnalysisCitation {
  /** The lookup that showed it. */
  readonly toolCallId: string;
  /** Its identity. */
  readonly documentId: string;
  /** Whether the analysis names it. */
  readonly cited: boolean;
}

/** Which items an analysis could cite, and which it does. */
export interface AnalysisCitations {
  /** The analysis. */
  readonly id: string;
  /** The items. */
  readonly citations: readonly AnalysisCitation[];
}

/** Where a quote stands in what was shown. */
export interface QuoteOutcome {
  /** JSON pointer of the quote. */
  readonly path: string;
  /** EXACT, FOLDED or ELIDED; null where it was not found. */
  readonly rung: string | null;
  /** The lookup that showed it. */
  readonly toolCallId: string | null;
  /** The document quoted. */
  readonly documentId: string;
  /** First UTF-16 unit in the excerpt. */
  readonly start: number | null;
  /** One past the last. */
  readonly end: number | null;
  /** SHA-256 of the excerpt, hex. */
  readonly excerptSha256: string | null;
  /** It stands in more than one place. */
  readonly ambiguous: boolean;
  /** A negation stands right before it. */
  readonly afterNegation: boolean;
  /** Up to 16 places. */
  readonly places: readonly Place[];
}

/** State of the entry that was read; UNREADABLE where it could not be decoded. */
export type ReadState = 'PENDING' | 'READY' | 'FAILED' | 'UNREADABLE';

/** What became of the signature. */
export type SignatureCheck = 'VALID' | 'INVALID' | 'ABSENT';

/** What the guard read of the ledger for one cited call, so that the verdict can be replayed. */
export interface LedgerRead {
  /** The cited call. */
  readonly toolCallId: string;
  /** The run whose entry was found; null where none was. */
  readonly foundRunId: string | null;
  /** Its state. */
  readonly state: ReadState | null;
  /** Digest of its view. */
  readonly agentViewSha256: string | null;
  /** When it expires; null never. */
  readonly expiresAt: number | null;
  /** Whether its signature holds. */
  readonly signatureCheck: SignatureCheck;
  /** Ledger partition that was read. */
  readonly partition: number;
  /** Position of the view at the read. */
  readonly offset: number | null;
}

/** What the guard says of a draft. */
export interface GuardVerdict {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The draft judged. */
  readonly draftId: string;
  /** Its number in the run, from 1. */
  readonly attempt: number;
  /** The rule sets that were applied. */
  readonly ruleSets: readonly string[];
  /** The verdict. */
  readonly status: VerdictStatus;
  /** SHA-256 of the draft's text as it came, hex; null when given up. */
  readonly draftSha256: string | null;
  /** The draft, parsed and written anew; null when malformed. */
  readonly draft: Draft | null;
  /** The first 1,000, in order. */
  readonly violations: readonly Violation[];
  /** How many there are in all. */
  readonly violationCount: number;
  /** The evidence snapshot; of a PASSED draft only. */
  readonly lookups: readonly LookupSnapshot[];
  /** What every cited lookup that could be read showed. */
  readonly shown: readonly ShownLookup[];
  /** Which items each analysis cites. */
  readonly analyses: readonly AnalysisCitations[];
  /** Where each quote stands. */
  readonly quotes: readonly QuoteOutcome[];
  /** What was read of the ledger. */
  readonly read: readonly LedgerRead[];
  /** The draft's. */
  readonly prompt: PromptRef | null;
  /** The draft's. */
  readonly generation: Generation | null;
  /** The draft's. */
  readonly limits: Limits | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** A draft that waits for a person. */
export interface HeldDraft {
  /** Its verdict, whole. */
  readonly verdict: GuardVerdict;
  /** What review found. */
  readonly findings: readonly Finding[];
  /** What review said; null where the draft was not reviewed. */
  readonly status: ReviewStatus | null;
  /** Why it is held, where its status does not say it. */
  readonly code: string | null;
  /** The judge that was asked; null without one. */
  readonly judge: JudgeRef | null;
}

/** How far review is with a run. */
export interface RunOutcome {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The drafts judged, first verdict each. */
  readonly judged: readonly JudgedDraft[];
  /** The highest attempt judged. */
  readonly lastAttempt: number;
  /** Distinct drafts that counted. */
  readonly attempts: number;
  /** The first limits that came. */
  readonly limits: Limits | null;
  /** The outcome, once there is one. */
  readonly outcome: VerifiedOutcome | null;
  /** Its VerifiedDraft. */
  readonly outcomeEventId: string | null;
  /** Set while a draft is held. */
  readonly held: HeldDraft | null;
}

/** No more lookups. */
export interface StopRequired {
  /** Why: MAX_LOOKUPS, MAX_TOKENS, NO_GAIN or DEADLINE. */
  readonly reason: string;
  /** Since when. Epoch milliseconds. */
  readonly since: number;
}

/** What a run has spent so far. */
export interface RunState {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** Lookups answered. */
  readonly lookups: number;
  /** Tokens spent. */
  readonly tokens: number;
  /** When the run must have an outcome. */
  readonly deadline: number | null;
  /** Limit of lookups. */
  readonly maxLookups: number | null;
  /** Limit of tokens. */
  readonly maxTokens: number | null;
  /** Limit of drafts. */
  readonly maxAttempts: number | null;
  /** SHA-256 of each item shown, with its identity, hex. */
  readonly shownDigests: readonly string[];
  /** Gain of each answer, oldest first. */
  readonly gainHistory: readonly Gain[];
  /** The highest attempt seen. */
  readonly lastAttempt: number;
  /** The last events that were counted, oldest first: what comes again is not counted again. */
  readonly countedEventIds: readonly string[];
  /** Whether the run has had an outcome. */
  readonly hasOutcome: boolean;
  /** Whether a draft waits for a person. */
  readonly isHeld: boolean;
  /** The deadline at which the run was given up. */
  readonly givenUp: number | null;
  /** Set when the run must hand in its report. */
  readonly stopRequired: StopRequired | null;
}

/** Wall-clock times of the work; a replay differs in them alone. */
export interface Measured {
  /** When it began. Epoch milliseconds. */
  readonly startedAt: number;
  /** When it ended. Epoch milliseconds. */
  readonly finishedAt: number;
}

/** What a station did with one message: the audit. */
export interface ToolInvocation {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** The station. */
  readonly station: string;
  /** Its version. */
  readonly version: string;
  /** What was done: RETRIEVE, POSTPROCESS, PROJECT, GUARD, REVIEW, …. */
  readonly kind: string;
  /** The lookup concerned. */
  readonly toolCallId: string | null;
  /** The tool called. */
  readonly toolName: string | null;
  /** The draft concerned. */
  readonly draftId: string | null;
  /** What came of it. */
  readonly outcome: string;
  /** A code of the error table. */
  readonly code: string | null;
  /** The question. */
  readonly query: string | null;
  /** Of the agent view. */
  readonly evidenceStatus: EvidenceStatus | null;
  /** Of the evidence. */
  readonly relevanceLevel: RelevanceLevel | null;
  /** Quality of the first block. */
  readonly topSimilarity: number | null;
  /** No block of reference grade. */
  readonly isLowQuality: boolean | null;
  /** How many came in. */
  readonly countIn: number;
  /** How many went out. */
  readonly countOut: number;
  /** What was dropped, and why. */
  readonly dropped: readonly Dropped[];
  /** What was cut. */
  readonly cuts: readonly Cut[];
  /** Retrieval's own trace. */
  readonly retrievalTraceJson: string | null;
  /** Codes of the violations found. */
  readonly violationCodes: readonly string[];
  /** Further key fields as a JSON object, without evidence text. */
  readonly factsJson: string;
  /** When the work was done. */
  readonly measured: Measured;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** The fixed text in place of a report. */
export interface Fallback {
  /** Why there is no verified draft: ATTEMPTS, DEADLINE, BUDGET or AGENT. */
  readonly reason: string;
  /** The text in Chinese. */
  readonly zh: string;
  /** The text in English. */
  readonly en: string;
}

/** A run's outcome: publish it without checking again. */
export interface VerifiedDraft {
  /** 32 hex digits, derived from what the event says, so that a replay makes the same id. */
  readonly eventId: string;
  /** Id of the event that this one follows from; null for a first one. */
  readonly causedBy: string | null;
  /** The run that the event belongs to; also the key that picks the partition. */
  readonly runId: string;
  /** Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's. Epoch milliseconds. */
  readonly occurredAt: number;
  /** Whether a draft was verified. */
  readonly outcome: VerifiedOutcome;
  /** The draft. */
  readonly draftId: string | null;
  /** Its number in the run. */
  readonly attempt: number | null;
  /** The draft, written anew. */
  readonly draft: Draft | null;
  /** The evidence snapshot. */
  readonly lookups: readonly LookupSnapshot[];
  /** Which items each analysis cites. */
  readonly analyses: readonly AnalysisCitations[];
  /** Where each quote stands. */
  readonly quotes: readonly QuoteOutcome[];
  /** What review found. */
  readonly findings: readonly Finding[];
  /** The verdict behind it. */
  readonly verdictEventId: string | null;
  /** Who decided. */
  readonly decidedBy: DecidedBy;
  /** The judge that was asked. */
  readonly judge: JudgeRef | null;
  /** The person who decided. */
  readonly person: PersonRef | null;
  /** Set when the outcome is FALLBACK. */
  readonly fallback: Fallback | null;
  /** event_id of the FALLBACK that this draft replaces. */
  readonly replaces: string | null;
  /** The draft's. */
  readonly prompt: PromptRef | null;
  /** What nobody foresaw; empty by default. Readers ignore keys they do not know. */
  readonly ext: Readonly<Record<string, string>>;
}

/** Every schema by the name of its file, as it stands in schemas/. */
// prettier-ignore
export const avroSchemas = {
  'agent-view.v1': {"type":"record","name":"AgentView","namespace":"dev.proofline.v1","doc":"What the model is given for one lookup: exactly these fields, in this order.","fields":[{"name":"evidence_status","type":{"type":"enum","name":"EvidenceStatus","doc":"Whether the view shows any evidence; decided by its list alone.","symbols":["EVIDENCE_FOUND","NO_EVIDENCE"]},"doc":"EVIDENCE_FOUND when there is an item, else NO_EVIDENCE."},{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"query","type":"string","doc":"The question, at most 500 characters."},{"name":"evidence","type":{"type":"array","items":{"type":"record","name":"EvidenceItem","doc":"One item of an agent view, re-read from the ledger.","fields":[{"name":"document_id","type":"string","doc":"Its identity, as shown."},{"name":"source","type":["null","string"],"doc":"As shown."},{"name":"title","type":["null","string"],"doc":"As shown."},{"name":"breadcrumb","type":["null","string"],"doc":"As shown."},{"name":"excerpt","type":"string","doc":"As shown."}]}},"doc":"The items, best first."},{"name":"returned_count","type":"int","doc":"How many items there are."},{"name":"relevance_level","type":["null",{"type":"enum","name":"RelevanceLevel","doc":"Grade of the best evidence: PRECISE may conclude, REFERENCE may not by itself.","symbols":["PRECISE","REFERENCE"]}],"doc":"Grade of the best evidence."},{"name":"truncated","type":"boolean","doc":"True when anything was left out."}]},
  'dead-letter-done.v1': {"type":"record","name":"DeadLetterDone","namespace":"dev.proofline.v1","doc":"A dead letter was replayed.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"dead_letter_event_id","type":"string","doc":"The dead letter."},{"name":"replayed_by","type":"string","doc":"Who replayed it."},{"name":"to","type":{"type":"record","name":"Target","doc":"Where it went.","fields":[{"name":"topic","type":"string","doc":"The topic."},{"name":"partition","type":"int","doc":"The partition."}]},"doc":"Where it was sent."}]},
  'dead-letter.v1': {"type":"record","name":"DeadLetter","namespace":"dev.proofline.v1","doc":"A record that could not be processed, whole.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"origin","type":{"type":"record","name":"Origin","doc":"Where the record lies.","fields":[{"name":"topic","type":"string","doc":"Its topic."},{"name":"partition","type":"int","doc":"Its partition."},{"name":"offset","type":"long","doc":"Its offset."}]},"doc":"Where it came from."},{"name":"key","type":["null","bytes"],"doc":"Its key.","default":null},{"name":"value","type":["null","bytes"],"doc":"Its value.","default":null},{"name":"headers","type":{"type":"array","items":{"type":"record","name":"Header","doc":"One header.","fields":[{"name":"key","type":"string","doc":"Name."},{"name":"value","type":["null","bytes"],"doc":"Value.","default":null}]}},"doc":"Its headers.","default":[]},{"name":"station","type":"string","doc":"The station that gave it up."},{"name":"code","type":"string","doc":"Why: a code of the error table."},{"name":"message","type":"string","doc":"Why, in words."},{"name":"attempt","type":"int","doc":"1 for the first time; one more each time a replay fails again."}]},
  'draft-submitted.v1': {"type":"record","name":"DraftSubmitted","namespace":"dev.proofline.v1","doc":"A draft is handed in, or the run is given up.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"draft_id","type":"string","doc":"The draft."},{"name":"attempt","type":"int","doc":"Its number in the run, from 1."},{"name":"draft_json","type":["null","string"],"doc":"The draft's text, as the model wrote it.","default":null},{"name":"given_up","type":["null",{"type":"enum","name":"GivenUp","doc":"Why the run was given up, and by whom: the harness or the agent.","symbols":["DEADLINE","BUDGET","AGENT"]}],"doc":"Set instead of a draft.","default":null},{"name":"prompt","type":["null",{"type":"record","name":"PromptRef","doc":"The prompt that the model was given.","fields":[{"name":"id","type":"string","doc":"Name of the prompt."},{"name":"version","type":"string","doc":"Its version."},{"name":"sha256","type":"string","doc":"SHA-256 of its text, hex."}]}],"doc":"The prompt that the model was given.","default":null},{"name":"generation","type":["null",{"type":"record","name":"Generation","doc":"What producing the draft took, as its caller reports it.","fields":[{"name":"provider","type":["null","string"],"doc":"Who ran the model.","default":null},{"name":"model","type":["null","string"],"doc":"Which model.","default":null},{"name":"request_id","type":["null","string"],"doc":"The provider's id of the request.","default":null},{"name":"input_tokens","type":["null","int"],"doc":"Tokens read.","default":null},{"name":"output_tokens","type":["null","int"],"doc":"Tokens written.","default":null},{"name":"total_tokens","type":["null","int"],"doc":"Tokens in all.","default":null},{"name":"cost","type":["null","string"],"doc":"Cost as a decimal string; prices are the caller's.","default":null},{"name":"currency","type":["null","string"],"doc":"ISO 4217 code of the cost.","default":null}]}],"doc":"What producing it took.","default":null},{"name":"limits","type":["null",{"type":"record","name":"Limits","doc":"What a run may spend. Every limit is optional; the first that came count.","fields":[{"name":"deadline","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the run must have an outcome.","default":null},{"name":"max_lookups","type":["null","int"],"doc":"How many lookups are answered at most.","default":null},{"name":"max_tokens","type":["null","int"],"doc":"How many tokens views and generation may take together.","default":null},{"name":"max_attempts","type":["null","int"],"doc":"How many distinct drafts are judged before the run falls back.","default":null}]}],"doc":"The run's limits, repeated.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'draft.v1': {"type":"record","name":"Draft","namespace":"dev.proofline.v1","doc":"The model's structured report, parsed and written anew.","fields":[{"name":"analysis","type":{"type":"array","items":{"type":"record","name":"Analysis","doc":"One step of the report, resting on lookups.","fields":[{"name":"id","type":"string","doc":"Name of the analysis inside the draft."},{"name":"kind","type":{"type":"enum","name":"AnalysisKind","doc":"NORMAL rests on evidence that was found, NEGATIVE_OBSERVATION on the fact that there was none.","symbols":["NORMAL","NEGATIVE_OBSERVATION"]},"doc":"What kind of step it is."},{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"tool_call_ids","type":{"type":"array","items":"string"},"doc":"The lookups that it rests on.","default":[]},{"name":"document_ids","type":{"type":"array","items":"string"},"doc":"The shown documents that it cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"Quote","doc":"Words that the draft quotes from a shown document.","fields":[{"name":"document_id","type":"string","doc":"The document quoted, as shown."},{"name":"text","type":"string","doc":"The quoted words."},{"name":"prefix","type":["null","string"],"doc":"Words right before them, to tell places apart.","default":null},{"name":"suffix","type":["null","string"],"doc":"Words right after them.","default":null}]}},"doc":"Words quoted from them.","default":[]}]}},"doc":"The steps of the report."},{"name":"conclusion","type":["null",{"type":"record","name":"Statement","doc":"A conclusion or an action, resting on analyses.","fields":[{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"based_on_analysis_ids","type":{"type":"array","items":"string"},"doc":"The analyses that it rests on.","default":[]}]}],"doc":"The conclusion; null where the evidence was not enough.","default":null},{"name":"action_plan","type":{"type":"array","items":"Statement"},"doc":"What should be done."},{"name":"limitations","type":{"type":"array","items":"string"},"doc":"What the report does not know.","default":[]}]},
  'ledger.v1': {"type":"record","name":"LedgerEntry","namespace":"dev.proofline.v1","doc":"The record of one lookup: what the model was shown.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"tool_call_id","type":"string","doc":"The lookup inside the run."},{"name":"tool_name","type":"string","doc":"The tool that the model called: lookup_knowledge."},{"name":"state","type":{"type":"enum","name":"LedgerState","doc":"PENDING: accepted. READY: the agent view is frozen. FAILED: for good.","symbols":["PENDING","READY","FAILED"]},"doc":"How far the lookup is."},{"name":"request_event_id","type":"string","doc":"event_id of the LookupRequested."},{"name":"request_sha256","type":"string","doc":"Digest of the request."},{"name":"request_offset","type":"long","doc":"Offset of the accepted request. Unsigned, and not compared."},{"name":"agent_view","type":["null","string"],"doc":"The JSON text that the model was shown; null unless READY.","default":null},{"name":"agent_view_sha256","type":["null","string"],"doc":"SHA-256 of that text, hex.","default":null},{"name":"blocks","type":{"type":"array","items":{"type":"record","name":"Block","doc":"A governed block, whole: what the agent view may have cut.","fields":[{"name":"document_id","type":"string","doc":"The identity that the agent view shows."},{"name":"content","type":"string","doc":"The text before any cut."}]}},"doc":"The blocks behind the view, untruncated.","default":[]},{"name":"dropped","type":{"type":"array","items":{"type":"record","name":"Dropped","doc":"A hit that did not become evidence, and why.","fields":[{"name":"evidence_key","type":"string","doc":"Identity of the chunk."},{"name":"document_id","type":"string","doc":"Its document."},{"name":"original_rank","type":["null","int"],"doc":"Its place in retrieval's answer.","default":null},{"name":"reason","type":"string","doc":"BLANK, DUPLICATE, KEY_COLLISION, DOC_CAP or TOTAL_CAP."}]}},"doc":"What post-processing dropped.","default":[]},{"name":"cuts","type":{"type":"array","items":{"type":"record","name":"Cut","doc":"One thing that the agent view leaves out of what was found.","fields":[{"name":"code","type":"string","doc":"QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET."},{"name":"document_id","type":["null","string"],"doc":"The identity of the item concerned; null for QUERY_CUT.","default":null}]}},"doc":"What the view leaves out.","default":[]},{"name":"no_evidence_basis","type":["null","string"],"doc":"Why there is no evidence.","default":null},{"name":"failure","type":["null",{"type":"record","name":"Failure","doc":"Why a lookup has no evidence to show: it failed, or it was refused.","fields":[{"name":"code","type":"string","doc":"A code of the error table, PL_…."},{"name":"message","type":"string","doc":"The English text, for a person."},{"name":"retryable","type":"boolean","doc":"True where a new lookup may succeed."}]}],"doc":"Set when FAILED.","default":null},{"name":"expires_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the evidence can no longer be cited."},{"name":"signature","type":{"type":"record","name":"Signature","doc":"Ed25519 signature of the entry by the station that wrote it.","fields":[{"name":"key_id","type":"string","doc":"First 16 hex digits of the SHA-256 of the raw public key."},{"name":"value","type":"string","doc":"The signature, base64url."}]},"doc":"The writing station's signature."},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'lookup-requested.v1': {"type":"record","name":"LookupRequested","namespace":"dev.proofline.v1","doc":"An agent asks the knowledge base one question.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"tool_call_id","type":"string","doc":"The lookup inside the run."},{"name":"tool_name","type":"string","doc":"The tool that the model called: lookup_knowledge."},{"name":"query","type":"string","doc":"The question."},{"name":"mode","type":"string","doc":"hybrid or semantic."},{"name":"filters_json","type":"string","doc":"A JSON object of filters for retrieval."},{"name":"top_k","type":"int","doc":"How many hits to ask for."},{"name":"ttl_ms","type":["null","long"],"doc":"How long the evidence may be cited, in milliseconds; null is 24 hours.","default":null},{"name":"include_trace","type":"boolean","doc":"Whether the caller wants the retrieval trace."},{"name":"request_sha256","type":"string","doc":"SHA-256 of the RFC 8785 JSON of {tool_name, query, mode, filters, top_k}, hex."},{"name":"limits","type":["null",{"type":"record","name":"Limits","doc":"What a run may spend. Every limit is optional; the first that came count.","fields":[{"name":"deadline","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the run must have an outcome.","default":null},{"name":"max_lookups","type":["null","int"],"doc":"How many lookups are answered at most.","default":null},{"name":"max_tokens","type":["null","int"],"doc":"How many tokens views and generation may take together.","default":null},{"name":"max_attempts","type":["null","int"],"doc":"How many distinct drafts are judged before the run falls back.","default":null}]}],"doc":"What the run may spend.","default":null},{"name":"query_plan_json","type":["null","string"],"doc":"The caller's query plan, for the trace.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'postprocessed.v1': {"type":"record","name":"PostprocessedEvidence","namespace":"dev.proofline.v1","doc":"The governed evidence of one lookup.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"tool_call_id","type":"string","doc":"The lookup inside the run."},{"name":"tool_name","type":"string","doc":"The tool that the model called: lookup_knowledge."},{"name":"outcome","type":{"type":"enum","name":"Outcome","doc":"What became of the lookup on its way: found or not, failed, asked before, or refused.","symbols":["HITS","FAILURE","REPEAT","REFUSED"]},"doc":"What became of the lookup."},{"name":"request_event_id","type":"string","doc":"event_id of the LookupRequested."},{"name":"request_sha256","type":"string","doc":"Digest of the request."},{"name":"request_offset","type":"long","doc":"Offset of the accepted request in lookup-requested."},{"name":"expires_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the evidence expires."},{"name":"lookup_result","type":["null","string"],"doc":"The LookupResult as a JSON string: the internal truth behind the frozen contract.","default":null},{"name":"failure","type":["null",{"type":"record","name":"Failure","doc":"Why a lookup has no evidence to show: it failed, or it was refused.","fields":[{"name":"code","type":"string","doc":"A code of the error table, PL_…."},{"name":"message","type":"string","doc":"The English text, for a person."},{"name":"retryable","type":"boolean","doc":"True where a new lookup may succeed."}]}],"doc":"Set when the outcome is FAILURE or REFUSED.","default":null}]},
  'projected.v1': {"type":"record","name":"ProjectedEvidence","namespace":"dev.proofline.v1","doc":"The answer to one lookup: what the agent is given.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"tool_call_id","type":"string","doc":"The lookup inside the run."},{"name":"tool_name","type":"string","doc":"The tool that the model called: lookup_knowledge."},{"name":"request_event_id","type":"string","doc":"event_id of the LookupRequested that is answered."},{"name":"state","type":{"type":"enum","name":"ProjectionState","doc":"READY has an agent view; FAILED and REFUSED have a failure.","symbols":["READY","FAILED","REFUSED"]},"doc":"Whether there is a view."},{"name":"agent_view","type":["null","string"],"doc":"The JSON text for the model, byte for byte as the ledger has it.","default":null},{"name":"agent_view_sha256","type":["null","string"],"doc":"SHA-256 of that text, hex.","default":null},{"name":"cuts","type":{"type":"array","items":{"type":"record","name":"Cut","doc":"One thing that the agent view leaves out of what was found.","fields":[{"name":"code","type":"string","doc":"QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET."},{"name":"document_id","type":["null","string"],"doc":"The identity of the item concerned; null for QUERY_CUT.","default":null}]}},"doc":"What the view leaves out.","default":[]},{"name":"no_evidence_basis","type":["null","string"],"doc":"Why there is no evidence: retrieval's word, all_dropped or byte_budget.","default":null},{"name":"gain","type":["null",{"type":"enum","name":"Gain","doc":"What the answer adds to what the run was shown before.","symbols":["NEW","UNCHANGED","NONE"]}],"doc":"What the answer adds; null on a repeat or without a view.","default":null},{"name":"repeat","type":"boolean","doc":"True when the lookup was answered before and this is the same answer again."},{"name":"failure","type":["null",{"type":"record","name":"Failure","doc":"Why a lookup has no evidence to show: it failed, or it was refused.","fields":[{"name":"code","type":"string","doc":"A code of the error table, PL_…."},{"name":"message","type":"string","doc":"The English text, for a person."},{"name":"retryable","type":"boolean","doc":"True where a new lookup may succeed."}]}],"doc":"Set when the state is FAILED or REFUSED.","default":null},{"name":"expires_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the evidence expires.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'raw-hits.v1': {"type":"record","name":"RawHits","namespace":"dev.proofline.v1","doc":"What retrieval answered.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"tool_call_id","type":"string","doc":"The lookup inside the run."},{"name":"tool_name","type":"string","doc":"The tool that the model called: lookup_knowledge."},{"name":"outcome","type":{"type":"enum","name":"Outcome","doc":"What became of the lookup on its way: found or not, failed, asked before, or refused.","symbols":["HITS","FAILURE","REPEAT","REFUSED"]},"doc":"What became of the lookup."},{"name":"request_event_id","type":"string","doc":"event_id of the LookupRequested."},{"name":"request_sha256","type":"string","doc":"Digest of the request."},{"name":"request_offset","type":"long","doc":"Offset of the accepted request in lookup-requested."},{"name":"expires_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the evidence expires."},{"name":"query","type":"string","doc":"The question."},{"name":"mode","type":"string","doc":"hybrid or semantic."},{"name":"filters_json","type":"string","doc":"The filters."},{"name":"top_k","type":"int","doc":"How many were asked for."},{"name":"hits","type":{"type":"array","items":{"type":"record","name":"Hit","doc":"One chunk that retrieval returned.","fields":[{"name":"evidence_key","type":"string","doc":"Identity of the chunk: docId#chunk-N."},{"name":"document_id","type":"string","doc":"The document that the chunk belongs to."},{"name":"chunk_index","type":["null","int"],"doc":"N of a final #chunk-N in the evidence key.","default":null},{"name":"content","type":"string","doc":"The text of the chunk."},{"name":"score","type":["null","double"],"doc":"Retrieval's score; its meaning is score_label's.","default":null},{"name":"score_label","type":["null","string"],"doc":"Kind of the score: rerank is an absolute quality from 0 to 1.","default":null},{"name":"original_rank","type":["null","int"],"doc":"Place in retrieval's answer, from 1. The only thing that orders hits.","default":null},{"name":"attempt","type":["null","string"],"doc":"Which retrieval attempt found it.","default":null},{"name":"source","type":["null","string"],"doc":"Where the document comes from: a path or a name.","default":null},{"name":"title","type":["null","string"],"doc":"Title of the document.","default":null},{"name":"breadcrumb","type":["null","string"],"doc":"Headings from the document down to the chunk, joined by \" > \".","default":null},{"name":"source_uri","type":["null","string"],"doc":"Where the document can be opened.","default":null},{"name":"page_number","type":["null","int"],"doc":"Page of the chunk, from 1.","default":null},{"name":"section_title","type":["null","string"],"doc":"Title of the section that the chunk lies in.","default":null}]}},"doc":"The hits in retrieval's order.","default":[]},{"name":"retrieval_trace_json","type":"string","doc":"Retrieval's own trace, as JSON."},{"name":"failure","type":["null",{"type":"record","name":"Failure","doc":"Why a lookup has no evidence to show: it failed, or it was refused.","fields":[{"name":"code","type":"string","doc":"A code of the error table, PL_…."},{"name":"message","type":"string","doc":"The English text, for a person."},{"name":"retryable","type":"boolean","doc":"True where a new lookup may succeed."}]}],"doc":"Set when the outcome is FAILURE or REFUSED.","default":null}]},
  'repair-requested.v1': {"type":"record","name":"RepairRequested","namespace":"dev.proofline.v1","doc":"The agent is told what is wrong with its draft.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"draft_id","type":"string","doc":"The draft."},{"name":"attempt","type":"int","doc":"Its number in the run."},{"name":"attempts_left","type":"int","doc":"How many more drafts are judged."},{"name":"findings","type":{"type":"array","items":{"type":"record","name":"RepairFinding","doc":"One thing to mend.","fields":[{"name":"source","type":"string","doc":"GUARD, REVIEW or PERSON."},{"name":"code","type":"string","doc":"What is wrong."},{"name":"path","type":"string","doc":"JSON pointer into the draft."},{"name":"message","type":"string","doc":"What is wrong, in words."},{"name":"detail_json","type":"string","doc":"More about it, as JSON."}]}},"doc":"At most 50.","default":[]},{"name":"more","type":"int","doc":"How many findings are not listed."},{"name":"prompt_zh","type":"string","doc":"The repair prompt in Chinese."},{"name":"prompt_en","type":"string","doc":"The repair prompt in English."},{"name":"deadline","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the run must have an outcome.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'review-decision.v1': {"type":"record","name":"ReviewDecision","namespace":"dev.proofline.v1","doc":"A person decides about a held draft.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"draft_id","type":"string","doc":"The draft."},{"name":"verdict_event_id","type":"string","doc":"The verdict decided about."},{"name":"decision","type":{"type":"enum","name":"PersonDecision","doc":"What the person says.","symbols":["APPROVE","REJECT"]},"doc":"The decision."},{"name":"by","type":"string","doc":"Who decides."},{"name":"reason","type":"string","doc":"Why."},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'reviewed.v1': {"type":"record","name":"Reviewed","namespace":"dev.proofline.v1","doc":"What review decided about a verdict.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"draft_id","type":"string","doc":"The draft."},{"name":"attempt","type":"int","doc":"Its number in the run."},{"name":"verdict_event_id","type":"string","doc":"The verdict that was reviewed."},{"name":"status","type":["null",{"type":"enum","name":"ReviewStatus","doc":"How far the evidence carries what is said.","symbols":["SUPPORTED","OVERSTATED","UNSUPPORTED","ABSTAINED","NOT_EVALUATED"]}],"doc":"The review's finding; null where nothing was reviewed.","default":null},{"name":"findings","type":{"type":"array","items":{"type":"record","name":"Finding","doc":"What a reviewer says of one text of the draft.","fields":[{"name":"path","type":"string","doc":"JSON pointer of the text."},{"name":"status","type":"ReviewStatus","doc":"The finding."},{"name":"reason","type":"string","doc":"Why: a code, and words for a person."},{"name":"draft_span","type":["null",{"type":"record","name":"Place","doc":"A stretch of an excerpt in UTF-16 units, end exclusive.","fields":[{"name":"start","type":"int","doc":"First unit."},{"name":"end","type":"int","doc":"One past the last."}]}],"doc":"The words concerned, in the draft's text.","default":null},{"name":"evidence_spans","type":{"type":"array","items":{"type":"record","name":"EvidenceSpan","doc":"A stretch of shown evidence.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"document_id","type":"string","doc":"The item."},{"name":"start","type":"int","doc":"First UTF-16 unit of the excerpt."},{"name":"end","type":"int","doc":"One past the last."}]}},"doc":"The evidence that they were held against.","default":[]},{"name":"decided_by","type":{"type":"enum","name":"DecidedBy","doc":"Who decided.","symbols":["RULES","JUDGE","PERSON"]},"doc":"Who says so."}]}},"doc":"The findings, text by text.","default":[]},{"name":"decision","type":{"type":"enum","name":"ReviewOutcome","doc":"What becomes of the draft.","symbols":["PUBLISH","REPAIR","HOLD","FALLBACK","STALE"]},"doc":"What becomes of the draft."},{"name":"decided_by","type":"DecidedBy","doc":"Who decided."},{"name":"judge","type":["null",{"type":"record","name":"JudgeRef","doc":"The judge that was asked.","fields":[{"name":"model","type":"string","doc":"Its model."},{"name":"prompt_sha256","type":"string","doc":"SHA-256 of its prompt, hex."},{"name":"scores","type":{"type":"record","name":"JudgeScores","doc":"A judge's scores from 0 to 1; null where it gave none.","fields":[{"name":"faithfulness","type":["null","double"],"doc":"Faithful to the evidence.","default":null},{"name":"context_relevance","type":["null","double"],"doc":"Evidence fits the question.","default":null},{"name":"answer_relevance","type":["null","double"],"doc":"Answer fits the question.","default":null}]},"doc":"What it scored."}]}],"doc":"The judge that was asked.","default":null},{"name":"person","type":["null",{"type":"record","name":"PersonRef","doc":"The person who decided.","fields":[{"name":"by","type":"string","doc":"Name, as given."},{"name":"reason","type":"string","doc":"Why, as given."}]}],"doc":"The person who decided.","default":null},{"name":"code","type":["null","string"],"doc":"A code of the error table that explains the decision: PL_REPEAT_CONFLICT, PL_VERDICT_TOO_LARGE, ….","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'run-outcome.v1': {"type":"record","name":"RunOutcome","namespace":"dev.proofline.v1","doc":"How far review is with a run.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"judged","type":{"type":"array","items":{"type":"record","name":"JudgedDraft","doc":"A draft that was judged.","fields":[{"name":"draft_id","type":"string","doc":"The draft."},{"name":"draft_sha256","type":["null","string"],"doc":"Digest of its text; null when given up.","default":null},{"name":"verdict_event_id","type":"string","doc":"Its first verdict."},{"name":"attempt","type":"int","doc":"Its number in the run; 0 where it was judged before this was kept.","default":0},{"name":"decided","type":"boolean","doc":"Whether a person's decision about it was answered.","default":false}]}},"doc":"The drafts judged, first verdict each.","default":[]},{"name":"last_attempt","type":"int","doc":"The highest attempt judged."},{"name":"attempts","type":"int","doc":"Distinct drafts that counted."},{"name":"limits","type":["null",{"type":"record","name":"Limits","doc":"What a run may spend. Every limit is optional; the first that came count.","fields":[{"name":"deadline","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the run must have an outcome.","default":null},{"name":"max_lookups","type":["null","int"],"doc":"How many lookups are answered at most.","default":null},{"name":"max_tokens","type":["null","int"],"doc":"How many tokens views and generation may take together.","default":null},{"name":"max_attempts","type":["null","int"],"doc":"How many distinct drafts are judged before the run falls back.","default":null}]}],"doc":"The first limits that came.","default":null},{"name":"outcome","type":["null",{"type":"enum","name":"VerifiedOutcome","doc":"VERIFIED: the draft was proven. FALLBACK: the fixed text that says that none could be.","symbols":["VERIFIED","FALLBACK"]}],"doc":"The outcome, once there is one.","default":null},{"name":"outcome_event_id","type":["null","string"],"doc":"Its VerifiedDraft.","default":null},{"name":"held","type":["null",{"type":"record","name":"HeldDraft","doc":"A draft that waits for a person.","fields":[{"name":"verdict","type":{"type":"record","name":"GuardVerdict","doc":"What the guard says of a draft.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"draft_id","type":"string","doc":"The draft judged."},{"name":"attempt","type":"int","doc":"Its number in the run, from 1."},{"name":"rule_sets","type":{"type":"array","items":"string"},"doc":"The rule sets that were applied.","default":[]},{"name":"status","type":{"type":"enum","name":"VerdictStatus","doc":"ABANDONED: the run was given up.","symbols":["PASSED","REJECTED","ABANDONED"]},"doc":"The verdict."},{"name":"draft_sha256","type":["null","string"],"doc":"SHA-256 of the draft's text as it came, hex; null when given up.","default":null},{"name":"draft","type":["null",{"type":"record","name":"Draft","doc":"The model's structured report, parsed and written anew.","fields":[{"name":"analysis","type":{"type":"array","items":{"type":"record","name":"Analysis","doc":"One step of the report, resting on lookups.","fields":[{"name":"id","type":"string","doc":"Name of the analysis inside the draft."},{"name":"kind","type":{"type":"enum","name":"AnalysisKind","doc":"NORMAL rests on evidence that was found, NEGATIVE_OBSERVATION on the fact that there was none.","symbols":["NORMAL","NEGATIVE_OBSERVATION"]},"doc":"What kind of step it is."},{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"tool_call_ids","type":{"type":"array","items":"string"},"doc":"The lookups that it rests on.","default":[]},{"name":"document_ids","type":{"type":"array","items":"string"},"doc":"The shown documents that it cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"Quote","doc":"Words that the draft quotes from a shown document.","fields":[{"name":"document_id","type":"string","doc":"The document quoted, as shown."},{"name":"text","type":"string","doc":"The quoted words."},{"name":"prefix","type":["null","string"],"doc":"Words right before them, to tell places apart.","default":null},{"name":"suffix","type":["null","string"],"doc":"Words right after them.","default":null}]}},"doc":"Words quoted from them.","default":[]}]}},"doc":"The steps of the report."},{"name":"conclusion","type":["null",{"type":"record","name":"Statement","doc":"A conclusion or an action, resting on analyses.","fields":[{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"based_on_analysis_ids","type":{"type":"array","items":"string"},"doc":"The analyses that it rests on.","default":[]}]}],"doc":"The conclusion; null where the evidence was not enough.","default":null},{"name":"action_plan","type":{"type":"array","items":"Statement"},"doc":"What should be done."},{"name":"limitations","type":{"type":"array","items":"string"},"doc":"What the report does not know.","default":[]}]}],"doc":"The draft, parsed and written anew; null when malformed.","default":null},{"name":"violations","type":{"type":"array","items":{"type":"record","name":"Violation","doc":"One rule that the draft breaks.","fields":[{"name":"code","type":"string","doc":"The violation's code, of core-20 or quotes-1."},{"name":"path","type":"string","doc":"JSON pointer into the draft."},{"name":"message","type":"string","doc":"What is wrong, for a person; at most 500 characters."},{"name":"detail_json","type":"string","doc":"More about it as JSON; at most 500 characters."}]}},"doc":"The first 1,000, in order.","default":[]},{"name":"violation_count","type":"int","doc":"How many there are in all."},{"name":"lookups","type":{"type":"array","items":{"type":"record","name":"LookupSnapshot","doc":"A cited lookup as the ledger has it, never as the model tells it.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"query","type":"string","doc":"The question as shown."},{"name":"evidence_status","type":{"type":"enum","name":"EvidenceStatus","doc":"Whether the view shows any evidence; decided by its list alone.","symbols":["EVIDENCE_FOUND","NO_EVIDENCE"]},"doc":"As shown."},{"name":"relevance_level","type":["null",{"type":"enum","name":"RelevanceLevel","doc":"Grade of the best evidence: PRECISE may conclude, REFERENCE may not by itself.","symbols":["PRECISE","REFERENCE"]}],"doc":"As shown.","default":null},{"name":"truncated","type":"boolean","doc":"Whether the view leaves anything out."},{"name":"cuts","type":{"type":"array","items":{"type":"record","name":"Cut","doc":"One thing that the agent view leaves out of what was found.","fields":[{"name":"code","type":"string","doc":"QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET."},{"name":"document_id","type":["null","string"],"doc":"The identity of the item concerned; null for QUERY_CUT.","default":null}]}},"doc":"What it leaves out.","default":[]},{"name":"no_evidence_basis","type":["null","string"],"doc":"Why there is no evidence: retrieval's word, all_dropped or byte_budget.","default":null},{"name":"agent_view_sha256","type":"string","doc":"SHA-256 of the view's text, hex."},{"name":"items","type":{"type":"array","items":{"type":"record","name":"EvidenceItem","doc":"One item of an agent view, re-read from the ledger.","fields":[{"name":"document_id","type":"string","doc":"Its identity, as shown."},{"name":"source","type":["null","string"],"doc":"As shown.","default":null},{"name":"title","type":["null","string"],"doc":"As shown.","default":null},{"name":"breadcrumb","type":["null","string"],"doc":"As shown.","default":null},{"name":"excerpt","type":"string","doc":"As shown."}]}},"doc":"The items shown.","default":[]}]}},"doc":"The evidence snapshot; of a PASSED draft only.","default":[]},{"name":"shown","type":{"type":"array","items":{"type":"record","name":"ShownLookup","doc":"What a cited lookup showed, whatever the verdict.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"evidence_status","type":"EvidenceStatus","doc":"As shown."},{"name":"truncated","type":"boolean","doc":"As shown."},{"name":"items","type":{"type":"array","items":{"type":"record","name":"ShownItem","doc":"An item that the model was shown.","fields":[{"name":"document_id","type":"string","doc":"Its identity."},{"name":"title","type":["null","string"],"doc":"Its title.","default":null}]}},"doc":"The items shown.","default":[]}]}},"doc":"What every cited lookup that could be read showed.","default":[]},{"name":"analyses","type":{"type":"array","items":{"type":"record","name":"AnalysisCitations","doc":"Which items an analysis could cite, and which it does.","fields":[{"name":"id","type":"string","doc":"The analysis."},{"name":"citations","type":{"type":"array","items":{"type":"record","name":"AnalysisCitation","doc":"An item within reach of an analysis.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup that showed it."},{"name":"document_id","type":"string","doc":"Its identity."},{"name":"cited","type":"boolean","doc":"Whether the analysis names it."}]}},"doc":"The items.","default":[]}]}},"doc":"Which items each analysis cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"QuoteOutcome","doc":"Where a quote stands in what was shown.","fields":[{"name":"path","type":"string","doc":"JSON pointer of the quote."},{"name":"rung","type":["null","string"],"doc":"EXACT, FOLDED or ELIDED; null where it was not found.","default":null},{"name":"tool_call_id","type":["null","string"],"doc":"The lookup that showed it.","default":null},{"name":"document_id","type":"string","doc":"The document quoted."},{"name":"start","type":["null","int"],"doc":"First UTF-16 unit in the excerpt.","default":null},{"name":"end","type":["null","int"],"doc":"One past the last.","default":null},{"name":"excerpt_sha256","type":["null","string"],"doc":"SHA-256 of the excerpt, hex.","default":null},{"name":"ambiguous","type":"boolean","doc":"It stands in more than one place."},{"name":"after_negation","type":"boolean","doc":"A negation stands right before it."},{"name":"places","type":{"type":"array","items":{"type":"record","name":"Place","doc":"A stretch of an excerpt in UTF-16 units, end exclusive.","fields":[{"name":"start","type":"int","doc":"First unit."},{"name":"end","type":"int","doc":"One past the last."}]}},"doc":"Up to 16 places.","default":[]}]}},"doc":"Where each quote stands.","default":[]},{"name":"read","type":{"type":"array","items":{"type":"record","name":"LedgerRead","doc":"What the guard read of the ledger for one cited call, so that the verdict can be replayed.","fields":[{"name":"tool_call_id","type":"string","doc":"The cited call."},{"name":"found_run_id","type":["null","string"],"doc":"The run whose entry was found; null where none was.","default":null},{"name":"state","type":["null",{"type":"enum","name":"ReadState","doc":"State of the entry that was read; UNREADABLE where it could not be decoded.","symbols":["PENDING","READY","FAILED","UNREADABLE"]}],"doc":"Its state.","default":null},{"name":"agent_view_sha256","type":["null","string"],"doc":"Digest of its view.","default":null},{"name":"expires_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When it expires; null never.","default":null},{"name":"signature_check","type":{"type":"enum","name":"SignatureCheck","doc":"What became of the signature.","symbols":["VALID","INVALID","ABSENT"]},"doc":"Whether its signature holds."},{"name":"partition","type":"int","doc":"Ledger partition that was read."},{"name":"offset","type":["null","long"],"doc":"Position of the view at the read.","default":null}]}},"doc":"What was read of the ledger.","default":[]},{"name":"prompt","type":["null",{"type":"record","name":"PromptRef","doc":"The prompt that the model was given.","fields":[{"name":"id","type":"string","doc":"Name of the prompt."},{"name":"version","type":"string","doc":"Its version."},{"name":"sha256","type":"string","doc":"SHA-256 of its text, hex."}]}],"doc":"The draft's.","default":null},{"name":"generation","type":["null",{"type":"record","name":"Generation","doc":"What producing the draft took, as its caller reports it.","fields":[{"name":"provider","type":["null","string"],"doc":"Who ran the model.","default":null},{"name":"model","type":["null","string"],"doc":"Which model.","default":null},{"name":"request_id","type":["null","string"],"doc":"The provider's id of the request.","default":null},{"name":"input_tokens","type":["null","int"],"doc":"Tokens read.","default":null},{"name":"output_tokens","type":["null","int"],"doc":"Tokens written.","default":null},{"name":"total_tokens","type":["null","int"],"doc":"Tokens in all.","default":null},{"name":"cost","type":["null","string"],"doc":"Cost as a decimal string; prices are the caller's.","default":null},{"name":"currency","type":["null","string"],"doc":"ISO 4217 code of the cost.","default":null}]}],"doc":"The draft's.","default":null},{"name":"limits","type":["null","Limits"],"doc":"The draft's.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},"doc":"Its verdict, whole."},{"name":"findings","type":{"type":"array","items":{"type":"record","name":"Finding","doc":"What a reviewer says of one text of the draft.","fields":[{"name":"path","type":"string","doc":"JSON pointer of the text."},{"name":"status","type":{"type":"enum","name":"ReviewStatus","doc":"How far the evidence carries what is said.","symbols":["SUPPORTED","OVERSTATED","UNSUPPORTED","ABSTAINED","NOT_EVALUATED"]},"doc":"The finding."},{"name":"reason","type":"string","doc":"Why: a code, and words for a person."},{"name":"draft_span","type":["null","Place"],"doc":"The words concerned, in the draft's text.","default":null},{"name":"evidence_spans","type":{"type":"array","items":{"type":"record","name":"EvidenceSpan","doc":"A stretch of shown evidence.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"document_id","type":"string","doc":"The item."},{"name":"start","type":"int","doc":"First UTF-16 unit of the excerpt."},{"name":"end","type":"int","doc":"One past the last."}]}},"doc":"The evidence that they were held against.","default":[]},{"name":"decided_by","type":{"type":"enum","name":"DecidedBy","doc":"Who decided.","symbols":["RULES","JUDGE","PERSON"]},"doc":"Who says so."}]}},"doc":"What review found.","default":[]},{"name":"status","type":["null","ReviewStatus"],"doc":"What review said; null where the draft was not reviewed.","default":null},{"name":"code","type":["null","string"],"doc":"Why it is held, where its status does not say it.","default":null},{"name":"judge","type":["null",{"type":"record","name":"JudgeRef","doc":"The judge that was asked.","fields":[{"name":"model","type":"string","doc":"Its model."},{"name":"prompt_sha256","type":"string","doc":"SHA-256 of its prompt, hex."},{"name":"scores","type":{"type":"record","name":"JudgeScores","doc":"A judge's scores from 0 to 1; null where it gave none.","fields":[{"name":"faithfulness","type":["null","double"],"doc":"Faithful to the evidence.","default":null},{"name":"context_relevance","type":["null","double"],"doc":"Evidence fits the question.","default":null},{"name":"answer_relevance","type":["null","double"],"doc":"Answer fits the question.","default":null}]},"doc":"What it scored."}]}],"doc":"The judge that was asked; null without one.","default":null}]}],"doc":"Set while a draft is held.","default":null}]},
  'run-state.v1': {"type":"record","name":"RunState","namespace":"dev.proofline.v1","doc":"What a run has spent so far.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"lookups","type":"int","doc":"Lookups answered."},{"name":"tokens","type":"long","doc":"Tokens spent."},{"name":"deadline","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the run must have an outcome.","default":null},{"name":"max_lookups","type":["null","int"],"doc":"Limit of lookups.","default":null},{"name":"max_tokens","type":["null","long"],"doc":"Limit of tokens.","default":null},{"name":"max_attempts","type":["null","int"],"doc":"Limit of drafts.","default":null},{"name":"shown_digests","type":{"type":"array","items":"string"},"doc":"SHA-256 of each item shown, with its identity, hex.","default":[]},{"name":"gain_history","type":{"type":"array","items":{"type":"enum","name":"Gain","doc":"What the answer adds to what the run was shown before.","symbols":["NEW","UNCHANGED","NONE"]}},"doc":"Gain of each answer, oldest first.","default":[]},{"name":"last_attempt","type":"int","doc":"The highest attempt seen.","default":0},{"name":"counted_event_ids","type":{"type":"array","items":"string"},"doc":"The last events that were counted, oldest first: what comes again is not counted again.","default":[]},{"name":"has_outcome","type":"boolean","doc":"Whether the run has had an outcome.","default":false},{"name":"is_held","type":"boolean","doc":"Whether a draft waits for a person.","default":false},{"name":"given_up","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"The deadline at which the run was given up.","default":null},{"name":"stop_required","type":["null",{"type":"record","name":"StopRequired","doc":"No more lookups.","fields":[{"name":"reason","type":"string","doc":"Why: MAX_LOOKUPS, MAX_TOKENS, NO_GAIN or DEADLINE."},{"name":"since","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Since when."}]}],"doc":"Set when the run must hand in its report.","default":null}]},
  'tool-invocation.v1': {"type":"record","name":"ToolInvocation","namespace":"dev.proofline.v1","doc":"What a station did with one message: the audit.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"station","type":"string","doc":"The station."},{"name":"version","type":"string","doc":"Its version."},{"name":"kind","type":"string","doc":"What was done: RETRIEVE, POSTPROCESS, PROJECT, GUARD, REVIEW, …."},{"name":"tool_call_id","type":["null","string"],"doc":"The lookup concerned.","default":null},{"name":"tool_name","type":["null","string"],"doc":"The tool called.","default":null},{"name":"draft_id","type":["null","string"],"doc":"The draft concerned.","default":null},{"name":"outcome","type":"string","doc":"What came of it."},{"name":"code","type":["null","string"],"doc":"A code of the error table.","default":null},{"name":"query","type":["null","string"],"doc":"The question.","default":null},{"name":"evidence_status","type":["null",{"type":"enum","name":"EvidenceStatus","doc":"Whether the view shows any evidence; decided by its list alone.","symbols":["EVIDENCE_FOUND","NO_EVIDENCE"]}],"doc":"Of the agent view.","default":null},{"name":"relevance_level","type":["null",{"type":"enum","name":"RelevanceLevel","doc":"Grade of the best evidence: PRECISE may conclude, REFERENCE may not by itself.","symbols":["PRECISE","REFERENCE"]}],"doc":"Of the evidence.","default":null},{"name":"top_similarity","type":["null","double"],"doc":"Quality of the first block.","default":null},{"name":"is_low_quality","type":["null","boolean"],"doc":"No block of reference grade.","default":null},{"name":"count_in","type":"int","doc":"How many came in."},{"name":"count_out","type":"int","doc":"How many went out."},{"name":"dropped","type":{"type":"array","items":{"type":"record","name":"Dropped","doc":"A hit that did not become evidence, and why.","fields":[{"name":"evidence_key","type":"string","doc":"Identity of the chunk."},{"name":"document_id","type":"string","doc":"Its document."},{"name":"original_rank","type":["null","int"],"doc":"Its place in retrieval's answer.","default":null},{"name":"reason","type":"string","doc":"BLANK, DUPLICATE, KEY_COLLISION, DOC_CAP or TOTAL_CAP."}]}},"doc":"What was dropped, and why.","default":[]},{"name":"cuts","type":{"type":"array","items":{"type":"record","name":"Cut","doc":"One thing that the agent view leaves out of what was found.","fields":[{"name":"code","type":"string","doc":"QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET."},{"name":"document_id","type":["null","string"],"doc":"The identity of the item concerned; null for QUERY_CUT.","default":null}]}},"doc":"What was cut.","default":[]},{"name":"retrieval_trace_json","type":["null","string"],"doc":"Retrieval's own trace.","default":null},{"name":"violation_codes","type":{"type":"array","items":"string"},"doc":"Codes of the violations found.","default":[]},{"name":"facts_json","type":"string","doc":"Further key fields as a JSON object, without evidence text."},{"name":"measured","type":{"type":"record","name":"Measured","doc":"Wall-clock times of the work; a replay differs in them alone.","fields":[{"name":"started_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When it began."},{"name":"finished_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When it ended."}]},"doc":"When the work was done."},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'verdict.v1': {"type":"record","name":"GuardVerdict","namespace":"dev.proofline.v1","doc":"What the guard says of a draft.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"draft_id","type":"string","doc":"The draft judged."},{"name":"attempt","type":"int","doc":"Its number in the run, from 1."},{"name":"rule_sets","type":{"type":"array","items":"string"},"doc":"The rule sets that were applied.","default":[]},{"name":"status","type":{"type":"enum","name":"VerdictStatus","doc":"ABANDONED: the run was given up.","symbols":["PASSED","REJECTED","ABANDONED"]},"doc":"The verdict."},{"name":"draft_sha256","type":["null","string"],"doc":"SHA-256 of the draft's text as it came, hex; null when given up.","default":null},{"name":"draft","type":["null",{"type":"record","name":"Draft","doc":"The model's structured report, parsed and written anew.","fields":[{"name":"analysis","type":{"type":"array","items":{"type":"record","name":"Analysis","doc":"One step of the report, resting on lookups.","fields":[{"name":"id","type":"string","doc":"Name of the analysis inside the draft."},{"name":"kind","type":{"type":"enum","name":"AnalysisKind","doc":"NORMAL rests on evidence that was found, NEGATIVE_OBSERVATION on the fact that there was none.","symbols":["NORMAL","NEGATIVE_OBSERVATION"]},"doc":"What kind of step it is."},{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"tool_call_ids","type":{"type":"array","items":"string"},"doc":"The lookups that it rests on.","default":[]},{"name":"document_ids","type":{"type":"array","items":"string"},"doc":"The shown documents that it cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"Quote","doc":"Words that the draft quotes from a shown document.","fields":[{"name":"document_id","type":"string","doc":"The document quoted, as shown."},{"name":"text","type":"string","doc":"The quoted words."},{"name":"prefix","type":["null","string"],"doc":"Words right before them, to tell places apart.","default":null},{"name":"suffix","type":["null","string"],"doc":"Words right after them.","default":null}]}},"doc":"Words quoted from them.","default":[]}]}},"doc":"The steps of the report."},{"name":"conclusion","type":["null",{"type":"record","name":"Statement","doc":"A conclusion or an action, resting on analyses.","fields":[{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"based_on_analysis_ids","type":{"type":"array","items":"string"},"doc":"The analyses that it rests on.","default":[]}]}],"doc":"The conclusion; null where the evidence was not enough.","default":null},{"name":"action_plan","type":{"type":"array","items":"Statement"},"doc":"What should be done."},{"name":"limitations","type":{"type":"array","items":"string"},"doc":"What the report does not know.","default":[]}]}],"doc":"The draft, parsed and written anew; null when malformed.","default":null},{"name":"violations","type":{"type":"array","items":{"type":"record","name":"Violation","doc":"One rule that the draft breaks.","fields":[{"name":"code","type":"string","doc":"The violation's code, of core-20 or quotes-1."},{"name":"path","type":"string","doc":"JSON pointer into the draft."},{"name":"message","type":"string","doc":"What is wrong, for a person; at most 500 characters."},{"name":"detail_json","type":"string","doc":"More about it as JSON; at most 500 characters."}]}},"doc":"The first 1,000, in order.","default":[]},{"name":"violation_count","type":"int","doc":"How many there are in all."},{"name":"lookups","type":{"type":"array","items":{"type":"record","name":"LookupSnapshot","doc":"A cited lookup as the ledger has it, never as the model tells it.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"query","type":"string","doc":"The question as shown."},{"name":"evidence_status","type":{"type":"enum","name":"EvidenceStatus","doc":"Whether the view shows any evidence; decided by its list alone.","symbols":["EVIDENCE_FOUND","NO_EVIDENCE"]},"doc":"As shown."},{"name":"relevance_level","type":["null",{"type":"enum","name":"RelevanceLevel","doc":"Grade of the best evidence: PRECISE may conclude, REFERENCE may not by itself.","symbols":["PRECISE","REFERENCE"]}],"doc":"As shown.","default":null},{"name":"truncated","type":"boolean","doc":"Whether the view leaves anything out."},{"name":"cuts","type":{"type":"array","items":{"type":"record","name":"Cut","doc":"One thing that the agent view leaves out of what was found.","fields":[{"name":"code","type":"string","doc":"QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET."},{"name":"document_id","type":["null","string"],"doc":"The identity of the item concerned; null for QUERY_CUT.","default":null}]}},"doc":"What it leaves out.","default":[]},{"name":"no_evidence_basis","type":["null","string"],"doc":"Why there is no evidence: retrieval's word, all_dropped or byte_budget.","default":null},{"name":"agent_view_sha256","type":"string","doc":"SHA-256 of the view's text, hex."},{"name":"items","type":{"type":"array","items":{"type":"record","name":"EvidenceItem","doc":"One item of an agent view, re-read from the ledger.","fields":[{"name":"document_id","type":"string","doc":"Its identity, as shown."},{"name":"source","type":["null","string"],"doc":"As shown.","default":null},{"name":"title","type":["null","string"],"doc":"As shown.","default":null},{"name":"breadcrumb","type":["null","string"],"doc":"As shown.","default":null},{"name":"excerpt","type":"string","doc":"As shown."}]}},"doc":"The items shown.","default":[]}]}},"doc":"The evidence snapshot; of a PASSED draft only.","default":[]},{"name":"shown","type":{"type":"array","items":{"type":"record","name":"ShownLookup","doc":"What a cited lookup showed, whatever the verdict.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"evidence_status","type":"EvidenceStatus","doc":"As shown."},{"name":"truncated","type":"boolean","doc":"As shown."},{"name":"items","type":{"type":"array","items":{"type":"record","name":"ShownItem","doc":"An item that the model was shown.","fields":[{"name":"document_id","type":"string","doc":"Its identity."},{"name":"title","type":["null","string"],"doc":"Its title.","default":null}]}},"doc":"The items shown.","default":[]}]}},"doc":"What every cited lookup that could be read showed.","default":[]},{"name":"analyses","type":{"type":"array","items":{"type":"record","name":"AnalysisCitations","doc":"Which items an analysis could cite, and which it does.","fields":[{"name":"id","type":"string","doc":"The analysis."},{"name":"citations","type":{"type":"array","items":{"type":"record","name":"AnalysisCitation","doc":"An item within reach of an analysis.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup that showed it."},{"name":"document_id","type":"string","doc":"Its identity."},{"name":"cited","type":"boolean","doc":"Whether the analysis names it."}]}},"doc":"The items.","default":[]}]}},"doc":"Which items each analysis cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"QuoteOutcome","doc":"Where a quote stands in what was shown.","fields":[{"name":"path","type":"string","doc":"JSON pointer of the quote."},{"name":"rung","type":["null","string"],"doc":"EXACT, FOLDED or ELIDED; null where it was not found.","default":null},{"name":"tool_call_id","type":["null","string"],"doc":"The lookup that showed it.","default":null},{"name":"document_id","type":"string","doc":"The document quoted."},{"name":"start","type":["null","int"],"doc":"First UTF-16 unit in the excerpt.","default":null},{"name":"end","type":["null","int"],"doc":"One past the last.","default":null},{"name":"excerpt_sha256","type":["null","string"],"doc":"SHA-256 of the excerpt, hex.","default":null},{"name":"ambiguous","type":"boolean","doc":"It stands in more than one place."},{"name":"after_negation","type":"boolean","doc":"A negation stands right before it."},{"name":"places","type":{"type":"array","items":{"type":"record","name":"Place","doc":"A stretch of an excerpt in UTF-16 units, end exclusive.","fields":[{"name":"start","type":"int","doc":"First unit."},{"name":"end","type":"int","doc":"One past the last."}]}},"doc":"Up to 16 places.","default":[]}]}},"doc":"Where each quote stands.","default":[]},{"name":"read","type":{"type":"array","items":{"type":"record","name":"LedgerRead","doc":"What the guard read of the ledger for one cited call, so that the verdict can be replayed.","fields":[{"name":"tool_call_id","type":"string","doc":"The cited call."},{"name":"found_run_id","type":["null","string"],"doc":"The run whose entry was found; null where none was.","default":null},{"name":"state","type":["null",{"type":"enum","name":"ReadState","doc":"State of the entry that was read; UNREADABLE where it could not be decoded.","symbols":["PENDING","READY","FAILED","UNREADABLE"]}],"doc":"Its state.","default":null},{"name":"agent_view_sha256","type":["null","string"],"doc":"Digest of its view.","default":null},{"name":"expires_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When it expires; null never.","default":null},{"name":"signature_check","type":{"type":"enum","name":"SignatureCheck","doc":"What became of the signature.","symbols":["VALID","INVALID","ABSENT"]},"doc":"Whether its signature holds."},{"name":"partition","type":"int","doc":"Ledger partition that was read."},{"name":"offset","type":["null","long"],"doc":"Position of the view at the read.","default":null}]}},"doc":"What was read of the ledger.","default":[]},{"name":"prompt","type":["null",{"type":"record","name":"PromptRef","doc":"The prompt that the model was given.","fields":[{"name":"id","type":"string","doc":"Name of the prompt."},{"name":"version","type":"string","doc":"Its version."},{"name":"sha256","type":"string","doc":"SHA-256 of its text, hex."}]}],"doc":"The draft's.","default":null},{"name":"generation","type":["null",{"type":"record","name":"Generation","doc":"What producing the draft took, as its caller reports it.","fields":[{"name":"provider","type":["null","string"],"doc":"Who ran the model.","default":null},{"name":"model","type":["null","string"],"doc":"Which model.","default":null},{"name":"request_id","type":["null","string"],"doc":"The provider's id of the request.","default":null},{"name":"input_tokens","type":["null","int"],"doc":"Tokens read.","default":null},{"name":"output_tokens","type":["null","int"],"doc":"Tokens written.","default":null},{"name":"total_tokens","type":["null","int"],"doc":"Tokens in all.","default":null},{"name":"cost","type":["null","string"],"doc":"Cost as a decimal string; prices are the caller's.","default":null},{"name":"currency","type":["null","string"],"doc":"ISO 4217 code of the cost.","default":null}]}],"doc":"The draft's.","default":null},{"name":"limits","type":["null",{"type":"record","name":"Limits","doc":"What a run may spend. Every limit is optional; the first that came count.","fields":[{"name":"deadline","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the run must have an outcome.","default":null},{"name":"max_lookups","type":["null","int"],"doc":"How many lookups are answered at most.","default":null},{"name":"max_tokens","type":["null","int"],"doc":"How many tokens views and generation may take together.","default":null},{"name":"max_attempts","type":["null","int"],"doc":"How many distinct drafts are judged before the run falls back.","default":null}]}],"doc":"The draft's.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
  'verified.v1': {"type":"record","name":"VerifiedDraft","namespace":"dev.proofline.v1","doc":"A run's outcome: publish it without checking again.","fields":[{"name":"event_id","type":"string","doc":"32 hex digits, derived from what the event says, so that a replay makes the same id."},{"name":"caused_by","type":["null","string"],"doc":"Id of the event that this one follows from; null for a first one.","default":null},{"name":"run_id","type":"string","doc":"The run that the event belongs to; also the key that picks the partition."},{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"Event time in milliseconds since 1970-01-01T00:00:00Z. A derived event copies its input's."},{"name":"outcome","type":{"type":"enum","name":"VerifiedOutcome","doc":"VERIFIED: the draft was proven. FALLBACK: the fixed text that says that none could be.","symbols":["VERIFIED","FALLBACK"]},"doc":"Whether a draft was verified."},{"name":"draft_id","type":["null","string"],"doc":"The draft.","default":null},{"name":"attempt","type":["null","int"],"doc":"Its number in the run.","default":null},{"name":"draft","type":["null",{"type":"record","name":"Draft","doc":"The model's structured report, parsed and written anew.","fields":[{"name":"analysis","type":{"type":"array","items":{"type":"record","name":"Analysis","doc":"One step of the report, resting on lookups.","fields":[{"name":"id","type":"string","doc":"Name of the analysis inside the draft."},{"name":"kind","type":{"type":"enum","name":"AnalysisKind","doc":"NORMAL rests on evidence that was found, NEGATIVE_OBSERVATION on the fact that there was none.","symbols":["NORMAL","NEGATIVE_OBSERVATION"]},"doc":"What kind of step it is."},{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"tool_call_ids","type":{"type":"array","items":"string"},"doc":"The lookups that it rests on.","default":[]},{"name":"document_ids","type":{"type":"array","items":"string"},"doc":"The shown documents that it cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"Quote","doc":"Words that the draft quotes from a shown document.","fields":[{"name":"document_id","type":"string","doc":"The document quoted, as shown."},{"name":"text","type":"string","doc":"The quoted words."},{"name":"prefix","type":["null","string"],"doc":"Words right before them, to tell places apart.","default":null},{"name":"suffix","type":["null","string"],"doc":"Words right after them.","default":null}]}},"doc":"Words quoted from them.","default":[]}]}},"doc":"The steps of the report."},{"name":"conclusion","type":["null",{"type":"record","name":"Statement","doc":"A conclusion or an action, resting on analyses.","fields":[{"name":"text","type":"string","doc":"What it says; empty where the draft left it out."},{"name":"based_on_analysis_ids","type":{"type":"array","items":"string"},"doc":"The analyses that it rests on.","default":[]}]}],"doc":"The conclusion; null where the evidence was not enough.","default":null},{"name":"action_plan","type":{"type":"array","items":"Statement"},"doc":"What should be done."},{"name":"limitations","type":{"type":"array","items":"string"},"doc":"What the report does not know.","default":[]}]}],"doc":"The draft, written anew.","default":null},{"name":"lookups","type":{"type":"array","items":{"type":"record","name":"LookupSnapshot","doc":"A cited lookup as the ledger has it, never as the model tells it.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"query","type":"string","doc":"The question as shown."},{"name":"evidence_status","type":{"type":"enum","name":"EvidenceStatus","doc":"Whether the view shows any evidence; decided by its list alone.","symbols":["EVIDENCE_FOUND","NO_EVIDENCE"]},"doc":"As shown."},{"name":"relevance_level","type":["null",{"type":"enum","name":"RelevanceLevel","doc":"Grade of the best evidence: PRECISE may conclude, REFERENCE may not by itself.","symbols":["PRECISE","REFERENCE"]}],"doc":"As shown.","default":null},{"name":"truncated","type":"boolean","doc":"Whether the view leaves anything out."},{"name":"cuts","type":{"type":"array","items":{"type":"record","name":"Cut","doc":"One thing that the agent view leaves out of what was found.","fields":[{"name":"code","type":"string","doc":"QUERY_CUT, ITEM_CAP, ID_COLLISION, EXCERPT_CUT or BYTE_BUDGET."},{"name":"document_id","type":["null","string"],"doc":"The identity of the item concerned; null for QUERY_CUT.","default":null}]}},"doc":"What it leaves out.","default":[]},{"name":"no_evidence_basis","type":["null","string"],"doc":"Why there is no evidence: retrieval's word, all_dropped or byte_budget.","default":null},{"name":"agent_view_sha256","type":"string","doc":"SHA-256 of the view's text, hex."},{"name":"items","type":{"type":"array","items":{"type":"record","name":"EvidenceItem","doc":"One item of an agent view, re-read from the ledger.","fields":[{"name":"document_id","type":"string","doc":"Its identity, as shown."},{"name":"source","type":["null","string"],"doc":"As shown.","default":null},{"name":"title","type":["null","string"],"doc":"As shown.","default":null},{"name":"breadcrumb","type":["null","string"],"doc":"As shown.","default":null},{"name":"excerpt","type":"string","doc":"As shown."}]}},"doc":"The items shown.","default":[]}]}},"doc":"The evidence snapshot.","default":[]},{"name":"analyses","type":{"type":"array","items":{"type":"record","name":"AnalysisCitations","doc":"Which items an analysis could cite, and which it does.","fields":[{"name":"id","type":"string","doc":"The analysis."},{"name":"citations","type":{"type":"array","items":{"type":"record","name":"AnalysisCitation","doc":"An item within reach of an analysis.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup that showed it."},{"name":"document_id","type":"string","doc":"Its identity."},{"name":"cited","type":"boolean","doc":"Whether the analysis names it."}]}},"doc":"The items.","default":[]}]}},"doc":"Which items each analysis cites.","default":[]},{"name":"quotes","type":{"type":"array","items":{"type":"record","name":"QuoteOutcome","doc":"Where a quote stands in what was shown.","fields":[{"name":"path","type":"string","doc":"JSON pointer of the quote."},{"name":"rung","type":["null","string"],"doc":"EXACT, FOLDED or ELIDED; null where it was not found.","default":null},{"name":"tool_call_id","type":["null","string"],"doc":"The lookup that showed it.","default":null},{"name":"document_id","type":"string","doc":"The document quoted."},{"name":"start","type":["null","int"],"doc":"First UTF-16 unit in the excerpt.","default":null},{"name":"end","type":["null","int"],"doc":"One past the last.","default":null},{"name":"excerpt_sha256","type":["null","string"],"doc":"SHA-256 of the excerpt, hex.","default":null},{"name":"ambiguous","type":"boolean","doc":"It stands in more than one place."},{"name":"after_negation","type":"boolean","doc":"A negation stands right before it."},{"name":"places","type":{"type":"array","items":{"type":"record","name":"Place","doc":"A stretch of an excerpt in UTF-16 units, end exclusive.","fields":[{"name":"start","type":"int","doc":"First unit."},{"name":"end","type":"int","doc":"One past the last."}]}},"doc":"Up to 16 places.","default":[]}]}},"doc":"Where each quote stands.","default":[]},{"name":"findings","type":{"type":"array","items":{"type":"record","name":"Finding","doc":"What a reviewer says of one text of the draft.","fields":[{"name":"path","type":"string","doc":"JSON pointer of the text."},{"name":"status","type":{"type":"enum","name":"ReviewStatus","doc":"How far the evidence carries what is said.","symbols":["SUPPORTED","OVERSTATED","UNSUPPORTED","ABSTAINED","NOT_EVALUATED"]},"doc":"The finding."},{"name":"reason","type":"string","doc":"Why: a code, and words for a person."},{"name":"draft_span","type":["null","Place"],"doc":"The words concerned, in the draft's text.","default":null},{"name":"evidence_spans","type":{"type":"array","items":{"type":"record","name":"EvidenceSpan","doc":"A stretch of shown evidence.","fields":[{"name":"tool_call_id","type":"string","doc":"The lookup."},{"name":"document_id","type":"string","doc":"The item."},{"name":"start","type":"int","doc":"First UTF-16 unit of the excerpt."},{"name":"end","type":"int","doc":"One past the last."}]}},"doc":"The evidence that they were held against.","default":[]},{"name":"decided_by","type":{"type":"enum","name":"DecidedBy","doc":"Who decided.","symbols":["RULES","JUDGE","PERSON"]},"doc":"Who says so."}]}},"doc":"What review found.","default":[]},{"name":"verdict_event_id","type":["null","string"],"doc":"The verdict behind it.","default":null},{"name":"decided_by","type":"DecidedBy","doc":"Who decided."},{"name":"judge","type":["null",{"type":"record","name":"JudgeRef","doc":"The judge that was asked.","fields":[{"name":"model","type":"string","doc":"Its model."},{"name":"prompt_sha256","type":"string","doc":"SHA-256 of its prompt, hex."},{"name":"scores","type":{"type":"record","name":"JudgeScores","doc":"A judge's scores from 0 to 1; null where it gave none.","fields":[{"name":"faithfulness","type":["null","double"],"doc":"Faithful to the evidence.","default":null},{"name":"context_relevance","type":["null","double"],"doc":"Evidence fits the question.","default":null},{"name":"answer_relevance","type":["null","double"],"doc":"Answer fits the question.","default":null}]},"doc":"What it scored."}]}],"doc":"The judge that was asked.","default":null},{"name":"person","type":["null",{"type":"record","name":"PersonRef","doc":"The person who decided.","fields":[{"name":"by","type":"string","doc":"Name, as given."},{"name":"reason","type":"string","doc":"Why, as given."}]}],"doc":"The person who decided.","default":null},{"name":"fallback","type":["null",{"type":"record","name":"Fallback","doc":"The fixed text in place of a report.","fields":[{"name":"reason","type":"string","doc":"Why there is no verified draft: ATTEMPTS, DEADLINE, BUDGET or AGENT."},{"name":"zh","type":"string","doc":"The text in Chinese."},{"name":"en","type":"string","doc":"The text in English."}]}],"doc":"Set when the outcome is FALLBACK.","default":null},{"name":"replaces","type":["null","string"],"doc":"event_id of the FALLBACK that this draft replaces.","default":null},{"name":"prompt","type":["null",{"type":"record","name":"PromptRef","doc":"The prompt that the model was given.","fields":[{"name":"id","type":"string","doc":"Name of the prompt."},{"name":"version","type":"string","doc":"Its version."},{"name":"sha256","type":"string","doc":"SHA-256 of its text, hex."}]}],"doc":"The draft's.","default":null},{"name":"ext","type":{"type":"map","values":"string"},"doc":"What nobody foresaw; empty by default. Readers ignore keys they do not know.","default":{}}]},
} as const;

/** Name of a schema: the topic without its prefix, or one of the two JSON contracts. */
export type SchemaName = keyof typeof avroSchemas;
