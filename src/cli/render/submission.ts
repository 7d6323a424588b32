import { errorTable, type ErrorCode } from '../../contracts/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../../contracts/json.js';
import type { DraftAnswer } from '../../line/line-client.js';
import type { Language } from '../../repair/languages.js';
import { adviceLines, counted, LABEL, WIDTH, type Advice, type Typed } from './advice.js';
import { wrapped, type Paint } from './page.js';
import { safeLines, safeText } from './safe-text.js';
import { verdictWords, violationLines, type ShownViolation } from './verdict.js';

/** What the renderer reads of a GuardVerdict and a Reviewed in JSON form. */
interface VerdictJson {
  readonly run_id: string;
  readonly draft_id: string;
  readonly attempt: number;
  readonly status: 'PASSED' | 'REJECTED' | 'ABANDONED';
  readonly violation_count: number;
  readonly violations: readonly {
    readonly code: string;
    readonly path: string;
    readonly message: string;
    readonly detail_json: string;
  }[];
}

interface ReviewedJson {
  readonly status: string | null;
  readonly decision: 'PUBLISH' | 'REPAIR' | 'HOLD' | 'FALLBACK' | 'STALE';
  readonly code: string | null;
  readonly findings: readonly { readonly path: string; readonly status: string; readonly reason: string }[];
}

/** What the renderers read of a RepairRequested in JSON form. */
export interface RepairJson {
  readonly attempts_left: number;
  readonly deadline: string | number | null;
  readonly prompt_zh: string;
  readonly prompt_en: string;
}

/** True when the draft passed, and is published. */
export function isPublished({ verdict, reviewed }: DraftAnswer): boolean {
  return verdict['status'] === 'PASSED' && reviewed['decision'] === 'PUBLISH';
}

const DECISIONS = {
  PUBLISH: 'it is published',
  REPAIR: 'not published; hand in a better draft as the next attempt',
  HOLD: 'not published; a person has to decide',
  FALLBACK: 'not published; the fixed fallback text went out in its place',
  STALE: 'not published; the run is past it',
} as const;

/** What became of a draft, for a person: the verdict with every violation, the review, the decision. */
export function submissionPage(
  answer: DraftAnswer,
  paint: Paint,
  typed: Typed,
  language: Language = 'en',
): readonly string[] {
  const verdict = answer.verdict as unknown as VerdictJson;
  const reviewed = answer.reviewed as unknown as ReviewedJson;
  const { decision, status, findings } = reviewed;
  const tone = decision === 'PUBLISH' ? 'good' : decision === 'HOLD' ? 'unsure' : 'bad';
  return [
    `${'draft'.padEnd(LABEL)}${safeText(verdict.draft_id)}, attempt ${verdict.attempt}, run ${safeText(verdict.run_id)}`,
    `${'guard'.padEnd(LABEL)}${verdictWords(verdict.status, verdict.violation_count, paint)}`,
    ...(status === null ? [] : [`${'review'.padEnd(LABEL)}${status}`]),
    `${'decision'.padEnd(LABEL)}${paint(tone, decision)}: ${DECISIONS[decision]}${fallbackReason(answer)}${reasonOf(reviewed)}`,
    ...violationLines(verdict.violations.map(shownViolation), paint),
    ...moreLines(verdict),
    ...findings.flatMap((finding) => findingLines(finding, paint)),
    ...(answer.repair === null ? [] : repairLines(answer.repair as unknown as RepairJson, language, paint)),
    '',
    ...adviceLines(adviceOf(verdict, reviewed, typed), paint),
  ];
}

const FALLBACKS: Readonly<Record<string, string>> = {
  ATTEMPTS: 'the run has no attempts left',
  DEADLINE: 'its deadline has passed',
  BUDGET: 'its budget is spent',
  AGENT: 'its agent gave it up',
};

function fallbackReason({ verified }: DraftAnswer): string {
  const fallback = verified?.['fallback'];
  const reason = isJsonObject(fallback) ? String(fallback['reason']) : '';
  return Object.hasOwn(FALLBACKS, reason) ? `: ${FALLBACKS[reason] ?? ''}` : '';
}

function reasonOf({ code }: ReviewedJson): string {
  if (code === null) return '';
  const solve = Object.hasOwn(errorTable, code) ? ` ${errorTable[code as ErrorCode].solve}` : '';
  return ` (${safeText(code)}.${solve})`;
}

function shownViolation({
  code,
  path,
  message,
  detail_json,
}: VerdictJson['violations'][number]): ShownViolation {
  const detail = parseJson(detail_json);
  return { code, path, message, detail: isJsonObject(detail) ? detail : {} };
}

function moreLines({ violation_count: count, violations }: VerdictJson): readonly string[] {
  return count > violations.length ? ['', `  and ${count - violations.length} more`] : [];
}

function findingLines(
  { path, status, reason }: ReviewedJson['findings'][number],
  paint: Paint,
): readonly string[] {
  return [
    '',
    `  ${paint('unsure', safeText(status))}  ${paint('faint', safeText(path))}`,
    ...wrapped(reason, WIDTH - 6).map((line) => `      ${line}`),
  ];
}

function adviceOf(
  { run_id: run, draft_id: draft, attempt }: VerdictJson,
  { decision }: ReviewedJson,
  typed: Typed,
): readonly Advice[] {
  const trail = { command: typed(`trail ${run}`), why: 'see everything that the run did' };
  if (decision === 'HOLD')
    return [{ command: typed(`review show ${run} ${draft}`), why: 'look into it, to decide' }, trail];
  if (decision !== 'REPAIR') return [trail];
  const command = typed(`submit DRAFT.json --run ${run} --attempt ${attempt + 1}`);
  return [{ command, why: 'hand in the mended draft' }, trail];
}

/** How often and until when the model may try again, and the prompt that tells it what to mend. */
export function repairLines(repair: RepairJson, language: Language, paint: Paint): readonly string[] {
  const { attempts_left: left, deadline } = repair;
  const until = deadline === null ? '' : `, until ${safeText(String(deadline))}`;
  const prompt = language === 'zh' ? repair.prompt_zh : repair.prompt_en;
  return [
    '',
    `${'repair'.padEnd(LABEL)}${counted(left, 'attempt')} left${until}; the prompt for the model:`,
    ...safeLines(prompt).map((line) => `  ${paint('faint', '|')} ${line}`.trimEnd()),
  ];
}

/** The answer as `--json` prints it. */
export function submissionJson({ verdict, reviewed, verified, repair }: DraftAnswer): JsonObject {
  return { verdict, reviewed, verified, repair };
}
