import { ProoflineError } from '../contracts/errors.js';
import { isBlank } from '../text/text.js';
import { citationOf, type Citation, type ContextHit } from './citation.js';
import { cutToBudget } from './cut-to-budget.js';
import { labelOf } from './label.js';
import { contextLimits, type ContextLimits } from './limits.js';
import type { TokenBudget } from './token-budget.js';
import { createMeter, type Meter } from './token-meter.js';

/** Evidence as one text for a prompt, and the sources that are in it. */
export interface AssembledContext {
  readonly text: string;
  /** In the order of the text. Only what is in the text is in the list. */
  readonly citations: readonly Citation[];
}

/**
 * Makes a context from a question and its final hits. Another form of prompt is another such function. It
 * - MUST be deterministic, and take the hits in their order;
 * - MUST give places at which slicing the text gives the snippet, and snippets that the passages begin with;
 * - MUST name its sources `S1`, `S2`, …, where markers of an answer are to be bound to them.
 */
export type ContextAssembler = (query: string, hits: readonly ContextHit[]) => AssembledContext;

export interface AssemblyOptions {
  /** False leaves the `[S1] label` lines out of the text; the list of citations stays. Default true. */
  readonly includeCitations?: boolean;
  /** Stands between two hits. Default an empty line. */
  readonly delimiter?: string;
  readonly limits?: ContextLimits;
}

/** Between two hits: an empty line. */
export const DEFAULT_DELIMITER = '\n\n';

/** Takes all hits with text, in order. @throws ProoflineError PL_INPUT_INVALID where they are over the limits. */
export function contextAssembler(options: AssemblyOptions = {}): ContextAssembler {
  return assemblerOf(options, null);
}

/**
 * Takes hits in order while the whole text fits the budget; the first that does not fit ends it. A first hit that
 * alone is too long is cut to the longest prefix that fits. The budget guards the prompt, and is no bill.
 * @throws ProoflineError PL_INPUT_INVALID where the hits are over the limits.
 */
export function tokenAwareAssembler(budget: TokenBudget, options: AssemblyOptions = {}): ContextAssembler {
  return assemblerOf(options, budget);
}

function assemblerOf(options: AssemblyOptions, budget: TokenBudget | null): ContextAssembler {
  const { includeCitations = true, limits = contextLimits } = options;
  const delimiter = (options.delimiter ?? DEFAULT_DELIMITER).toWellFormed();
  return (_query, hits) => {
    assertWithin(hits, delimiter, limits);
    const meter = budget === null ? null : createMeter(budget);
    let text = '';
    const citations: Citation[] = [];
    for (const hit of hits) {
      if (isBlank(hit.content)) continue;
      const citationId = `S${citations.length + 1}`;
      const label = includeCitations ? `${labelOf(citationId, hit)}\n` : '';
      const head = text + (citations.length === 0 ? '' : delimiter) + label;
      const snippet = fitting(head, hit.content.toWellFormed(), citations.length === 0, meter);
      if (snippet === null) break;
      text = head + snippet.text;
      citations.push(citationOf(citationId, hit, snippet.text, head.length));
      if (snippet.isCut) break;
    }
    return { text, citations };
  };
}

interface Snippet {
  readonly text: string;
  readonly isCut: boolean;
}

/** What goes in of the content behind `head`; null for nothing. */
function fitting(head: string, content: string, isFirst: boolean, meter: Meter | null): Snippet | null {
  if (meter === null || meter.take(head + content)) return { text: content, isCut: false };
  const cut = isFirst ? cutToBudget(head, content, meter) : '';
  return isBlank(cut) ? null : { text: cut, isCut: true };
}

function assertWithin(hits: readonly ContextHit[], delimiter: string, limits: ContextLimits): void {
  if (hits.length > limits.hits) throw tooLarge(`${hits.length} hits are more than ${limits.hits}`);
  let chars = 0;
  for (const { content, sourceName, sourcePath, sectionTitle } of hits) {
    const label = (sourceName?.length ?? 0) + (sourcePath?.length ?? 0) + (sectionTitle?.length ?? 0);
    chars += content.length + label + delimiter.length;
    if (chars > limits.chars) throw tooLarge(`the hits have more than ${limits.chars} characters`);
  }
}

function tooLarge(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
