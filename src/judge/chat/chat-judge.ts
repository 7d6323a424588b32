import { setTimeout as sleepFor } from 'node:timers/promises';
import { createAnswerStreak } from '../../retrieval/py-rag/answer-streak.js';
import { utf8Length } from '../../text/text.js';
import { createBudget } from '../budget.js';
import type { Judge, JudgeQuestion, Judgement } from '../judge.js';
import { failed } from '../judgements.js';
import { judgeMessages, judgePrompt, type ChatMessage } from '../prompt.js';
import { examine } from '../question.js';
import { readOpinion } from '../read-opinion.js';
import { exchange, type Exchange } from './exchange.js';
import { chatJudgeDefaults, checkedSettings, type ChatJudgeSettings } from './settings.js';

/** What a test puts in the place of time and chance. */
export interface ChatJudgeClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Resolves after `ms`; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const systemClock: ChatJudgeClock = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleepFor(ms, undefined, signal === undefined ? {} : { signal }),
};

/**
 * A judge behind any OpenAI-compatible chat completions endpoint.
 *
 * FAILED says PL_JUDGE_DOWN after the attempts of timeout, 429, 5xx or a broken connection, and while the endpoint is
 * left alone: for as long as it asked (Retry-After), or for `restMs` once it left `downAfter` questions in a row without
 * an answer. PL_JUDGE_REFUSED: 401, 403, another 4xx, a redirect. PL_JUDGE_ANSWER: what it answers is no opinion.
 * PL_JUDGE_BUDGET: the hour's calls or tokens are spent; every attempt is a call. PL_JUDGE_TOO_LARGE: it was not asked.
 *
 * Throws PL_CONFIG_INVALID when the address, the key or the model cannot be used.
 */
export function createChatJudge(
  settings: Partial<ChatJudgeSettings> & Pick<ChatJudgeSettings, 'url' | 'model'>,
  clock: ChatJudgeClock = systemClock,
): Judge {
  const checked = checkedSettings({ ...chatJudgeDefaults, ...settings });
  const ask = createAsking(checked, clock);
  let closed = false;
  return {
    name: 'chat',
    model: checked.model,
    promptSha256: judgePrompt.sha256,
    async judge(question, { signal } = {}) {
      signal?.throwIfAborted();
      if (closed) return down('the judge was closed');
      return judgeOnce(question, checked, ask, signal);
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

async function judgeOnce(
  question: JudgeQuestion,
  { limits }: ChatJudgeSettings,
  ask: Ask,
  signal: AbortSignal | undefined,
): Promise<Judgement> {
  const examined = examine(question, limits);
  if (examined.kind === 'known') return examined.judgement;
  const asked = await ask(judgeMessages(examined.question, examined.statements), signal);
  return 'failure' in asked ? asked.failure : readOpinion(asked.text, examined.statements, limits);
}

/** Asks as often as it may; rejects only with the signal's reason. */
type Ask = (
  messages: readonly ChatMessage[],
  signal: AbortSignal | undefined,
) => Promise<{ readonly text: string } | { readonly failure: Judgement }>;

function createAsking(settings: ChatJudgeSettings, clock: ChatJudgeClock): Ask {
  const streak = createAnswerStreak(settings.downAfter);
  const budget = createBudget(settings, clock.now);
  let restsUntil = 0;

  function rest(ms: number): void {
    restsUntil = Math.max(restsUntil, clock.now() + ms);
  }

  /** One call of the hour's, whatever comes of it; null when there is none left. */
  async function call(
    messages: readonly ChatMessage[],
    signal: AbortSignal | undefined,
  ): Promise<Exchange | null> {
    const spending = budget.take(tokensOf(messages));
    if (spending === null) return null;
    const result = await exchange(settings, messages, signal, clock.now);
    if (result.kind === 'answered') spending.settle(result.completion.tokens);
    else if (result.kind === 'unanswered' && !result.mayHaveCost) spending.settle(0);
    return result;
  }

  return async (messages, signal) => {
    for (let made = 1; ; made++) {
      const rests = restsUntil - clock.now();
      if (rests > 0) return failure(down(`it is left alone for ${Math.ceil(rests / 1000)} s more`));
      const result = await call(messages, signal);
      if (result === null) return failure(failed('PL_JUDGE_BUDGET', {}));
      if (result.kind !== 'unanswered') streak.answered();
      if (result.kind === 'answered') return { text: result.completion.text };
      if (result.kind === 'refused') return failure(failed(result.code, { problem: result.problem }));
      const { retryAfterMs, problem } = result;
      if (retryAfterMs !== null && retryAfterMs > settings.maxBackoffMs) {
        rest(retryAfterMs);
        return failure(down(problem));
      }
      // One attempt is enough to learn that an endpoint which is down is still down.
      if (made >= settings.attempts || streak.isDown) {
        streak.unanswered();
        if (streak.isDown) rest(settings.restMs);
        return failure(down(problem));
      }
      await pause(Math.max(backoff(settings, made, clock.random()), retryAfterMs ?? 0), clock, signal);
    }
  };
}

function failure(judgement: Judgement): { readonly failure: Judgement } {
  return { failure: judgement };
}

function down(problem: string): Judgement {
  return failed('PL_JUDGE_DOWN', { problem });
}

/** Bytes of text for a token, so that the estimate is rather too high; and what an answer takes about. */
const BYTES_PER_TOKEN = 3;
const ANSWER_TOKENS = 500;

function tokensOf(messages: readonly ChatMessage[]): number {
  const bytes = messages.reduce((sum, { content }) => sum + utf8Length(content), 0);
  return Math.ceil(bytes / BYTES_PER_TOKEN) + ANSWER_TOKENS;
}

/** Milliseconds after attempt number `made`: doubled each time, the upper half of it by chance. */
function backoff(settings: ChatJudgeSettings, made: number, chance: number): number {
  const whole = Math.min(settings.backoffMs * 2 ** (made - 1), settings.maxBackoffMs);
  return (whole / 2) * (1 + chance);
}

async function pause(ms: number, clock: ChatJudgeClock, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } finally {
    // The reason itself, not the timer's word for it.
    signal?.throwIfAborted();
  }
}
