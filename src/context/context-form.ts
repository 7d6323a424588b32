import { PACK_STRATEGY } from '../evidence/pack.js';
import type { JsonObject } from '../contracts/json.js';
import {
  contextAssembler,
  DEFAULT_DELIMITER,
  tokenAwareAssembler,
  type AssemblyOptions,
  type ContextAssembler,
} from './assemble.js';
import { contextLimits, type ContextLimits } from './limits.js';
import { packedAssembler } from './packed.js';
import type { TokenBudget } from './token-budget.js';

/** How the text of a run's context was made: recorded with it, so that the same text can be made again. */
export type ContextForm =
  | {
      readonly strategy: 'labelled_sources';
      readonly include_citations: boolean;
      readonly delimiter: string;
    }
  | { readonly strategy: typeof PACK_STRATEGY }
  /** By a function of the caller's, which nobody else has. */
  | { readonly strategy: 'custom' };

export const customForm: ContextForm = { strategy: 'custom' };

export interface FormOptions extends Pick<AssemblyOptions, 'includeCitations' | 'delimiter'> {
  /** The packed text instead, within its own budget of characters. */
  readonly packed?: boolean;
}

export function formOf({ packed = false, includeCitations = true, delimiter }: FormOptions): ContextForm {
  if (packed) return { strategy: PACK_STRATEGY };
  return {
    strategy: 'labelled_sources',
    include_citations: includeCitations,
    delimiter: delimiter?.toWellFormed() ?? DEFAULT_DELIMITER,
  };
}

/** Null where only the caller could make it. */
export function assemblerOf(
  form: ContextForm,
  budget: TokenBudget | null,
  limits: ContextLimits = contextLimits,
): ContextAssembler | null {
  switch (form.strategy) {
    case 'custom':
      return null;
    case PACK_STRATEGY:
      return packedAssembler();
    case 'labelled_sources': {
      const options = { includeCitations: form.include_citations, delimiter: form.delimiter, limits };
      return budget === null ? contextAssembler(options) : tokenAwareAssembler(budget, options);
    }
  }
}

/** The form that a record tells of; null where it tells of none, or of one that this version does not know. */
export function readForm(facts: JsonObject): ContextForm | null {
  const { strategy, include_citations: includeCitations, delimiter } = facts;
  if (strategy === 'custom' || strategy === PACK_STRATEGY) return { strategy };
  if (strategy !== 'labelled_sources') return null;
  if (typeof includeCitations !== 'boolean' || typeof delimiter !== 'string') return null;
  return { strategy, include_citations: includeCitations, delimiter };
}
