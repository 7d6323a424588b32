/** The SDK, `proofline/client`. It imports no module of Node: a test bundles it for browsers. */

export { createClient, type Client, type ClientOptions } from './client.js';
export type { Run, RunOptions } from './run.js';
export type { RunLimits } from './run-options.js';
export type { LookupFailure, LookupOptions, LookupRefusal, LookupResult } from './lookup.js';
export type { DraftOptions, DraftResult } from './draft.js';
export type { RunEvent, RunEventName } from './run-events.js';
export type { VerifiedEvent } from './verified.js';
export type { Review, ReviewDecisionOptions, ReviewDecisionResult } from './review.js';
export type { RetryPolicy } from './retry.js';
export type { Received } from './records.js';
export { isProoflineApiError, ProoflineApiError, type BilingualText } from './api-error.js';
export type {
  AgentView,
  Draft,
  EvidenceItem,
  Gain,
  GuardVerdict,
  RepairRequested,
  Reviewed,
  VerifiedDraft,
} from '../contracts/generated.js';
