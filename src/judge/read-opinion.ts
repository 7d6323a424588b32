import * as z from 'zod';
import type { JsonObject } from '../contracts/json.js';
import { cutText } from '../text/text.js';
import type { JudgedClaim, Judgement, Support } from './judge.js';
import { failed } from './judgements.js';
import type { JudgeLimits } from './limits.js';
import { opinionJson } from './opinion-json.js';
import type { Statement } from './question.js';
import { readScore } from './scores.js';

/**
 * What a model answered becomes a judgement. Nothing of it is believed further than it goes: it cannot add a claim,
 * leave one out, or score itself above what it says of the claims. Never throws.
 */
export function readOpinion(text: string, statements: readonly Statement[], limits: JudgeLimits): Judgement {
  const rawOutput = cutText(text.toWellFormed(), limits.rawChars);
  const opinion = opinionJson(text);
  if (opinion === null)
    return failed('PL_JUDGE_ANSWER', { problem: 'it is no JSON object, or not a whole one' }, rawOutput);
  const claims = readClaims(opinion['claims'], statements, limits);
  const stated = readScore('faithfulness_score', opinion['faithfulness_score']);
  const context = readScore('context_relevance_score', opinion['context_relevance_score']);
  const answer = readScore('answer_relevance_score', opinion['answer_relevance_score']);
  const faithful = faithfulness(stated.value, claims);
  const outcome = outcomeOf(opinion, claims);
  const notes = [stated.note, context.note, answer.note, ...claims.notes, faithful.note];
  return {
    outcome,
    faithfulnessScore: outcome === 'JUDGED' ? faithful.value : null,
    contextRelevanceScore: context.value,
    answerRelevanceScore: outcome === 'ABSTAINED' ? null : answer.value,
    reason: textOf(opinion['reason'], limits.reasonChars),
    rawOutput,
    claims: claims.claims,
    answersClaims: claims.answered > 0,
    notes: notes.filter((note) => note !== null),
    failure: null,
    source: 'ASKED',
  };
}

/** An answer that states something is an abstention only where the model says so, and calls nothing supported. */
function outcomeOf(opinion: JsonObject, { given, claims }: Claims): Judgement['outcome'] {
  if (opinion['abstained'] === true && !claims.some(({ supported }) => supported === 'yes'))
    return 'ABSTAINED';
  return given === 'empty' ? 'NO_CLAIMS' : 'JUDGED';
}

const claimSchema = z.object({
  id: z.int(),
  supported: z.enum(['yes', 'no', 'unclear']),
  why: z.unknown().optional(),
});

type ClaimAnswer = z.output<typeof claimSchema>;

interface Claims {
  readonly claims: readonly JudgedClaim[];
  /** How many of them it answered. */
  readonly answered: number;
  /** What stands in the place of the list. */
  readonly given: 'list' | 'empty' | 'nothing';
  readonly notes: readonly string[];
}

/** Of each statement what the judge says; what it says twice counts as the worse, what it leaves out is unclear. */
function readClaims(list: unknown, statements: readonly Statement[], limits: JudgeLimits): Claims {
  const answers = new Map<number, ClaimAnswer>();
  let unreadable = 0;
  let unknown = 0;
  for (const entry of Array.isArray(list) ? (list as unknown[]) : []) {
    const parsed = claimSchema.safeParse(entry);
    if (!parsed.success) unreadable += 1;
    else if (statements[parsed.data.id - 1] === undefined) unknown += 1;
    else answers.set(parsed.data.id, worse(answers.get(parsed.data.id), parsed.data));
  }
  const claims = statements.map((statement, i): JudgedClaim => {
    const answer = answers.get(i + 1);
    const why = textOf(answer?.why, limits.whyChars);
    return { ...statement, supported: answer?.supported ?? 'unclear', why };
  });
  const missing = statements.length - answers.size;
  return {
    claims,
    answered: answers.size,
    given: !Array.isArray(list) ? 'nothing' : list.length === 0 ? 'empty' : 'list',
    notes: [
      ...(missing > 0 ? [`${missing} of ${statements.length} claims were not answered`] : []),
      ...(unreadable > 0 ? [`${unreadable} entries of claims cannot be read`] : []),
      ...(unknown > 0 ? [`${unknown} entries are about claims that the answer does not make`] : []),
    ],
  };
}

const RANK: Readonly<Record<Support, number>> = { no: 0, unclear: 1, yes: 2 };

function worse(before: ClaimAnswer | undefined, now: ClaimAnswer): ClaimAnswer {
  return before === undefined || RANK[now.supported] < RANK[before.supported] ? now : before;
}

/**
 * The score that it stated, and never more than the share of the claims that it called supported. A score beside a list
 * that answers nothing is none; beside no list at all it is what the judge said, and `answersClaims` tells.
 */
function faithfulness(
  stated: number | null,
  { claims, answered, given }: Claims,
): { value: number | null; note: string | null } {
  if (stated === null || given === 'nothing') return { value: stated, note: null };
  if (answered === 0) return { value: null, note: 'faithfulness_score rests on no claim' };
  const share = claims.filter(({ supported }) => supported === 'yes').length / claims.length;
  if (stated <= share) return { value: stated, note: null };
  return {
    value: share,
    note: `faithfulness_score ${stated} is above the share of the claims that it calls supported, ${share}`,
  };
}

function textOf(value: unknown, limit: number): string {
  return typeof value === 'string' ? cutText(value.toWellFormed(), limit) : '';
}
