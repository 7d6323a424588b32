import type { Comparison } from '../../replay/comparison.js';
import { EVIDENCE_GONE } from '../../replay/recorded-run.js';
import { goneAdvice, shownDifference } from '../../replay/replay-json.js';
import type { Findings, VerdictReplay, VerdictUnderRules } from '../../replay/replay-run.js';
import type { Paint, Tone } from './page.js';
import { wrapped } from './page.js';
import { safeCut, safeText } from './safe-text.js';

/** A replay for a person: what is equal in a line, what differs place by place. */

const WIDTH = 100;
const SHOWN_CHARS = 160;
const ID_CHARS = 128;
const DIFFERENCES_SHOWN = 8;

const TONES: Readonly<Record<Comparison['kind'], Tone>> = { EQUAL: 'good', DIFFERENT: 'bad', GONE: 'unsure' };
const WORDS: Readonly<Record<Comparison['kind'], string>> = {
  EQUAL: 'equal',
  DIFFERENT: 'DIFFERENT',
  GONE: EVIDENCE_GONE,
};

export function replayLines(replay: VerdictReplay, paint: Paint): readonly string[] {
  const { outcome, status, guard, reviews } = replay;
  const decisions = reviews.flatMap(({ by, decision }) =>
    decision === null ? [] : [by === 'PERSON' ? `${decision} by a person` : decision],
  );
  const became = [status, ...decisions].join(' → ');
  return [
    `${headOf(replay)}  ${became}  ${paint(TONES[outcome], WORDS[outcome])}`,
    ...comparisonLines('guard', guard),
    ...reviews.flatMap(({ comparison }) => comparisonLines('review', comparison)),
  ];
}

function headOf({ runId, draftId, attempt }: Pick<VerdictReplay, 'runId' | 'draftId' | 'attempt'>): string {
  return `${safeCut(runId, ID_CHARS)}  ${safeCut(draftId, ID_CHARS)} (attempt ${attempt})`;
}

function comparisonLines(of: string, comparison: Comparison): readonly string[] {
  switch (comparison.kind) {
    case 'EQUAL':
      return [];
    case 'GONE':
      return [`    ${of}: gone: ${safeCut(comparison.gone.join(', '), SHOWN_CHARS)}`];
    case 'DIFFERENT': {
      const { differences } = comparison;
      const more = differences.length - DIFFERENCES_SHOWN;
      const lines = differences.slice(0, DIFFERENCES_SHOWN).flatMap((difference) => {
        const { path, recorded, replayed } = shownDifference(difference);
        return [
          `    ${of} ${safeCut(path, SHOWN_CHARS)}`,
          `      recorded  ${valueText(recorded)}`,
          `      replayed  ${valueText(replayed)}`,
        ];
      });
      return more > 0 ? [...lines, `    and ${more} more`] : lines;
    }
  }
}

function valueText(value: string | null): string {
  return value === null ? 'nothing' : safeCut(value, SHOWN_CHARS);
}

export type ReplayCounts = Readonly<Record<Comparison['kind'], number>> & { readonly runs: number };

export function replaySummary({ runs, EQUAL, DIFFERENT, GONE }: ReplayCounts, paint: Paint): string[] {
  const parts = [
    `${EQUAL} equal`,
    paint(DIFFERENT > 0 ? 'bad' : 'good', `${DIFFERENT} different`),
    `${GONE} gone`,
  ];
  const summary = `${counted(EQUAL + DIFFERENT + GONE, 'verdict')} of ${counted(runs, 'run')}: ${parts.join(', ')}`;
  return GONE === 0 ? [summary] : [summary, ...wrapped(`${EVIDENCE_GONE}: ${goneAdvice}`, WIDTH)];
}

export function underRulesLines(verdict: VerdictUnderRules, paint: Paint): readonly string[] {
  const { outcome, recorded, changed, codesAdded, codesRemoved, gone } = verdict;
  if (outcome === 'GONE' || changed === null) {
    const what = safeCut(gone.join(', '), SHOWN_CHARS);
    return [`${headOf(verdict)}  ${findingsText(recorded)}  ${paint('unsure', EVIDENCE_GONE)}: ${what}`];
  }
  if (outcome === 'SAME')
    return [`${headOf(verdict)}  ${findingsText(recorded)}  ${paint('good', 'the same')}`];
  const codes = [
    ...codesAdded.map((code) => paint('bad', `+${safeText(code)}`)),
    ...codesRemoved.map((code) => paint('good', `-${safeText(code)}`)),
  ];
  return [
    `${headOf(verdict)}  ${findingsText(recorded)}  ${paint('bad', 'would be')}  ${findingsText(changed)}`,
    ...(codes.length === 0 ? [] : [`    ${codes.join('  ')}`]),
  ];
}

function findingsText({ status, violations, review, decision }: Findings): string {
  const count = violations === 0 ? '' : ` (${counted(violations, 'violation')})`;
  const became = [...(review === null ? [] : [review]), ...(decision === null ? [] : [decision])];
  return [`${status}${count}`, ...became].join(' → ');
}

export interface UnderRulesCounts extends Readonly<Record<VerdictUnderRules['outcome'], number>> {
  readonly runs: number;
}

export function underRulesSummary({ runs, SAME, OTHER, GONE }: UnderRulesCounts, paint: Paint): string[] {
  const all = `${counted(SAME + OTHER + GONE, 'verdict')} of ${counted(runs, 'run')}`;
  return [
    `${all}: ${paint(OTHER > 0 ? 'bad' : 'good', `${OTHER} would differ`)}, ${SAME} would not, ${GONE} gone`,
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
