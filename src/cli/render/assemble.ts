import type { AssembledContext } from '../../context/assemble.js';
import type { RunContext } from '../../context/run-context.js';
import { toSnakeJson, type JsonObject } from '../../contracts/json.js';
import type { AnswerSpans, Claim } from '../../spans/bind-answer.js';
import { LABEL } from './advice.js';
import { column, type Paint } from './page.js';
import { safeCut, safeLines, safeText } from './safe-text.js';

/** A context and what an answer cites of it, for a person or a program. */

type Shown = AssembledContext | RunContext;

export function assembledJson(assembled: Shown, spans: AnswerSpans | null): JsonObject {
  const json = toSnakeJson(assembled) as JsonObject;
  return spans === null ? json : { ...json, answer: toSnakeJson(spans) };
}

export function assembledPage(
  assembled: Shown,
  answer: string | null,
  spans: AnswerSpans | null,
  paint: Paint,
): readonly string[] {
  return [
    ...safeLines(assembled.text),
    '',
    ...assembled.citations.map(
      ({ citationId, evidenceKey, start, end }) =>
        column(citationId, LABEL) + safeText(`${evidenceKey ?? 'no identity'}  ${start}–${end}`),
    ),
    ...originLines(assembled),
    ...(answer === null || spans === null ? [] : ['', ...claimLines(answer, spans, paint)]),
  ];
}

function originLines(assembled: Shown): readonly string[] {
  if (!('contextId' in assembled)) return [`${column('note', LABEL)}of no run: a report cannot cite it`];
  const { contextId, runId, textSha256 } = assembled;
  return [
    `${column('context', LABEL)}${contextId} of run ${safeText(runId)}, recorded`,
    `${column('sha256', LABEL)}${textSha256}`,
  ];
}

/** Characters of a claim that are shown. */
const SHOWN = 80;

function claimLines(answer: string, { unit, claims }: AnswerSpans, paint: Paint): readonly string[] {
  if (claims.length === 0) return ['The answer says nothing.'];
  const lines = claims.flatMap((claim) => {
    const [tone, word] = verdictOf(claim);
    const place = `${claim.start}–${claim.end}`;
    // Only these places slice a text here.
    const words = unit === 'utf16' ? `  ${safeCut(answer.slice(claim.start, claim.end), SHOWN)}` : '';
    return [`${column(place, LABEL + 4)}${paint(tone, word)}${words}`];
  });
  return [`${column('answer', LABEL)}places count ${unit}`, ...lines];
}

function verdictOf({ kind, citations, unknown, needsCitation }: Claim): ['good' | 'bad' | 'faint', string] {
  const strange = unknown.map(({ text }) => `${safeText(text)} is no source`);
  if (needsCitation) return ['bad', ['needs a citation', ...strange].join(', ')];
  if (strange.length > 0) return ['bad', [...citations, ...strange].join(', ')];
  if (citations.length > 0) return ['good', citations.join(', ')];
  return ['faint', kind.toLowerCase().replace('_', ' ')];
}
