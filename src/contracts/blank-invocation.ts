import type { ToolInvocation } from './generated.js';

/** An audit event's columns that not every kind fills, left empty. */
export const blankInvocation = {
  toolCallId: null,
  toolName: null,
  draftId: null,
  code: null,
  query: null,
  evidenceStatus: null,
  relevanceLevel: null,
  topSimilarity: null,
  isLowQuality: null,
  dropped: [],
  cuts: [],
  retrievalTraceJson: null,
  violationCodes: [],
} as const satisfies Partial<ToolInvocation>;
