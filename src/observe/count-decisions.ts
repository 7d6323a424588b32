import { errorTable } from '../contracts/errors.js';
import type { ReviewOutcome, ToolInvocation, VerdictStatus } from '../contracts/generated.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import type { TopicName } from '../contracts/topics.js';
import { violationTable } from '../guard/violations.js';
import type { StopReason } from '../harness/stop.js';
import type { JudgeOutcome, Judgement } from '../judge/judge.js';
import type { Decision } from '../station/decide-batch.js';
import type { Emission } from '../station/station.js';
import type { Metrics } from './metrics.js';

/** The one place where what stations emit becomes metrics. Only what is committed is counted. */
export function countDecisions(metrics: Metrics, station: string, decisions: readonly Decision[]): void {
  const written = new Map<TopicName, number>();
  for (const { passedOver, outcome, emissions, records } of decisions) {
    if (passedOver !== undefined)
      metrics.count('proofline_records_passed_over_total', { station, code: passedOver });
    if (outcome.kind === 'dead-letter')
      metrics.count('proofline_dead_letters_total', { station, code: outcome.code });
    for (const emission of emissions) countEmission(metrics, emission);
    for (const { topic } of records) written.set(topic, (written.get(topic) ?? 0) + 1);
  }
  for (const [topic, records] of written)
    metrics.count('proofline_records_out_total', { station, topic }, records);
}

function countEmission(metrics: Metrics, emission: Emission): void {
  switch (emission.topic) {
    case 'verdict.v1':
      metrics.count('proofline_verdicts_total', { status: emission.body.status });
      for (const { code } of emission.body.violations)
        metrics.count('proofline_violations_total', { code: known(violationTable, code) });
      return;
    case 'reviewed.v1':
      metrics.count('proofline_decisions_total', { decision: emission.body.decision });
      return;
    case 'projected.v1':
      if (emission.body.failure !== null && !emission.body.repeat)
        metrics.count('proofline_lookup_failures_total', {
          code: known(errorTable, emission.body.failure.code),
        });
      return;
    case 'tool-invocation.v1':
      if (emission.body.kind === 'PROJECT') countLookup(metrics, emission.body);
      if (emission.body.kind === 'HARNESS') countRun(metrics, emission.body);
      if (emission.body.kind === 'JUDGE_EVALUATION') countJudgement(metrics, emission.body);
      return;
    default:
  }
}

type Answered = Pick<ToolInvocation, 'outcome' | 'evidenceStatus' | 'relevanceLevel'>;

function countLookup(metrics: Metrics, { outcome, evidenceStatus, relevanceLevel }: Answered): void {
  const shown = outcome === 'READY' ? (evidenceStatus ?? 'NO_EVIDENCE') : outcome;
  metrics.count('proofline_lookups_total', {
    outcome: known(LOOKUPS, shown),
    grade: relevanceLevel ?? 'NONE',
  });
}

/** What the harness notes of a run: that it may ask no more, that it was given up, or both at once. */
function countRun(
  metrics: Metrics,
  { outcome, factsJson }: Pick<ToolInvocation, 'outcome' | 'factsJson'>,
): void {
  const facts = parseJson(factsJson);
  const { stopped_for: stoppedFor, given_up: givenUp } = isJsonObject(facts) ? facts : {};
  if (typeof stoppedFor === 'string')
    metrics.count('proofline_runs_stopped_total', { reason: known(STOPS, stoppedFor) });
  if (outcome === 'GIVEN_UP' && typeof givenUp === 'string')
    metrics.count('proofline_runs_given_up_total', { reason: known(GIVEN_UP, givenUp) });
}

type Judged = Pick<ToolInvocation, 'outcome' | 'code' | 'factsJson' | 'measured'>;

/** What the judge said, where from, and how long it took where it was asked. */
function countJudgement(metrics: Metrics, { outcome, code, factsJson, measured }: Judged): void {
  const facts = parseJson(factsJson);
  const source = isJsonObject(facts) && typeof facts['source'] === 'string' ? facts['source'] : '';
  metrics.count('proofline_judgements_total', {
    outcome: known(JUDGEMENTS, outcome),
    source: known(SOURCES, source),
  });
  if (code !== null) metrics.count('proofline_judge_failures_total', { code: known(errorTable, code) });
  const seconds = (measured.finishedAt - measured.startedAt) / 1000;
  if (source === 'ASKED') metrics.observe('proofline_judge_seconds', {}, Math.max(0, seconds));
}

const JUDGEMENTS: Readonly<Record<JudgeOutcome, true>> = {
  JUDGED: true,
  NO_CLAIMS: true,
  ABSTAINED: true,
  FAILED: true,
};
const SOURCES: Readonly<Record<Judgement['source'], true>> = { ASKED: true, CACHE: true, RULES: true };

const STOPS: Readonly<Record<StopReason, true>> = {
  MAX_LOOKUPS: true,
  MAX_TOKENS: true,
  NO_GAIN: true,
  DEADLINE: true,
};
const GIVEN_UP = { DEADLINE: true, BUDGET: true };

const LOOKUPS = {
  EVIDENCE_FOUND: true,
  NO_EVIDENCE: true,
  FAILED: true,
  REPEAT: true,
  REFUSED: true,
  ALREADY_ANSWERED: true,
};

/** Codes travel as text, and whoever can write to a topic can write any: what no table knows is one series. */
function known(table: object, code: string): string {
  return Object.hasOwn(table, code) ? code : 'OTHER';
}

const VERDICTS: Readonly<Record<VerdictStatus, true>> = { PASSED: true, REJECTED: true, ABANDONED: true };
const DECISIONS: Readonly<Record<ReviewOutcome, true>> = {
  PUBLISH: true,
  REPAIR: true,
  HOLD: true,
  FALLBACK: true,
  STALE: true,
};

/** A rate can be taken of the first event only where there was a zero before it. */
export function countFromZero(metrics: Metrics): void {
  for (const status of Object.keys(VERDICTS)) metrics.count('proofline_verdicts_total', { status }, 0);
  for (const decision of Object.keys(DECISIONS)) metrics.count('proofline_decisions_total', { decision }, 0);
  for (const outcome of Object.keys(LOOKUPS))
    metrics.count('proofline_lookups_total', { outcome, grade: 'NONE' }, 0);
  for (const reason of Object.keys(STOPS)) metrics.count('proofline_runs_stopped_total', { reason }, 0);
  for (const reason of Object.keys(GIVEN_UP)) metrics.count('proofline_runs_given_up_total', { reason }, 0);
  for (const outcome of Object.keys(JUDGEMENTS))
    metrics.count('proofline_judgements_total', { outcome, source: 'ASKED' }, 0);
  for (const outcome of ['exported', 'failed']) metrics.count('proofline_spans_total', { outcome }, 0);
}
