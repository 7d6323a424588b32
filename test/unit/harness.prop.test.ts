import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DraftSubmitted, Gain } from '../../src/contracts/generated.js';
import { atDeadline, dueAt } from '../../src/harness/deadline.js';
import { defaultRunLimits } from '../../src/harness/limits.js';
import {
  afterAnswer,
  afterDraft,
  afterLookup,
  afterOutcome,
  noProgress,
  type RunProgress,
} from '../../src/harness/run-progress.js';
import { createSchedule } from '../../src/harness/schedule.js';

/** One event of a run, as one of the harness's four inputs brings it. */
type Event =
  | { readonly input: 'lookup'; readonly at: number; readonly maxLookups: number | null }
  | { readonly input: 'answer'; readonly id: string; readonly gain: Gain | null; readonly tokens: number }
  | { readonly input: 'draft'; readonly id: string; readonly attempt: number; readonly tokens: number }
  | { readonly input: 'outcome'; readonly ended: boolean; readonly held: boolean; readonly attempt: number };

const LIMITS = { ...defaultRunLimits, maxTokens: 200 };

function after(progress: RunProgress, event: Event): RunProgress {
  switch (event.input) {
    case 'lookup': {
      const limits = { deadline: null, maxLookups: event.maxLookups, maxTokens: null, maxAttempts: null };
      return afterLookup(progress, { occurredAt: event.at, limits }, LIMITS);
    }
    case 'answer': {
      const state = event.gain === null ? ('FAILED' as const) : ('READY' as const);
      const agentView = event.gain === null ? null : 'x'.repeat(event.tokens);
      const answer = { eventId: event.id, occurredAt: 0, state, repeat: false, agentView, gain: event.gain };
      return afterAnswer(progress, answer, LIMITS, (text) => text.length);
    }
    case 'draft':
      return afterDraft(progress, draftOf(event), LIMITS);
    case 'outcome': {
      const outcome = event.ended ? ('FALLBACK' as const) : null;
      const held = event.held ? ({} as never) : null;
      return afterOutcome(progress, { outcome, held, lastAttempt: event.attempt });
    }
  }
}

function draftOf({ id, attempt, tokens }: Extract<Event, { input: 'draft' }>): DraftSubmitted {
  const generation = {
    provider: null,
    model: null,
    requestId: null,
    inputTokens: null,
    outputTokens: null,
    totalTokens: tokens,
    cost: null,
    currency: null,
  };
  return {
    eventId: id,
    causedBy: null,
    runId: 'run-1',
    occurredAt: 0,
    draftId: id,
    attempt,
    draftJson: '{}',
    givenUp: null,
    prompt: null,
    generation,
    limits: null,
    ext: {},
  };
}

const tokens = fc.integer({ min: -5, max: 60 });
const lookups = fc.array(
  fc.record({
    input: fc.constant('lookup' as const),
    at: fc.integer({ min: 0, max: 1e9 }),
    maxLookups: fc.option(fc.integer({ min: -1, max: 6 })),
  }),
  { maxLength: 4 },
);
const answers = fc.array(
  fc.record({
    input: fc.constant('answer' as const),
    id: fc.integer({ min: 0, max: 1e6 }).map((i) => `answer-${i}`),
    gain: fc.option(fc.constantFrom<Gain>('NEW', 'UNCHANGED', 'NONE')),
    tokens: fc.integer({ min: 0, max: 60 }),
  }),
  { maxLength: 8 },
);
const drafts = fc.array(
  fc.record({
    input: fc.constant('draft' as const),
    id: fc.integer({ min: 0, max: 1e6 }).map((i) => `draft-${i}`),
    attempt: fc.integer({ min: 1, max: 5 }),
    tokens,
  }),
  { maxLength: 4 },
);
const outcomes = fc.array(
  fc.record({
    input: fc.constant('outcome' as const),
    ended: fc.boolean(),
    held: fc.boolean(),
    attempt: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 4 },
);
const inputs = fc.tuple(lookups, answers, drafts, outcomes).map((each) => each as readonly Event[][]);

/** The four inputs merged as `turns` says: each keeps its order. */
function merged(topics: readonly (readonly Event[])[], turns: readonly number[]): Event[] {
  const left = topics.map((events) => [...events]);
  const taken = turns.flatMap((turn) => left[turn % left.length]?.shift() ?? []);
  return [...taken, ...left.flat()];
}

/** The same, with events that were read before read again. What review knows is its latest word, so it stays in order. */
function withRepeats(events: readonly Event[], picks: readonly number[]): Event[] {
  return events.flatMap((event, i) => {
    const earlier = events.slice(0, i + 1).filter(({ input }) => input !== 'outcome');
    const again = earlier[(picks[i % Math.max(1, picks.length)] ?? 0) % Math.max(1, earlier.length)];
    return again === undefined ? [event] : [event, again];
  });
}

function fold(events: readonly Event[]): RunProgress {
  return events.reduce(after, noProgress);
}

/** Which of several limits was reached first, and which events were counted first, is a matter of timing. */
function comparable({ stopRequired, countedEventIds, ...progress }: RunProgress) {
  return { ...progress, counted: countedEventIds.toSorted(), mustStop: stopRequired !== null };
}

const turnsOf = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 24 });

describe('what a run has spent', () => {
  it('is the same for every interleaving of the four inputs, and whatever comes again', () => {
    fc.assert(
      fc.property(inputs, turnsOf, turnsOf, fc.array(fc.nat(), { maxLength: 8 }), (topics, a, b, picks) => {
        const once = fold(merged(topics, a));
        const again = fold(withRepeats(merged(topics, b), picks));
        expect(comparable(again)).toEqual(comparable(once));
      }),
    );
  });

  it('never goes back, and a run that was stopped stays stopped for the same reason', () => {
    fc.assert(
      fc.property(inputs, turnsOf, (topics, turns) => {
        let before = noProgress;
        for (const event of merged(topics, turns)) {
          const next = after(before, event);
          expect(next.lookups).toBeGreaterThanOrEqual(before.lookups);
          expect(next.tokens).toBeGreaterThanOrEqual(before.tokens);
          expect(next.lastAttempt).toBeGreaterThanOrEqual(before.lastAttempt);
          expect(next.hasOutcome || !before.hasOutcome).toBe(true);
          if (before.deadline !== null) expect(next.deadline).toBe(before.deadline);
          if (before.stopRequired !== null) expect(next.stopRequired).toEqual(before.stopRequired);
          before = next;
        }
      }),
    );
  });

  it('is given up at most once, never after an outcome and never while a draft is held', () => {
    const ticks = fc.array(fc.boolean(), { maxLength: 24 });
    fc.assert(
      fc.property(inputs, turnsOf, ticks, (topics, turns, isTick) => {
        let progress = noProgress;
        let givenUp = 0;
        const tick = (): void => {
          if (dueAt(progress) === null) return;
          const due = atDeadline(progress);
          if (due.draft !== null) {
            givenUp += 1;
            expect(progress).toMatchObject({ hasOutcome: false, isHeld: false });
            expect(due.draft.attempt).toBe(progress.lastAttempt + 1);
          }
          progress = due.progress;
          expect(progress.stopRequired).not.toBeNull();
        };
        for (const [i, event] of merged(topics, turns).entries()) {
          progress = after(progress, event);
          if (isTick[i] === true) tick();
        }
        tick();
        expect(givenUp).toBeLessThanOrEqual(1);
        if (givenUp === 0 && progress.deadline !== null)
          expect(progress.hasOutcome || progress.isHeld).toBe(true);
      }),
    );
  });
});

describe('the schedule', () => {
  it('names exactly what is due, in any order of setting and looking', () => {
    const command = fc.oneof(
      fc.record({
        set: fc.constantFrom('a', 'b', 'c', 'd'),
        at: fc.option(fc.integer({ min: 0, max: 20 })),
      }),
      fc.record({ look: fc.integer({ min: 0, max: 20 }) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const schedule = createSchedule();
        const model = new Map<string, number>();
        for (const each of commands) {
          if ('set' in each) {
            schedule.set(each.set, each.at);
            if (each.at === null) model.delete(each.set);
            else model.set(each.set, each.at);
            expect(schedule.has(each.set)).toBe(model.has(each.set));
          } else {
            const due = [...model].filter(([, at]) => at <= each.look).map(([name]) => name);
            expect(schedule.due(each.look, 10).toSorted()).toEqual(due.toSorted());
          }
        }
      }),
    );
  });

  it('names no more than it is asked for', () => {
    const schedule = createSchedule();
    for (const name of ['a', 'b', 'c']) schedule.set(name, 1);
    expect(schedule.due(1, 2)).toHaveLength(2);
  });
});
