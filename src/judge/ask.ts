import { setMaxListeners } from 'node:events';
import type { Judge, JudgeQuestion, Judgement } from './judge.js';
import { failed } from './judgements.js';
import { questionSha256 } from './question.js';

/** What a judge said of one question, and when: what is recorded. */
export interface Asked {
  readonly judgement: Judgement;
  readonly model: string;
  readonly promptSha256: string;
  /** Of what was asked: see `questionSha256`. */
  readonly questionSha256: string;
  /** Wall clock, epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

export interface Asking {
  /** For all the questions together: what is not answered by then is FAILED, and nobody waits for it. */
  readonly waitMs: number;
  /** Who asks is going away: rejects with its reason. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Answers in the order of the questions. Rejects only with the signal's reason, whatever the judge does. */
export async function askAll(
  judge: Judge,
  questions: readonly JudgeQuestion[],
  { waitMs, signal, now }: Asking,
): Promise<readonly Asked[]> {
  const patience = new AbortController();
  // Every question listens to it.
  setMaxListeners(0, patience.signal);
  const giveUp = (): void => patience.abort(signal.reason);
  const timer = setTimeout(() => patience.abort(), waitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    const answers = await Promise.all(
      questions.map(async (question): Promise<Asked> => {
        const startedAt = now();
        const judgement = await inTime(judge, question, patience.signal, waitMs);
        const { model, promptSha256 } = judge;
        const digest = questionSha256(judge, question);
        return { judgement, model, promptSha256, questionSha256: digest, startedAt, finishedAt: now() };
      }),
    );
    signal.throwIfAborted();
    return answers;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** A judge that does not keep to its signal, or throws, stops nobody. */
async function inTime(
  judge: Judge,
  question: JudgeQuestion,
  signal: AbortSignal,
  waitMs: number,
): Promise<Judgement> {
  const late = failed('PL_JUDGE_DOWN', { problem: `no answer within ${waitMs / 1000} s` });
  let stop = (): void => undefined;
  const ended = new Promise<Judgement>((resolve) => {
    stop = () => resolve(late);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  const judged = (async () => judge.judge(question, { signal }))().catch(() =>
    signal.aborted ? late : failed('PL_JUDGE_DOWN', { problem: 'it failed in a way that nobody expected' }),
  );
  try {
    return await Promise.race([judged, ended]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
