import * as z from 'zod';
import type { JudgeRef, JudgeScores } from '../contracts/generated.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import { errorTable, type ErrorCode } from '../contracts/errors.js';
import { invocation } from '../station/invocation.js';
import type { Emission } from '../station/station.js';
import { VERSION } from '../version.js';
import type { Asked } from './ask.js';
import type { Judgement } from './judge.js';
import { judgePrompt } from './prompt.js';

/** What is kept of a judgement: an event of the audit, from which a replay takes it instead of asking again. */

export const JUDGE_EVALUATION = 'JUDGE_EVALUATION';

/** What reviewed.v1 and verified.v1 say of the judge. */
export function judgeRefOf({ model, promptSha256, judgement }: Asked): JudgeRef {
  return { model, promptSha256, scores: scoresOf(judgement) };
}

function scoresOf(judgement: Judgement): JudgeScores {
  return {
    faithfulness: judgement.faithfulnessScore,
    contextRelevance: judgement.contextRelevanceScore,
    answerRelevance: judgement.answerRelevanceScore,
  };
}

/** @param station who asked */
export function judgeRecord(asked: Asked, draftId: string, station: string): Emission {
  const { judgement, startedAt, finishedAt } = asked;
  const { claims, outcome, failure } = judgement;
  const note = invocation({
    kind: JUDGE_EVALUATION,
    outcome,
    code: failure?.code ?? null,
    draftId,
    countIn: claims.length,
    countOut: claims.filter(({ supported }) => supported === 'yes').length,
    facts: factsOf(asked),
  });
  const measured = { startedAt, finishedAt };
  return { topic: 'tool-invocation.v1', body: { ...note, station, version: VERSION, measured, ext: {} } };
}

const CLAIM_CHARS = 400;

function factsOf({ judgement, model, promptSha256, questionSha256 }: Asked): Facts {
  const scores = scoresOf(judgement);
  return {
    model,
    prompt_sha256: promptSha256,
    ...(promptSha256 === judgePrompt.sha256 && { prompt: `${judgePrompt.id} ${judgePrompt.version}` }),
    question_sha256: questionSha256,
    source: judgement.source,
    outcome: judgement.outcome,
    scores: {
      faithfulness: scores.faithfulness,
      context_relevance: scores.contextRelevance,
      answer_relevance: scores.answerRelevance,
    },
    claims: judgement.claims.map(({ claim, ...rest }) => ({
      claim: claim.slice(0, CLAIM_CHARS).toWellFormed(),
      ...rest,
    })),
    answers_claims: judgement.answersClaims,
    notes: [...judgement.notes],
    failure: judgement.failure,
    reason: judgement.reason,
    raw_output: judgement.rawOutput,
  };
}

const score = z.number().min(0).max(1).nullable();
const place = z.int().min(0);

const factsSchema = z.object({
  model: z.string(),
  prompt_sha256: z.string(),
  prompt: z.string().optional(),
  question_sha256: z.string(),
  source: z.enum(['ASKED', 'CACHE', 'RULES']),
  outcome: z.enum(['JUDGED', 'NO_CLAIMS', 'ABSTAINED', 'FAILED']),
  scores: z.object({ faithfulness: score, context_relevance: score, answer_relevance: score }),
  claims: z.array(
    z.object({
      claim: z.string(),
      start: place,
      end: place,
      supported: z.enum(['yes', 'no', 'unclear']),
      why: z.string(),
    }),
  ),
  answers_claims: z.boolean(),
  notes: z.array(z.string()),
  failure: z.object({ code: z.custom<ErrorCode>(isErrorCode), message: z.string() }).nullable(),
  reason: z.string(),
  raw_output: z.string(),
});

type Facts = z.output<typeof factsSchema>;

function isErrorCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}

/**
 * The judgement that the event of kind JUDGE_EVALUATION recorded, as `askAll` answered it; null where its `facts_json`
 * is no judgement. A claim's text is its beginning; its place tells the rest.
 */
export function recordedJudgement(
  factsJson: string,
  measured: { readonly startedAt: number; readonly finishedAt: number },
): Asked | null {
  const json = parseJson(factsJson);
  const parsed = isJsonObject(json) ? factsSchema.safeParse(json) : null;
  if (parsed?.success !== true) return null;
  const { scores, ...facts } = parsed.data;
  const judgement: Judgement = {
    outcome: facts.outcome,
    faithfulnessScore: scores.faithfulness,
    contextRelevanceScore: scores.context_relevance,
    answerRelevanceScore: scores.answer_relevance,
    reason: facts.reason,
    rawOutput: facts.raw_output,
    claims: facts.claims,
    answersClaims: facts.answers_claims,
    notes: facts.notes,
    failure: facts.failure,
    source: facts.source,
  };
  const { startedAt, finishedAt } = measured;
  return {
    judgement,
    model: facts.model,
    promptSha256: facts.prompt_sha256,
    questionSha256: facts.question_sha256,
    startedAt,
    finishedAt,
  };
}
