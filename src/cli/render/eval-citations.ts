import { toSnakeJson } from '../../contracts/json.js';
import type {
  CitationFigures,
  CitationReport,
  Share,
  WrongClaim,
} from '../../evaluation/evaluate-citations.js';
import { LABEL, WIDTH } from './advice.js';
import { labelled, type Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';
import { renderTable } from './table.js';

/** How the checks that block did on a labelled set, for a person. */
export function citationLines(report: CitationReport, listed: number, paint: Paint): readonly string[] {
  const { all, kinds, splits, rules, wrong } = report;
  return [
    ...summaryLines(all, paint),
    ...(splits.length > 1
      ? [
          '',
          ...figureTable(
            'split',
            splits.map((each) => [each.split, each]),
          ),
        ]
      : []),
    '',
    ...figureTable(
      'kind',
      kinds.map((each) => [each.kind, each]),
    ),
    ...(rules.length === 0 ? [] : ['', ...ruleTable(report)]),
    ...(wrong.length === 0 || listed === 0 ? [] : ['', ...wrongLines(wrong, listed, paint)]),
  ];
}

/** The same as JSON, with the texts of the wrong ones and without those of the others. */
export function citationJson(report: CitationReport, listed: number): unknown {
  const wrong = report.wrong.slice(0, listed).map(({ position, claim, outcome, code, reason }) => {
    const { id, kind, split, attributable } = claim;
    return { position, id, kind, split, attributable, outcome, code, reason, claim: claim.claim };
  });
  // Outcomes are named by their codes.
  return toSnakeJson({ ...report, wrongCount: report.wrong.length, wrong }, new Set(['outcomes']));
}

function summaryLines(all: CitationFigures, paint: Paint): readonly string[] {
  const { claims, attributable, outcomes } = all;
  const abstained = outcomes.ABSTAINED.attributable + outcomes.ABSTAINED.not;
  const line = (label: string, words: string): string => `${label.padEnd(LABEL + 4)}${words}`;
  return [
    line('claims', `${claims}: ${attributable} attributable, ${claims - attributable} not`),
    line(
      'blocks',
      `${paint('strong', shareWords(all.blockPrecision))} of what was blocked is not attributable`,
    ),
    line('', `${shareWords(all.blockRecall)} of what is not attributable was blocked`),
    line('passes', `precision ${shareWords(all.precision)} of what passed is attributable`),
    line('', `recall ${shareWords(all.recall)} of what is attributable passed; F1 ${number(all.f1)}`),
    line('not judged', `${shareWords(all.notEvaluated)} NOT_EVALUATED`),
    ...(abstained === 0 ? [] : [line('', `${abstained} say that nothing is known: neither right nor wrong`)]),
  ];
}

function shareWords({ value, count, of }: Share): string {
  return `${number(value)} (${count} of ${of})`;
}

function number(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}

function figureTable(
  name: string,
  figures: readonly (readonly [string, CitationFigures])[],
): readonly string[] {
  const rows = figures.map(([of, each]) => [
    of,
    String(each.claims),
    String(each.attributable),
    String(each.outcomes.PASSED.attributable + each.outcomes.PASSED.not),
    String(each.outcomes.BLOCKED.attributable + each.outcomes.BLOCKED.not),
    String(each.notEvaluated.count),
    number(each.blockPrecision.value),
    number(each.blockRecall.value),
  ]);
  const heading = [
    name,
    'claims',
    'attributable',
    'passed',
    'blocked',
    'not evaluated',
    'block precision',
    'block recall',
  ];
  return tableLines(heading, rows);
}

function ruleTable({ rules }: CitationReport): readonly string[] {
  const rows = rules.map(({ code, blocked }) => [
    code,
    String(blocked.of),
    String(blocked.count),
    number(blocked.value),
  ]);
  return tableLines(['rule', 'blocked', 'rightly', 'precision'], rows);
}

const CLAIM_LENGTH = 300;

function wrongLines(wrong: readonly WrongClaim[], listed: number, paint: Paint): readonly string[] {
  const shown = wrong.slice(0, listed);
  return [
    `${wrong.length} judged wrongly${shown.length < wrong.length ? `, the first ${shown.length}` : ''}:`,
    ...shown.flatMap(({ position, claim, outcome, reason }) => [
      `${paint('unsure', `${outcome}, ${claim.attributable ? 'attributable' : 'not attributable'}`)}  ${safeText(claim.kind)}, claim ${position}${claim.id === null ? '' : ` ${safeCut(claim.id, 80)}`}`,
      ...labelled('  ', safeCut(claim.claim, CLAIM_LENGTH), WIDTH),
      ...(reason === null ? [] : labelled('  ', safeCut(reason, CLAIM_LENGTH), WIDTH)),
    ]),
  ];
}

function tableLines(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return renderTable(heading, rows).trimEnd().split('\n');
}
