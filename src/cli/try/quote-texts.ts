import { inPlace, type WordsInPlace } from '../../citation/in-place.js';
import { offsetChain, type OffsetChain } from '../../citation/offset-chain.js';
import { sha256 } from '../../contracts/digest.js';
import type { Draft, QuoteOutcome } from '../../contracts/generated.js';
import { parseAgentView } from '../../evidence/parse-agent-view.js';
import type { EvidenceEntry } from '../../guard/entries.js';

/** A quote's outcome with what a person or a program checks it by. */
export interface QuoteWithTexts extends QuoteOutcome {
  readonly inPlace: WordsInPlace | null;
  readonly chain: OffsetChain | null;
}

/** @param entries Those of the run. */
export function quoteWithTexts(
  outcome: QuoteOutcome,
  draft: Draft | null,
  entries: readonly EvidenceEntry[],
): QuoteWithTexts {
  const { toolCallId, documentId, start, end } = outcome;
  const entry = entries.find((each) => each.toolCallId === toolCallId);
  const agentView = entry?.agentView ?? null;
  if (entry === undefined || agentView === null || start === null || end === null)
    return { ...outcome, inPlace: null, chain: null };
  const excerpt = excerptOf(agentView, outcome);
  const chunk = entry.blocks.find((block) => block.documentId === documentId)?.content ?? null;
  const quote = quoteText(draft, outcome.path);
  return {
    ...outcome,
    inPlace: excerpt === undefined ? null : inPlace(excerpt, { start, end }),
    chain: offsetChain(outcome, { chunk, agentView, quote }, sha256),
  };
}

function excerptOf(agentView: string, { toolCallId, documentId }: QuoteOutcome): string | undefined {
  const reading = parseAgentView(agentView, toolCallId ?? '');
  if ('problem' in reading) return undefined;
  return reading.view.evidence.find((item) => item.documentId === documentId)?.excerpt;
}

/** The outcome's path is the guard's own, `/analysis/i/quotes/j`. */
function quoteText(draft: Draft | null, path: string): string {
  const [, , analysis, , quote] = path.split('/');
  return draft?.analysis[Number(analysis)]?.quotes[Number(quote)]?.text ?? '';
}
