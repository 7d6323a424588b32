import type { ReviewOutcome, ReviewStatus, VerdictStatus } from '../contracts/generated.js';

/**
 * What the demo plays: the questions that an agent asks, the drafts that it hands in, and what has to become of
 * each. The promises are only compared with what the line answers; nothing of them is printed as its answer.
 */

export interface ScriptedRun {
  readonly runId: string;
  /** What the run is about, for the reader of the story. */
  readonly title: string;
  readonly lookups: readonly ScriptedLookup[];
  readonly drafts: readonly ScriptedDraft[];
}

export interface ScriptedLookup {
  readonly toolCallId: string;
  readonly query: string;
}

export interface ScriptedDraft {
  readonly draftId: string;
  /** Its file in the folder of drafts. */
  readonly file: string;
  /** What kind of draft it is, for the reader of the story. */
  readonly title: string;
  readonly promise: DraftPromise;
}

/** What has to become of a draft. */
export interface DraftPromise {
  readonly verdict: VerdictStatus;
  /** Every lie in it, as the guard must name it; in any order. */
  readonly lies: readonly PromisedLie[];
  /** What review finds; null where it is not asked because the guard rejected the draft. */
  readonly review: ReviewStatus | null;
  readonly decision: ReviewOutcome;
  readonly published: boolean;
}

export interface PromisedLie {
  readonly path: string;
  readonly code: string;
  /** Why a document was not shown; null for the other codes. */
  readonly why: string | null;
}

const PUBLISHED = { verdict: 'PASSED', lies: [], decision: 'PUBLISH', published: true } as const;

const FORGED: DraftPromise = {
  verdict: 'REJECTED',
  lies: [
    { path: '/analysis/0/document_ids/1', code: 'DOCUMENT_NOT_SHOWN', why: 'DROPPED DOC_CAP' },
    { path: '/analysis/1/tool_call_ids/0', code: 'TOOL_CALL_UNKNOWN', why: null },
    { path: '/analysis/2/document_ids/0', code: 'DOCUMENT_NOT_SHOWN', why: 'NEVER_RETRIEVED' },
    { path: '/analysis/3/text', code: 'DOCUMENT_NOT_SHOWN', why: 'NEVER_RETRIEVED' },
    { path: '/analysis/4/tool_call_ids/0', code: 'KIND_CLAIMS_EVIDENCE', why: null },
    { path: '/analysis/5/tool_call_ids/0', code: 'KIND_DENIES_EVIDENCE', why: null },
  ],
  review: null,
  decision: 'REPAIR',
  published: false,
};

export const demoScript: readonly ScriptedRun[] = [
  {
    runId: 'demo-gateway',
    title: 'The gateway answers 504. An agent asks the runbooks and writes a report.',
    lookups: [
      {
        toolCallId: 'call_gateway',
        query: 'gateway answers 504, is the upstream waiting for a connection',
      },
      { toolCallId: 'call_pool', query: '连接池耗尽，会话停在 idle in transaction，怎么排查' },
      { toolCallId: 'call_mesh', query: 'service mesh sidecar circuit breaker' },
    ],
    drafts: [
      {
        draftId: 'draft-forged',
        file: 'forged.json',
        title: 'a report with forged citations',
        promise: FORGED,
      },
      {
        draftId: 'draft-true',
        file: 'true.json',
        title: 'the same report, honest',
        promise: { ...PUBLISHED, review: 'SUPPORTED' },
      },
    ],
  },
  {
    runId: 'demo-kafka',
    title: 'Kafka consumers lag. Every citation is real, but the report says more than they do.',
    lookups: [
      {
        toolCallId: 'call_lag',
        query: 'did a rebalance cause the kafka lag on orders and invoices after the upgrade',
      },
    ],
    drafts: [
      {
        draftId: 'draft-overstated',
        file: 'overstated.json',
        title: 'true citations, overstated claims',
        promise: { verdict: 'PASSED', lies: [], review: 'OVERSTATED', decision: 'REPAIR', published: false },
      },
    ],
  },
  {
    runId: 'demo-gpu',
    title: 'GPU nodes report memory errors. No runbook is about that, and the report says so.',
    lookups: [{ toolCallId: 'call_gpu', query: 'GPU ECC memory errors on training nodes' }],
    drafts: [
      {
        draftId: 'draft-no-evidence',
        file: 'no-evidence.json',
        title: 'an honest "nothing was found"',
        promise: { ...PUBLISHED, review: 'ABSTAINED' },
      },
    ],
  },
];
