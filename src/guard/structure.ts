import type { Analysis, Draft, Statement } from '../contracts/generated.js';
import { isBlank } from '../text/text.js';
import { shownName, violation, type RuleViolation, type ViolationCode } from './violations.js';

/** Group A without the first: the draft in itself, without a look at the ledger. In the order of places. */
export function structureRules(draft: Draft): RuleViolation[] {
  const ids = new Set(draft.analysis.map((analysis) => analysis.id));
  const { conclusion } = draft;
  return [
    ...analysesRules(draft.analysis),
    ...(conclusion === null ? [] : statementRules(conclusion, '/conclusion', CONCLUSION, ids)),
    ...draft.actionPlan.flatMap((action, i) => statementRules(action, `/action_plan/${i}`, ACTION, ids)),
    ...(draft.limitations.every(isBlank) ? [violation('LIMITATIONS_MISSING', '/limitations')] : []),
  ];
}

function analysesRules(analyses: readonly Analysis[]): RuleViolation[] {
  const seen = new Set<string>();
  return analyses.flatMap((analysis, i) => {
    const isRepeat = seen.has(analysis.id);
    seen.add(analysis.id);
    return analysisRules(analysis, `/analysis/${i}`, isRepeat);
  });
}

function analysisRules(analysis: Analysis, path: string, isRepeat: boolean): RuleViolation[] {
  const found: RuleViolation[] = [];
  const { id } = analysis;
  if (isRepeat) found.push(violation('ANALYSIS_ID_DUPLICATE', `${path}/id`, { id: shownName(id) }, { id }));
  if (isBlank(analysis.text)) found.push(violation('ANALYSIS_TEXT_BLANK', `${path}/text`));
  if (analysis.toolCallIds.length === 0) found.push(violation('ANALYSIS_UNCITED', `${path}/tool_call_ids`));
  return found;
}

interface StatementCodes {
  readonly blank: ViolationCode;
  readonly ungrounded: ViolationCode;
}

const CONCLUSION: StatementCodes = { blank: 'CONCLUSION_TEXT_BLANK', ungrounded: 'CONCLUSION_UNGROUNDED' };
const ACTION: StatementCodes = { blank: 'ACTION_TEXT_BLANK', ungrounded: 'ACTION_UNGROUNDED' };

function statementRules(
  statement: Statement,
  path: string,
  codes: StatementCodes,
  analysisIds: ReadonlySet<string>,
): RuleViolation[] {
  const found: RuleViolation[] = [];
  const list = `${path}/based_on_analysis_ids`;
  if (isBlank(statement.text)) found.push(violation(codes.blank, `${path}/text`));
  if (statement.basedOnAnalysisIds.length === 0) found.push(violation(codes.ungrounded, list));
  for (const [j, id] of firstPlaces(statement.basedOnAnalysisIds)) {
    if (analysisIds.has(id)) continue;
    found.push(violation('ANALYSIS_REF_UNKNOWN', `${list}/${j}`, { id: shownName(id) }, { analysis_id: id }));
  }
  return found;
}

/** Each distinct id of a list with the index where it stands first: a repeat is checked once, there. */
export function firstPlaces(ids: readonly string[]): [index: number, id: string][] {
  const seen = new Set<string>();
  const places: [number, string][] = [];
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) continue;
    seen.add(id);
    places.push([index, id]);
  }
  return places;
}
