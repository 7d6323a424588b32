import { describe, expect, it, test } from 'vitest';
import type { DraftSubmitted, Limits, ProjectedEvidence } from '../../src/contracts/generated.js';
import { atDeadline, dueAt } from '../../src/harness/deadline.js';
import { defaultRunLimits, LATEST_DEADLINE } from '../../src/harness/limits.js';
import {
  afterAnswer,
  afterDraft,
  afterLookup,
  afterOutcome,
  noProgress,
  type RunProgress,
} from '../../src/harness/run-progress.js';
import { draftSubmitted } from '../../producers/drafts.js';

const ASKED_AT = 1_700_000_000_000;
const none: Limits = { deadline: null, maxLookups: null, maxTokens: null, maxAttempts: null };

function begun(limits: Partial<Limits> | null = null): RunProgress {
  const asked = limits === null ? null : { ...none, ...limits };
  return afterLookup(noProgress, { occurredAt: ASKED_AT, limits: asked }, defaultRunLimits);
}

/** Every word of a view is one token. */
const words = (text: string): number => text.split(' ').length;
let answers = 0;

function answered(progress: RunProgress, other: Partial<ProjectedEvidence> = {}): RunProgress {
  const answer = {
    eventId: `answer-${answers++}`,
    occurredAt: ASKED_AT + 5,
    state: 'READY' as const,
    repeat: false,
    agentView: 'three little words',
    gain: 'NEW' as const,
    ...other,
  };
  return afterAnswer(progress, answer, defaultRunLimits, words);
}

function handedIn(progress: RunProgress, other: Partial<DraftSubmitted> = {}): RunProgress {
  const draft = draftSubmitted({ runId: 'run-1', draftId: 'draft-1', draftJson: '{}' }, ASKED_AT + 9);
  return afterDraft(progress, { ...draft, ...other }, defaultRunLimits);
}

const spent = (counts: object): DraftSubmitted['generation'] => ({
  provider: null,
  model: null,
  requestId: null,
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cost: null,
  currency: null,
  ...counts,
});

describe('the limits of a run', () => {
  it('given a first lookup without any, are the defaults: half an hour, and any number of lookups', () => {
    expect(begun()).toMatchObject({ deadline: ASKED_AT + 1_800_000, maxLookups: null, maxTokens: null });
  });

  it('given a first lookup with some, are those, and later ones change nothing', () => {
    const first = begun({ deadline: ASKED_AT + 7, maxLookups: 2, maxTokens: 50, maxAttempts: 1 });
    const later = { occurredAt: ASKED_AT + 1, limits: { ...none, maxLookups: 99 } };
    expect(afterLookup(first, later, defaultRunLimits)).toBe(first);
    expect(first).toMatchObject({
      deadline: ASKED_AT + 7,
      maxLookups: 2,
      maxTokens: 50,
      maxAttempts: 1,
      stopRequired: null,
    });
  });

  test.each([
    [-5, 0],
    [Number.MAX_SAFE_INTEGER, LATEST_DEADLINE],
  ])('given a deadline of %d, it is one that a date can hold', (deadline, kept) => {
    expect(begun({ deadline }).deadline).toBe(kept);
  });

  it('given no lookup at all, the run may stop at once', () => {
    expect(begun({ maxLookups: 0 }).stopRequired).toEqual({ reason: 'MAX_LOOKUPS', since: ASKED_AT });
  });
});

describe('what is counted', () => {
  it('given an answer, one lookup and the tokens of its view', () => {
    expect(answered(begun())).toMatchObject({ lookups: 1, tokens: 3, gainHistory: ['NEW'] });
  });

  it('given a failure, one lookup, which says nothing of what there is to gain', () => {
    const failed = { state: 'FAILED' as const, agentView: null, gain: null };
    expect(answered(begun(), failed)).toMatchObject({ lookups: 1, tokens: 0, gainHistory: [] });
  });

  test.each([
    ['a repeat', { repeat: true, gain: null }],
    ['a refusal', { state: 'REFUSED' as const, agentView: null, gain: null }],
  ])('given %s, nothing', (_, other) => {
    const progress = begun();
    expect(answered(progress, other)).toBe(progress);
  });

  it('given the same event again, nothing', () => {
    const once = answered(begun(), { eventId: 'the same' });
    expect(answered(once, { eventId: 'the same' })).toBe(once);
    const draft = handedIn(once, { generation: spent({ totalTokens: 4 }) });
    expect(handedIn(draft, { generation: spent({ totalTokens: 4 }) })).toBe(draft);
  });

  test.each([
    ['a total', { totalTokens: 40, inputTokens: 1, outputTokens: 2 }, 40],
    ['both sides', { inputTokens: 30, outputTokens: 12 }, 42],
    ['a total below nothing', { totalTokens: -40 }, 0],
  ])('given a draft that tells %s, its tokens', (_, counts, tokens) => {
    expect(handedIn(begun(), { generation: spent(counts) }).tokens).toBe(tokens);
  });

  it('remembers no more events and gains than it must', () => {
    let progress = begun();
    for (let i = 0; i < 1200; i++) progress = answered(progress);
    expect(progress.lookups).toBe(1200);
    expect(progress.countedEventIds).toHaveLength(1000);
    expect(progress.gainHistory).toHaveLength(100);
  });
});

describe('a run must stop', () => {
  it('given as many answers as it may have', () => {
    const one = answered(begun({ maxLookups: 2 }));
    expect(one.stopRequired).toBeNull();
    expect(answered(one).stopRequired).toEqual({ reason: 'MAX_LOOKUPS', since: ASKED_AT + 5 });
  });

  it('given as many tokens, shown and generated together', () => {
    const shown = answered(begun({ maxTokens: 10 }));
    expect(shown.stopRequired).toBeNull();
    const generated = handedIn(shown, { generation: spent({ totalTokens: 7 }) });
    expect(generated.stopRequired).toEqual({ reason: 'MAX_TOKENS', since: ASKED_AT + 9 });
  });

  it('given three answers in a row without gain, failures between them or not', () => {
    let progress = begun();
    for (const gain of ['NONE', 'UNCHANGED', 'NEW', 'UNCHANGED', 'NONE'] as const)
      progress = answered(progress, { gain });
    expect(progress.stopRequired).toBeNull();
    progress = answered(progress, { state: 'FAILED', agentView: null, gain: null });
    expect(progress.stopRequired).toBeNull();
    expect(answered(progress, { gain: 'UNCHANGED' }).stopRequired?.reason).toBe('NO_GAIN');
  });
});

describe('a deadline that passes', () => {
  const limits = { deadline: ASKED_AT + 100 };

  it('given no outcome, gives the run up, as its next attempt, with its limits', () => {
    const { progress, draft } = atDeadline(handedIn(begun(limits), { attempt: 4 }));
    expect(draft).toEqual({
      draftId: 'given-up',
      attempt: 5,
      draftJson: null,
      givenUp: 'DEADLINE',
      prompt: null,
      generation: null,
      limits: { ...none, ...limits },
      ext: {},
    });
    expect(progress.stopRequired).toEqual({ reason: 'DEADLINE', since: ASKED_AT + 100 });
    expect(dueAt(progress)).toBeNull();
  });

  it('given a run that was stopped for its budget, says so; for answers without gain it does not', () => {
    const overBudget = answered(begun({ ...limits, maxLookups: 1 }));
    expect(atDeadline(overBudget).draft?.givenUp).toBe('BUDGET');
    let idle = begun(limits);
    for (let i = 0; i < 3; i++) idle = answered(idle, { gain: 'NONE' });
    expect(atDeadline(idle).draft?.givenUp).toBe('DEADLINE');
  });

  it('given an attempt that review knows of, and the harness not, it comes after that one', () => {
    const progress = afterOutcome(begun(limits), { outcome: null, held: null, lastAttempt: 7 });
    expect(atDeadline(progress).draft?.attempt).toBe(8);
  });

  it('given the largest attempt that there is, its number is one that a record holds', () => {
    const last = 2 ** 31 - 1;
    expect(atDeadline(handedIn(begun(limits), { attempt: last })).draft?.attempt).toBe(last);
  });

  it('given an outcome, does nothing', () => {
    const ended = afterOutcome(begun(limits), { outcome: 'VERIFIED', held: null, lastAttempt: 1 });
    expect(dueAt(ended)).toBeNull();
  });

  it('given a draft that is held, only stops the run; once it is held no more, the run is given up', () => {
    const held = afterOutcome(begun(limits), { outcome: null, held: {} as never, lastAttempt: 1 });
    const { progress, draft } = atDeadline(held);
    expect([draft, progress.stopRequired?.reason, dueAt(progress)]).toEqual([null, 'DEADLINE', null]);
    const released = afterOutcome(progress, { outcome: null, held: null, lastAttempt: 1 });
    expect(dueAt(released)).toBe(ASKED_AT + 100);
    expect(atDeadline(released).draft?.givenUp).toBe('DEADLINE');
  });

  it('given a run that never asked, there is none', () => {
    expect(dueAt(handedIn(noProgress))).toBeNull();
  });
});
