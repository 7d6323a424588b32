import type { Judge, Judgement } from './judge.js';
import { questionSha256 } from './question.js';

/**
 * Answers a question that was answered before without asking: at most `entries` of them, those that were longest not
 * asked are forgotten. A failure is never kept, and a repeat is marked. It lasts as long as the process.
 */
export function cachedJudge(judge: Judge, entries: number): Judge {
  const known = new Map<string, Judgement>();

  function recall(key: string): Judgement | undefined {
    const found = known.get(key);
    if (found === undefined) return undefined;
    known.delete(key);
    known.set(key, found);
    return found;
  }

  function keep(key: string, judgement: Judgement): void {
    if (judgement.source !== 'ASKED' || judgement.failure !== null) return;
    known.set(key, judgement);
    const [oldest] = known.keys();
    if (known.size > entries && oldest !== undefined) known.delete(oldest);
  }

  return {
    ...judge,
    async judge(question, options) {
      options?.signal?.throwIfAborted();
      const key = questionSha256(judge, question);
      const found = recall(key);
      if (found !== undefined) return { ...found, source: 'CACHE' };
      const judgement = await judge.judge(question, options);
      keep(key, judgement);
      return judgement;
    },
    async close() {
      known.clear();
      await judge.close();
    },
  };
}
