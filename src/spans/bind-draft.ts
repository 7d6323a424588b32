import type { Draft } from '../contracts/generated.js';
import { bindAnswer, type AnswerContext, type BindOptions, type Claim } from './bind-answer.js';
import type { OffsetUnit } from './offsets.js';

/** The claims of one text of a draft; places are in that text. */
export interface DraftTextSpans {
  /** JSON pointer of the text. */
  readonly path: string;
  /** What the draft cites for the whole text: its lookups, and the documents that it names or quotes. */
  readonly toolCallIds: readonly string[];
  readonly documentIds: readonly string[];
  readonly claims: readonly Claim[];
}

export interface DraftSpans {
  readonly unit: OffsetUnit;
  readonly texts: readonly DraftTextSpans[];
}

/** What a text of a draft rests on. */
interface Ground {
  readonly toolCallIds: readonly string[];
  readonly documentIds: readonly string[];
  /** It says that nothing was found, of which there is no document. */
  readonly isNegative: boolean;
}

const NO_CONTEXT: AnswerContext = { citations: [] };

/**
 * The claims of a structured draft, text by text: analyses, conclusion, actions. A text's documents are every one of
 * its claims'; a conclusion or action has those of its analyses. Markers in a text are bound too, where a context is
 * at hand. Limitations claim nothing.
 * @throws ProoflineError PL_INPUT_INVALID for a text that is over the limits.
 */
export function bindDraft(
  draft: Draft,
  context: AnswerContext = NO_CONTEXT,
  options: BindOptions = {},
): DraftSpans {
  const grounds = new Map<string, Ground>();
  const texts: DraftTextSpans[] = [];
  const add = (path: string, text: string, ground: Ground): void => {
    const { claims } = bindAnswer(text, context, options);
    const { toolCallIds, documentIds, isNegative } = ground;
    const isGrounded = documentIds.length > 0 || isNegative;
    texts.push({ path, toolCallIds, documentIds, claims: isGrounded ? claims.map(grounded) : claims });
  };
  for (const [i, analysis] of draft.analysis.entries()) {
    const ground: Ground = {
      toolCallIds: analysis.toolCallIds,
      documentIds: unique([...analysis.documentIds, ...analysis.quotes.map(({ documentId }) => documentId)]),
      isNegative: analysis.kind === 'NEGATIVE_OBSERVATION',
    };
    grounds.set(analysis.id, ground);
    add(`/analysis/${i}/text`, analysis.text, ground);
  }
  if (draft.conclusion !== null)
    add('/conclusion/text', draft.conclusion.text, together(draft.conclusion.basedOnAnalysisIds, grounds));
  for (const [i, action] of draft.actionPlan.entries())
    add(`/action_plan/${i}/text`, action.text, together(action.basedOnAnalysisIds, grounds));
  return { unit: options.unit ?? 'utf16', texts };
}

function grounded(claim: Claim): Claim {
  return { ...claim, needsCitation: false };
}

function together(ids: readonly string[], grounds: ReadonlyMap<string, Ground>): Ground {
  const all = ids.flatMap((id) => grounds.get(id) ?? []);
  return {
    toolCallIds: unique(all.flatMap(({ toolCallIds }) => toolCallIds)),
    documentIds: unique(all.flatMap(({ documentIds }) => documentIds)),
    isNegative: all.length > 0 && all.every(({ isNegative }) => isNegative),
  };
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
