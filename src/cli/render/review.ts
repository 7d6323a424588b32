import { errorTable, type ErrorCode } from '../../contracts/errors.js';
import type { JsonObject } from '../../contracts/json.js';
import { instantToJson } from '../../contracts/record-json.js';
import type { HeldSummary } from '../../line/held-drafts.js';
import type { DecisionAnswer } from '../../line/line-client.js';
import { adviceLines, LABEL, WIDTH, type Typed } from './advice.js';
import { labelled, type Paint } from './page.js';
import { safeText } from './safe-text.js';
import { repairLines, type RepairJson } from './submission.js';
import { renderTable } from './table.js';

/** Held drafts in a list, and what came of a decision. */

export function heldJson({ since, runId, draftId, verdictEventId, ...rest }: HeldSummary): JsonObject {
  return {
    run_id: runId,
    draft_id: draftId,
    ...rest,
    since: instantToJson(since),
    verdict_event_id: verdictEventId,
  };
}

const HEADING = ['SINCE', 'RUN', 'DRAFT', 'ATTEMPT', 'WHY', 'RUN HAS'];

export function heldTable(drafts: readonly HeldSummary[], paint: Paint, typed: Typed): readonly string[] {
  const [first] = drafts;
  if (first === undefined) return ['No draft waits for a person.'];
  const rows = drafts.map(({ since, runId, draftId, attempt, because, outcome }) => [
    String(instantToJson(since)),
    runId,
    draftId,
    String(attempt),
    because,
    outcome ?? 'no outcome',
  ]);
  const show = { command: typed(`review show ${first.runId} ${first.draftId}`), why: 'look into the oldest' };
  return [renderTable(HEADING, rows), ...adviceLines([show], paint)];
}

/** Why a draft is held, for a person. */
export function becauseWords(because: string): string {
  if (Object.hasOwn(errorTable, because)) {
    const { message, solve } = errorTable[because as ErrorCode];
    return `${because}: ${message}. ${solve}`;
  }
  return because === 'NOT_EVALUATED'
    ? 'NOT_EVALUATED: the review could not tell whether the evidence carries what the draft says.'
    : because;
}

/** What the renderer reads of a Reviewed and a VerifiedDraft in JSON form. */
interface ReviewedJson {
  readonly run_id: string;
  readonly draft_id: string;
  readonly decision: 'PUBLISH' | 'REPAIR' | 'FALLBACK' | 'STALE' | 'HOLD';
  readonly person: { readonly by: string; readonly reason: string } | null;
}

const CAME_TO = {
  PUBLISH: 'it is published',
  REPAIR: 'it is not published; a better draft is asked for',
  FALLBACK:
    'it is not published; the run has no attempts or no time left, and the fixed fallback text went out',
  STALE: 'nothing changed; the draft is no longer held, and the run keeps what it has',
  HOLD: 'it is still held',
} as const;

const CAME_TOO_LATE = 'The decision came too late: a newer draft, or another decision, was there first.';
const DECIDED_BEFORE = 'Somebody had decided first: this is what came of that.';

export function decisionPage(answer: DecisionAnswer, paint: Paint, typed: Typed): readonly string[] {
  const reviewed = answer.reviewed as unknown as ReviewedJson;
  const { run_id: run, draft_id: draft, decision, person } = reviewed;
  const tone = decision === 'PUBLISH' ? 'good' : 'bad';
  const replaces = answer.verified?.['replaces'];
  return [
    `${'draft'.padEnd(LABEL)}${safeText(draft)}, run ${safeText(run)}`,
    `${'decision'.padEnd(LABEL)}${paint(tone, decision)}: ${CAME_TO[decision]}`,
    ...(typeof replaces === 'string'
      ? [`${''.padEnd(LABEL)}in place of the fallback ${safeText(replaces)}`]
      : []),
    ...(person === null ? [] : labelled('by'.padEnd(LABEL), `${person.by}: ${person.reason}`, WIDTH)),
    ...(answer.counted ? [] : [paint('unsure', decision === 'STALE' ? CAME_TOO_LATE : DECIDED_BEFORE)]),
    ...(answer.repair === null ? [] : repairLines(answer.repair as unknown as RepairJson, 'en', paint)),
    '',
    ...adviceLines([{ command: typed(`trail ${run}`), why: 'see everything that the run did' }], paint),
  ];
}
