import { setTimeout as sleepFor } from 'node:timers/promises';
import { nestsAtMost } from '../../evidence/foreign-json.js';
import { evidenceLimits } from '../../evidence/limits.js';
import type { KnowledgeQuery, KnowledgeSearch, SearchOutcome } from '../knowledge-search.js';
import { down, failed } from '../outcomes.js';
import { createAnswerStreak } from './answer-streak.js';
import type { AnswerStreak } from './answer-streak.js';
import { attempt } from './attempt.js';
import { checkedSettings, pyRagDefaults } from './settings.js';
import type { PyRagSettings } from './settings.js';

/** What a test puts in the place of time and chance. */
export interface PyRagClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Resolves after `ms`; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const systemClock: PyRagClock = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal }),
};

/**
 * py-rag's API v1 over HTTP.
 *
 * *down*: refused, DNS, TLS, 401, 403, 429 at once, and whatever is the fifth lookup in a row without an
 * answer. *failed*: five attempts of timeout, 5xx or a broken connection while others are answered
 * (PL_RETRIEVAL_FAILED, retryable); another 4xx (PL_RETRIEVAL_REFUSED) and a broken contract
 * (PL_RETRIEVAL_CONTRACT), neither of them retried.
 *
 * Throws PL_CONFIG_INVALID when the address or the token cannot be used.
 */
export function createPyRag(
  settings: Partial<PyRagSettings> & Pick<PyRagSettings, 'url'>,
  clock: PyRagClock = systemClock,
): KnowledgeSearch {
  const checked = checkedSettings({ ...pyRagDefaults, ...settings });
  const streak = createAnswerStreak(checked.downAfter);
  let closed = false;
  return {
    name: 'py-rag',
    async search(query, { signal } = {}) {
      signal?.throwIfAborted();
      if (closed) return down('the retriever was closed');
      // What cannot be written as JSON cannot be asked.
      if (!nestsAtMost(query.filters, evidenceLimits.jsonDepth))
        return failed('PL_RETRIEVAL_REFUSED', { problem: 'its filters are nested too deeply' });
      return lookUp(checked, streak, clock, query, signal);
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

async function lookUp(
  settings: PyRagSettings,
  streak: AnswerStreak,
  clock: PyRagClock,
  query: KnowledgeQuery,
  signal: AbortSignal | undefined,
): Promise<SearchOutcome> {
  for (let made = 1; ; made++) {
    const result = await attempt(settings, query, signal, clock.now);
    if (result.kind === 'settled') {
      if (result.outcome.kind !== 'down') streak.answered();
      return result.outcome;
    }
    // One attempt is enough to learn that a service which is down is still down.
    if (made >= settings.attempts || streak.isDown) return giveUp(streak, result.problem);
    await pause(backoff(settings, made, clock.random()), clock, signal);
  }
}

function giveUp(streak: AnswerStreak, problem: string): SearchOutcome {
  streak.unanswered();
  return streak.isDown ? down(problem) : failed('PL_RETRIEVAL_FAILED', { problem });
}

/** Milliseconds after attempt number `made`: doubled each time, the upper half of it by chance. */
function backoff(settings: PyRagSettings, made: number, chance: number): number {
  const whole = Math.min(settings.backoffMs * 2 ** (made - 1), settings.maxBackoffMs);
  return (whole / 2) * (1 + chance);
}

async function pause(ms: number, clock: PyRagClock, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } finally {
    // The reason itself, not the timer's word for it.
    signal?.throwIfAborted();
  }
}
