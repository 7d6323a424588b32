import type { Draft, VerifiedDraft } from '../../src/contracts/generated.js';

const emptyDraft: Draft = { analysis: [], conclusion: null, actionPlan: [], limitations: ['none'] };

/** A run's outcome as review writes it. */
export function verifiedDraft(
  eventId: string,
  runId: string,
  fields: Partial<VerifiedDraft> = {},
): VerifiedDraft {
  return {
    eventId: eventId.padStart(32, '0'),
    causedBy: null,
    runId,
    occurredAt: 1,
    outcome: 'VERIFIED',
    draftId: 'draft-1',
    attempt: 1,
    draft: emptyDraft,
    lookups: [],
    analyses: [],
    quotes: [],
    findings: [],
    verdictEventId: null,
    decidedBy: 'RULES',
    judge: null,
    person: null,
    fallback: null,
    replaces: null,
    prompt: null,
    ext: {},
    ...fields,
  };
}

export function fallbackOf(eventId: string, runId: string): VerifiedDraft {
  return verifiedDraft(eventId, runId, {
    outcome: 'FALLBACK',
    fallback: { reason: 'ATTEMPTS', zh: '无', en: 'none' },
  });
}
