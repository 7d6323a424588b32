import { isValidId } from '../contracts/ids.js';
import { clientError } from './api-error.js';

/** What a run may spend. The first limits of a run that come count; the client sends them with everything. */
export interface RunLimits {
  /** When the run must have an outcome. */
  readonly deadline?: Date;
  /** Lookups that are answered at most. */
  readonly maxLookups?: number;
  /** Tokens that views and generation may take together. */
  readonly maxTokens?: number;
  /** Distinct drafts that are judged before the run falls back. */
  readonly maxAttempts?: number;
}

export function limitsJson(limits: RunLimits | undefined): Readonly<Record<string, unknown>> {
  if (limits === undefined) return {};
  const { deadline, maxLookups, maxTokens, maxAttempts } = limits;
  return {
    limits: {
      deadline: deadline?.toISOString(),
      max_lookups: maxLookups,
      max_tokens: maxTokens,
      max_attempts: maxAttempts,
    },
  };
}

/**
 * An id as part of a path. It is checked here too: of `..` a URL would make another path.
 * @throws ProoflineApiError PL_ID_INVALID
 */
export function idInPath(field: 'run_id' | 'tool_call_id' | 'draft_id', id: string): string {
  if (!isValidId(id)) throw clientError('PL_ID_INVALID', { field, id: JSON.stringify(id.slice(0, 64)) });
  return encodeURIComponent(id);
}

/** An id that nobody else has. */
export function madeUpId(kind: 'run' | 'call' | 'draft'): string {
  return `${kind}-${uuid()}`;
}

/** `crypto.randomUUID` is only there on pages of https and localhost. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
