import { sha256 } from '../contracts/digest.js';
import type { Judge, JudgeQuestion } from './judge.js';
import { failed } from './judgements.js';
import { judgeLimits } from './limits.js';
import { examine, type Statement } from './question.js';
import { readOpinion } from './read-opinion.js';

/** What a model would answer: a text, or JSON. */
export type MemoryOpinion = (question: JudgeQuestion, statements: readonly Statement[]) => unknown;

/** A judge without a model, for benchmarks and tests: it answers at once, with what it was given. */
export function memoryJudge(opinion: MemoryOpinion): Judge {
  let closed = false;
  return {
    name: 'memory',
    model: 'memory',
    promptSha256: sha256(''),
    async judge(question, { signal } = {}) {
      await Promise.resolve();
      signal?.throwIfAborted();
      if (closed) return failed('PL_JUDGE_DOWN', { problem: 'the judge was closed' });
      const examined = examine(question, judgeLimits);
      if (examined.kind === 'known') return examined.judgement;
      const said = opinion(examined.question, examined.statements);
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      return readOpinion(text, examined.statements, judgeLimits);
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}
