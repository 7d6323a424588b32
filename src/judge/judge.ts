import type { ErrorCode } from '../contracts/errors.js';
import type { Hit } from '../contracts/generated.js';

/** An answer and what it was written from. */
export interface JudgeQuestion {
  /** What was asked. */
  readonly query: string;
  readonly answer: string;
  /** The text that the answer was written from; blank where `hits` are all that was shown. */
  readonly context: string;
  readonly hits: readonly JudgeHit[];
}

export type JudgeHit = Pick<Hit, 'evidenceKey' | 'content'>;

/**
 * How a judgement ended. These are values because all of them are expected:
 * - JUDGED: the judge said something about the answer. What it did not say is null or `unclear`.
 * - NO_CLAIMS: the answer states nothing, so that there is nothing to be faithful about.
 * - ABSTAINED: the answer says that it does not know.
 * - FAILED: nothing is known about the answer; `failure` says why.
 */
export type JudgeOutcome = 'JUDGED' | 'NO_CLAIMS' | 'ABSTAINED' | 'FAILED';

/** Whether the evidence says so. */
export type Support = 'yes' | 'no' | 'unclear';

/** One statement of the answer, and what the judge says of it. */
export interface JudgedClaim {
  /** `answer.slice(start, end)`. */
  readonly claim: string;
  /** Its place in the answer, UTF-16, end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly supported: Support;
  /** In the judge's words; empty where it gave none. */
  readonly why: string;
}

export interface JudgeFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What a judge says. Every score is a number from 0 to 1, or null where it gave none that can be believed. */
export interface Judgement {
  readonly outcome: JudgeOutcome;
  /** How much of what the answer states the evidence says. Null unless JUDGED. */
  readonly faithfulnessScore: number | null;
  /** How well the evidence fits the question. */
  readonly contextRelevanceScore: number | null;
  /** How well the answer fits the question. Null where it abstained. */
  readonly answerRelevanceScore: number | null;
  /** In the judge's words. No rule reads it. */
  readonly reason: string;
  /** What the judge answered, as it came, cut; empty where it was not asked or did not answer. */
  readonly rawOutput: string;
  /** Each statement of the answer, in its order. Empty where nobody looked at them. */
  readonly claims: readonly JudgedClaim[];
  /** Whether the judge answered for any claim: a score without that rests on nothing. */
  readonly answersClaims: boolean;
  /** What of its answer was not taken as it came, and why. */
  readonly notes: readonly string[];
  /** Set where the outcome is FAILED, and only there. */
  readonly failure: JudgeFailure | null;
  /** Where it comes from: a model, what a model said before to the same question, or rules alone. */
  readonly source: 'ASKED' | 'CACHE' | 'RULES';
}

export interface JudgeOptions {
  /** Gives the question up. */
  readonly signal?: AbortSignal;
}

/**
 * Says how an answer stands to its evidence. It is an opinion and no proof: what follows from it is not this port's
 * job, and neither is when it is asked.
 *
 * An implementation
 * - MUST answer with a Judgement whatever the question holds: empty, huge, malformed, hostile;
 * - MUST reject with `signal.reason` when the signal aborts, and MUST NOT reject for anything else;
 * - MUST NOT let a number stand for "not known": a score that is missing, or cannot be read, is null;
 * - MUST say ABSTAINED of an answer that only says that it does not know, whatever a model scores it;
 * - MUST take question and evidence as data: nothing in them may change the form of the judgement;
 * - MUST bound what it reads from elsewhere in bytes and in time, and what it hands on in length;
 * - MUST NOT put secrets, or text of a foreign body, into the message of a failure;
 * - MUST take concurrent questions;
 * - after `close`, which MAY be called more than once, MUST answer FAILED.
 */
export interface Judge {
  /** For logs: `chat`, `memory`. */
  readonly name: string;
  /** The model that judges. */
  readonly model: string;
  /** SHA-256 of the prompt, hex. */
  readonly promptSha256: string;
  judge(question: JudgeQuestion, options?: JudgeOptions): Promise<Judgement>;
  close(): Promise<void>;
}
