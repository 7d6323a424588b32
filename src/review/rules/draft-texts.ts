import type { Draft } from '../../contracts/generated.js';

/** STATEMENT: the conclusion or an action. */
export type TextKind = 'NORMAL' | 'NEGATIVE_OBSERVATION' | 'STATEMENT';

/** One text of a draft that is reviewed, and what it rests on. */
export interface DraftText {
  /** JSON pointer of the object that holds the text. */
  readonly at: string;
  readonly kind: TextKind;
  readonly text: string;
  /** The lookups whose evidence counts: those cited, of a statement those of its analyses. */
  readonly toolCallIds: ReadonlySet<string>;
  /** Whether it names a document or quotes one. */
  readonly hasCoordinate: boolean;
}

/** The texts of a draft in its order: analyses, conclusion, actions. Limitations claim nothing. */
export function draftTexts(draft: Draft): DraftText[] {
  const texts: DraftText[] = draft.analysis.map((analysis, i) => ({
    at: `/analysis/${i}`,
    kind: analysis.kind,
    text: analysis.text,
    toolCallIds: new Set(analysis.toolCallIds),
    hasCoordinate: analysis.documentIds.length + analysis.quotes.length > 0,
  }));
  const calls = callsByAnalysis(draft);
  const statements = draft.actionPlan.map((action, i) => ({ at: `/action_plan/${i}`, statement: action }));
  if (draft.conclusion) statements.unshift({ at: '/conclusion', statement: draft.conclusion });
  for (const { at, statement } of statements) {
    const toolCallIds = new Set(statement.basedOnAnalysisIds.flatMap((id) => calls.get(id) ?? []));
    texts.push({ at, kind: 'STATEMENT', text: statement.text, toolCallIds, hasCoordinate: false });
  }
  return texts;
}

function callsByAnalysis(draft: Draft): ReadonlyMap<string, readonly string[]> {
  const calls = new Map<string, readonly string[]>();
  for (const { id, toolCallIds } of draft.analysis) calls.set(id, [...(calls.get(id) ?? []), ...toolCallIds]);
  return calls;
}
