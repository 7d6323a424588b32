import { ProoflineError } from '../contracts/errors.js';
import { claimKind, type ClaimKind } from './claim-kind.js';
import { copyDetector } from './copied-markers.js';
import { cutClaims, type RawClaim } from './cut-claims.js';
import { spanLimits, type SpanLimits } from './limits.js';
import type { Marker } from './marker.js';
import { offsetsIn, type OffsetUnit } from './offsets.js';
import { sourcesOf } from './sources.js';

/** A place in the answer, in the report's unit, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A marker, as it was written. */
export interface MarkerSpan extends Span {
  readonly text: string;
}

/** One sentence of an answer, and what it cites. */
export interface Claim extends Span {
  readonly kind: ClaimKind;
  /** Ids of the sources, each once, in the order of the markers. */
  readonly citations: readonly string[];
  /** Markers that name a source which the context does not have; its other sources count. */
  readonly unknown: readonly MarkerSpan[];
  /** Markers that were copied out of the evidence with the words around them: they cite nothing. */
  readonly copied: readonly MarkerSpan[];
  /** It states something and cites no source that there is. */
  readonly needsCitation: boolean;
}

/** What an answer says sentence by sentence. Binding does not judge: whether a source says so is another question. */
export interface AnswerSpans {
  /** The context that markers were resolved against; null where it belongs to no run. */
  readonly contextId: string | null;
  readonly unit: OffsetUnit;
  readonly claims: readonly Claim[];
}

/** What the markers of an answer are resolved against: one context. */
export interface AnswerContext {
  /** Of a context that was assembled in a run. */
  readonly contextId?: string;
  readonly citations: readonly { readonly citationId: string; readonly snippet: string }[];
}

export interface BindOptions {
  /** Default `utf16`. */
  readonly unit?: OffsetUnit;
  readonly limits?: SpanLimits;
}

/**
 * Cuts a plain-text answer into claims and binds each marker to the claim that it stands in or right behind.
 * @throws ProoflineError PL_INPUT_INVALID for an answer that is over the limits.
 */
export function bindAnswer(answer: string, context: AnswerContext, options: BindOptions = {}): AnswerSpans {
  const { unit = 'utf16', limits = spanLimits } = options;
  if (answer.length > limits.answerChars)
    throw tooLarge(`the answer has ${answer.length} characters, more than ${limits.answerChars}`);
  const text = answer.toWellFormed();
  const bind = binder(text, context, unit);
  const claims: Claim[] = [];
  cutClaims(text, (raw) => {
    if (claims.length === limits.claims) throw tooLarge(`the answer has more than ${limits.claims} claims`);
    claims.push(bind(raw));
    return true;
  });
  return { contextId: context.contextId ?? null, unit, claims };
}

function tooLarge(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}

function binder(text: string, { citations }: AnswerContext, unit: OffsetUnit): (raw: RawClaim) => Claim {
  const sources = sourcesOf(citations.map(({ citationId }) => citationId));
  const isCopy = copyDetector(citations.map(({ snippet }) => snippet));
  const place = offsetsIn(text, unit);
  const markerSpan = ({ start, end }: Marker): MarkerSpan => ({
    start: place(start),
    end: place(end),
    text: text.slice(start, end),
  });
  return (raw) => {
    const start = place(raw.start);
    const copied: MarkerSpan[] = [];
    const unknown: MarkerSpan[] = [];
    const cited = new Set<number>();
    for (const marker of raw.markers) {
      if (isCopy(text, marker)) {
        copied.push(markerSpan(marker));
        continue;
      }
      if (!sources.resolve(marker, cited)) unknown.push(markerSpan(marker));
    }
    const kind = raw.isCode ? 'CODE' : claimKind(withoutMarkers(text, raw));
    const needsCitation = kind === 'STATEMENT' && cited.size === 0;
    return {
      start,
      end: place(raw.end),
      kind,
      citations: Array.from(cited, (number) => `S${number}`),
      unknown,
      copied,
      needsCitation,
    };
  };
}

function withoutMarkers(text: string, { start, end, markers }: RawClaim): string {
  if (markers.length === 0) return text.slice(start, end);
  let words = '';
  let from = start;
  for (const marker of markers) {
    words += text.slice(from, marker.start);
    from = marker.end;
  }
  return words + text.slice(from, end);
}
