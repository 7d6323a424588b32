import canonicalize from 'canonicalize';
import { sha256 } from '../contracts/digest.js';
import { bindAnswer, type Claim } from '../spans/bind-answer.js';
import { isBlank } from '../text/text.js';
import type { Judge, JudgeHit, JudgeQuestion, Judgement } from './judge.js';
import { failed, settled } from './judgements.js';
import type { JudgeLimits } from './limits.js';

/** A statement of the answer; places are UTF-16, end exclusive. */
export interface Statement {
  readonly claim: string;
  readonly start: number;
  readonly end: number;
}

/** What is to be asked, or what is known without asking. */
export type Examined =
  | { readonly kind: 'known'; readonly judgement: Judgement }
  | {
      readonly kind: 'open';
      readonly question: JudgeQuestion;
      /** At least one, in the order of the answer. */
      readonly statements: readonly Statement[];
    };

/**
 * Cuts the answer into its statements (docs/spans.md), so that the judge is asked about each of them and can leave none
 * out. An answer that states nothing is not asked about, and neither is one that is too large: a part of it would pass
 * for the whole.
 */
export function examine(question: JudgeQuestion, limits: JudgeLimits): Examined {
  const chars = lengthOf(question);
  if (chars > limits.questionChars) return known(tooLarge('characters', chars, limits.questionChars));
  const whole = wellFormed(question);
  const { claims } = bindAnswer(whole.answer, { citations: [] });
  const statements = claims
    .filter(({ kind }) => kind === 'STATEMENT')
    .map((claim) => cut(whole.answer, claim));
  if (statements.length > limits.claims)
    return known(tooLarge('statements', statements.length, limits.claims));
  if (statements.length > 0) return { kind: 'open', question: whole, statements };
  const abstained = claims.some(({ kind }) => kind === 'ABSTENTION');
  return known(settled(abstained ? 'ABSTAINED' : 'NO_CLAIMS'));
}

function known(judgement: Judgement): Examined {
  return { kind: 'known', judgement };
}

function tooLarge(what: string, found: number, limit: number): Judgement {
  return { ...failed('PL_JUDGE_TOO_LARGE', { found, what, limit }), source: 'RULES' };
}

function lengthOf({ query, answer, context, hits }: JudgeQuestion): number {
  const shown = hits.reduce((sum, hit) => sum + hit.evidenceKey.length + hit.content.length, 0);
  return query.length + answer.length + context.length + shown;
}

/** What is digested and sent is the same text everywhere. */
function wellFormed({ query, answer, context, hits }: JudgeQuestion): JudgeQuestion {
  return {
    query: query.toWellFormed(),
    answer: answer.toWellFormed(),
    context: context.toWellFormed(),
    hits: hits.map(({ evidenceKey, content }) => ({
      evidenceKey: evidenceKey.toWellFormed(),
      content: content.toWellFormed(),
    })),
  };
}

function cut(answer: string, { start, end }: Claim): Statement {
  return { claim: answer.slice(start, end), start, end };
}

/** The pieces of evidence: the context where there is one, because it is what the answer was written from. */
export function evidenceOf({ context, hits }: JudgeQuestion): readonly JudgeHit[] {
  if (!isBlank(context)) return [{ evidenceKey: 'context', content: context }];
  return hits.filter(({ content }) => !isBlank(content));
}

/** Names what a judgement is about: SHA-256, hex, of the RFC 8785 JSON of model, prompt and question. */
export function questionSha256(
  { model, promptSha256 }: Pick<Judge, 'model' | 'promptSha256'>,
  question: JudgeQuestion,
): string {
  const { query, answer, context, hits } = wellFormed(question);
  const shown = hits.map(({ evidenceKey, content }) => [evidenceKey, content]);
  return sha256(canonicalize([model.toWellFormed(), promptSha256, query, answer, context, shown]) ?? '');
}
