import { inPlace } from '../../citation/in-place.js';
import type { Finding, GuardVerdict, Place } from '../../contracts/generated.js';
import { toSnakeJson, type JsonObject } from '../../contracts/json.js';
import { recordToJson } from '../../contracts/record-json.js';
import { heldBecause, type HeldEntry } from '../../line/held-drafts.js';
import { wordsAt } from '../../repair/words-in-draft.js';
import { canBeApproved } from '../../review/appraise.js';
import { attemptsLeft, isPastDeadline } from '../../review/run-progress.js';
import { adviceLines, type Typed } from './advice.js';
import type { Paint } from './page.js';
import { becauseWords } from './review.js';
import { safeText } from './safe-text.js';
import { draftLines, quotesOf } from './trail-draft.js';
import { below, field, instant, listed, quoted } from './trail-parts.js';
import { violationLines } from './verdict.js';

/** A held draft that explains itself: what it says, what was found, what was shown, what a decision would do. */

export interface ShownHeld {
  readonly entry: HeldEntry;
  /** Of a run whose limits do not say. */
  readonly maxAttempts: number;
  /** Wall clock, epoch milliseconds. */
  readonly now: number;
}

export function heldDraftPage(shown: ShownHeld, paint: Paint, typed: Typed): readonly string[] {
  const { held, runId } = shown.entry;
  const { verdict } = held;
  const names = `${runId} ${verdict.draftId}`;
  const options = '--by NAME --reason TEXT';
  return [
    `${paint('strong', `draft ${safeText(verdict.draftId)}`)}  attempt ${verdict.attempt}, run ${safeText(runId)}, handed in ${instant(verdict.occurredAt)}`,
    ...field('held', becauseWords(heldBecause(held))),
    ...field('guard', listed([verdict.status, ...verdict.ruleSets])),
    ...field('review', held.status ?? 'not asked'),
    '',
    ...draftPart(verdict, paint),
    ...violationLines(
      verdict.violations.map((each) => ({ ...each, detail: {} })),
      paint,
    ),
    '',
    paint('strong', 'what review found'),
    ...below(findingsPart(held.findings, verdict, paint)),
    '',
    paint('strong', 'what was shown'),
    ...below(shownPart(verdict, paint)),
    '',
    ...effectsOf(shown).flatMap(([what, words]) => field(what, words)),
    '',
    ...adviceLines(
      [
        ...(canBeApproved(held)
          ? [{ command: typed(`review approve ${names} ${options}`), why: 'publish it' }]
          : []),
        { command: typed(`review reject ${names} ${options}`), why: 'turn it back' },
      ],
      paint,
    ),
  ];
}

/** With each quote where it stands in what was shown. */
function draftPart(verdict: GuardVerdict, paint: Paint): readonly string[] {
  const { draft } = verdict;
  const found = quotesOf(verdict, (call, document) => excerptOf(call, document, verdict), paint);
  return draft === null
    ? field('text', 'not kept: the verdict was too large; `proofline trail` has it while its topic does')
    : draftLines(draft, { paint, texts: true }, found);
}

function findingsPart(findings: readonly Finding[], verdict: GuardVerdict, paint: Paint): readonly string[] {
  if (findings.length === 0) return ['nothing'];
  return findings.flatMap(({ path, status, reason, draftSpan, evidenceSpans }) => [
    `${paint('unsure', status)}  ${paint('faint', safeText(path))}  ${safeText(reason)}`,
    ...below([
      ...placeLines('draft', verdict.draft === null ? null : wordsAt(verdict.draft, path), draftSpan, paint),
      ...evidenceSpans.flatMap((span) =>
        placeLines(
          `${span.documentId} of ${span.toolCallId}`,
          excerptOf(span.toolCallId, span.documentId, verdict),
          span,
          paint,
        ),
      ),
    ]),
  ]);
}

/** The words in place, in brackets. */
function placeLines(
  where: string,
  text: string | null,
  place: Place | null,
  paint: Paint,
): readonly string[] {
  if (text === null || place === null) return [];
  const { before, words, after, moreBefore, moreAfter } = inPlace(text, place);
  const lead = `${moreBefore ? '…' : ''}${before}`;
  const rest = `${after}${moreAfter ? '…' : ''}`;
  return [`${safeText(where)}: ${safeText(lead)}[${paint('strong', safeText(words))}]${safeText(rest)}`];
}

function excerptOf(toolCallId: string | null, documentId: string, { lookups }: GuardVerdict): string | null {
  const lookup = lookups.find((each) => each.toolCallId === toolCallId);
  return lookup?.items.find((item) => item.documentId === documentId)?.excerpt ?? null;
}

/** With the excerpts where the guard passed the draft; else what they were called. */
function shownPart({ lookups, shown }: GuardVerdict, paint: Paint): readonly string[] {
  if (lookups.length === 0 && shown.length === 0) return ['nothing that could be read'];
  if (lookups.length === 0)
    return shown.flatMap(({ toolCallId, evidenceStatus, items }) => [
      `${safeText(toolCallId)}  ${evidenceStatus}`,
      ...below(items.map(({ documentId, title }) => listed([documentId, title]))),
    ]);
  return lookups.flatMap(({ toolCallId, evidenceStatus, relevanceLevel, truncated, query, items }) => [
    `${paint('strong', safeText(toolCallId))}  ${listed([evidenceStatus, relevanceLevel, truncated ? 'truncated' : null])}  "${safeText(query)}"`,
    ...below(
      items.flatMap(({ documentId, title, excerpt }) => [
        listed([documentId, title]),
        ...below(quoted(excerpt, true)),
      ]),
    ),
  ]);
}

type Effect = readonly [what: 'approve' | 'reject', words: string];

function effectsOf({ entry, maxAttempts, now }: ShownHeld): readonly Effect[] {
  const { held, outcome } = entry;
  const replaced = outcome === 'FALLBACK' ? ' in place of the fallback that went out' : '';
  return [
    [
      'approve',
      canBeApproved(held)
        ? `publishes it as it is${replaced}, with your name and reason`
        : 'is refused: what would be published is not proven',
    ],
    ['reject', rejectWords(entry, maxAttempts, now)],
  ];
}

function rejectWords({ attempts, limits, outcome }: HeldEntry, maxAttempts: number, now: number): string {
  if (outcome !== null) return 'leaves the fallback that went out as it is';
  const progress = {
    judged: [],
    lastAttempt: 0,
    attempts,
    limits,
    outcome,
    outcomeEventId: null,
    held: null,
  };
  const left = attemptsLeft(progress, maxAttempts);
  if (isPastDeadline(progress, now))
    return 'publishes the fixed fallback text: the deadline of the run has passed';
  if (left === 0) return 'publishes the fixed fallback text: the run has no attempts left';
  return `asks the model for a better draft and tells it your reason; attempts left: ${left}`;
}

/** The same for programs. */
export function heldDraftJson(shown: ShownHeld): JsonObject {
  const { runId, held, outcome, attempts } = shown.entry;
  return {
    run_id: runId,
    draft_id: held.verdict.draftId,
    because: heldBecause(held),
    status: held.status,
    outcome,
    attempts,
    verdict: recordToJson('verdict.v1', held.verdict),
    findings: toSnakeJson(held.findings),
    ...Object.fromEntries(effectsOf(shown)),
  };
}
