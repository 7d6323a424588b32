import { inPlace } from '../../citation/in-place.js';
import type { Analysis, Draft } from '../../contracts/generated.js';
import type { DecisionTrail, DraftTrail, ReviewTrail, VerdictTrail } from '../../line/trail-drafts.js';
import { column, type Paint, type Tone } from './page.js';
import { quoteLines } from './quotes.js';
import { safeText } from './safe-text.js';
import { below, duration, field, listed, plural, quoted, sinceStart } from './trail-parts.js';
import type { TrailPart, TrailStyle } from './trail-parts.js';

/** One draft of a trail. */

/** What a lookup showed of a document; null where it is gone. */
export type ExcerptOf = (toolCallId: string | null, documentId: string) => string | null;

export function draftPart(
  draft: DraftTrail,
  startedAt: number | null,
  style: TrailStyle,
  excerptOf: ExcerptOf,
): TrailPart {
  const { draftId, attempt, givenUp, verdict, lost, submittedAt, guardTook } = draft;
  const name = `draft ${safeText(draftId ?? '(its name is gone)')}`;
  const state = verdict?.status ?? (lost ? 'LOST' : 'NOT JUDGED YET');
  const heading = [
    style.paint('strong', name),
    style.paint(TONES[state] ?? 'unsure', safeText(state)),
    listed([
      attempt === null ? null : `attempt ${attempt}`,
      givenUp === null ? null : `the run was given up: ${givenUp}`,
      sinceStart(submittedAt, startedAt),
      guardTook === null ? null : `guard ${duration(guardTook)}`,
    ]),
  ];
  return {
    heading: heading.join('  '),
    lines: [
      ...written(draft, style, quotesOf(verdict, excerptOf, style.paint)),
      ...violations(verdict, style.paint),
      ...draft.reviews.flatMap((review) => reviewLines(review, startedAt)),
      ...draft.decisions.flatMap((decision) => decisionLines(decision, startedAt)),
      ...repair(draft),
      ...outcome(draft),
      ...(draft.repeats === 0
        ? []
        : field('again', `handed in ${plural(draft.repeats, 'more time')}, unchanged`)),
    ],
  };
}

const TONES: Readonly<Record<string, Tone>> = { PASSED: 'good', REJECTED: 'bad', LOST: 'bad' };

/** Lines about the quote at a path: where its words stand, where they were found. */
export type FoundQuotes = (path: string) => readonly string[];

export function quotesOf(
  verdict: Pick<VerdictTrail, 'quotes'> | null,
  excerptOf: ExcerptOf,
  paint: Paint,
): FoundQuotes {
  const found = new Map((verdict?.quotes ?? []).map((quote) => [quote.path, quote] as const));
  return (path) => {
    const quote = found.get(path);
    if (quote === undefined || quote.rung === null || quote.start === null || quote.end === null) return [];
    const { rung, start, end, documentId, toolCallId, ambiguous, afterNegation, places } = quote;
    const excerpt = excerptOf(toolCallId, documentId);
    const words = excerpt === null ? null : inPlace(excerpt, { start, end });
    const where = { rung, documentId, toolCallId, start, end };
    return quoteLines({ ...where, ambiguous, afterNegation, places: places.length, inPlace: words }, paint);
  };
}

function written(
  { draft, textFrom, givenUp }: DraftTrail,
  style: TrailStyle,
  found: FoundQuotes,
): readonly string[] {
  if (draft !== null)
    return [
      ...(textFrom === 'AUDIT' ? field('text', 'gone from its topic, this is from the audit') : []),
      ...draftLines(draft, style, found),
    ];
  if (givenUp !== null) return [];
  return field('text', textFrom === null ? 'gone' : 'it cannot be read as a draft');
}

/** What a draft says, line by line. @param found lines about the quote at a path */
export function draftLines(
  { analysis, conclusion, actionPlan, limitations }: Draft,
  style: TrailStyle,
  found: FoundQuotes,
): string[] {
  return [
    ...analysis.flatMap((each, i) => analysisLines(each, style, (j) => found(`/analysis/${i}/quotes/${j}`))),
    ...(conclusion === null
      ? field('conclusion', 'none: the evidence was not enough')
      : statement('conclusion', conclusion.text, conclusion.basedOnAnalysisIds, style)),
    ...actionPlan.flatMap(({ text, basedOnAnalysisIds }) =>
      statement('action', text, basedOnAnalysisIds, style),
    ),
    ...limitations.flatMap((text) => statement('limitation', text, [], style)),
  ];
}

function analysisLines(
  analysis: Analysis,
  style: TrailStyle,
  found: (quote: number) => readonly string[],
): readonly string[] {
  const { id, kind, text, toolCallIds, documentIds, quotes } = analysis;
  const cites = listed(toolCallIds);
  return [
    ...field('analysis', `${safeText(id)}${kind === 'NORMAL' ? '' : ` ${kind}`}`),
    ...below([
      ...quoted(text, style.texts),
      `cites ${cites === '' ? 'no lookup' : cites}${documentIds.length > 0 ? `: ${listed(documentIds)}` : ''}`,
      ...quotes.flatMap(({ documentId, text: words }, j) => [
        `quotes ${safeText(documentId)}`,
        ...below([...quoted(words, style.texts), ...found(j)]),
      ]),
    ]),
  ];
}

function statement(
  label: string,
  text: string,
  basedOn: readonly string[],
  { texts, paint }: TrailStyle,
): readonly string[] {
  const base = basedOn.length === 0 ? '' : paint('faint', `  from ${listed(basedOn)}`);
  const [first = '', ...more] = quoted(text, texts);
  return [`${column(label, 11)}${first}${base}`, ...more.map((line) => `${column('', 11)}${line}`)];
}

function violations(verdict: VerdictTrail | null, paint: Paint): readonly string[] {
  if (verdict === null) return [];
  const { status, ruleSets, violations: found, violationCount, code } = verdict;
  const count = violationCount === 0 ? null : plural(violationCount, 'violation');
  return [
    ...field('guard', listed([status, count, code, ...ruleSets])),
    ...below(
      found.flatMap((violation) => [
        `${paint('bad', safeText(violation.code))} ${safeText(violation.path ?? '(its place is gone)')}`,
        ...(violation.message === null ? [] : [`  ${safeText(violation.message)}`]),
      ]),
    ),
    ...(found.length < violationCount && violations.length > 0
      ? below([`and ${violationCount - found.length} more`])
      : []),
  ];
}

function reviewLines(review: ReviewTrail, startedAt: number | null): readonly string[] {
  const { status, decision, decidedBy, person, code, findings, at } = review;
  const who = person === null ? decidedBy : `${person.by}: ${person.reason}`;
  return [
    ...field('review', listed([status, `decision ${decision}`, who, code, sinceStart(at, startedAt)])),
    ...below(
      findings
        .filter((finding) => finding.status !== 'SUPPORTED')
        .map(({ path, status: found, reason }) => `${safeText(found)} ${safeText(path)} ${safeText(reason)}`),
    ),
  ];
}

/** Only those that changed nothing: what counted is the review that names its person. */
function decisionLines(
  { decision, by, reason, at, counted }: DecisionTrail,
  startedAt: number | null,
): readonly string[] {
  if (counted) return [];
  return field(
    'decision',
    listed([decision, `${by}: ${reason}`, 'it changed nothing', sinceStart(at, startedAt)]),
  );
}

function repair({ repair: asked }: DraftTrail): readonly string[] {
  if (asked === null) return [];
  const left = plural(asked.attemptsLeft, 'attempt');
  return field('repair', `asked for, ${plural(asked.findings, 'finding')}, ${left} left`);
}

function outcome({ outcome: ended }: DraftTrail): readonly string[] {
  if (ended === null) return [];
  const replaces = ended.replaces === null ? '' : `, in place of ${ended.replaces}`;
  const why = ended.fallbackReason === null ? '' : ` (${safeText(ended.fallbackReason)})`;
  return field('outcome', `${ended.outcome}${why}, event ${ended.eventId}${replaces}`);
}
