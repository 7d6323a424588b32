import type { RunTrace } from '../../trace/run-trace.js';
import type { Paint, Tone } from './page.js';
import { safeText } from './safe-text.js';
import { duration, field, listed, plural, quoted, sinceStart, type TrailPart } from './trail-parts.js';

/** Contexts, generations and judgements, as trail and trace show them. */

export function contextPart(
  context: RunTrace['contexts'][number],
  startedAt: number | null,
  paint: Paint,
): TrailPart {
  const { contextId, toolCallIds, citations, budget, form, query, textSha256, measured } = context;
  const lookups = new Set([...toolCallIds, ...citations.map(({ toolCallId }) => toolCallId)]);
  const limit = budget === null ? null : `at most ${budget.tokens} tokens (${budget.encoding})`;
  const heading = [
    paint('strong', `context ${safeText(contextId)}`),
    sinceStart(measured.startedAt, startedAt),
  ];
  return {
    heading: heading.join('  ').trimEnd(),
    lines: [
      ...field('question', quoted(query, false).join(' ')),
      ...field('text', listed([form?.strategy ?? null, limit, `sha256 ${textSha256}`])),
      ...field('sources', `${plural(citations.length, 'source')} of ${listed([...lookups])}`),
      ...citations.flatMap(({ citationId, toolCallId, documentId, start, end }) =>
        field('', `${safeText(citationId)} ${listed([toolCallId, documentId])} ${start}–${end}`),
      ),
    ],
  };
}

export function generationPart(
  generation: RunTrace['generations'][number],
  startedAt: number | null,
  paint: Paint,
): TrailPart {
  const { draftId, provider, model, requestId, source, cost, currency, at } = generation;
  const { inputTokens, outputTokens, totalTokens } = generation;
  const count = (tokens: number | null, what: string): string | null =>
    tokens === null ? null : `${tokens} ${what}`;
  const used = listed([
    count(inputTokens, 'tokens in'),
    count(outputTokens, 'tokens out'),
    count(totalTokens, 'tokens in all'),
    cost === null ? null : `cost ${cost} ${currency ?? ''}`.trimEnd(),
  ]);
  const told = source === 'REPORTED' ? `filled in ${sinceStart(at, startedAt)}` : 'said with the draft';
  return {
    heading: `${paint('strong', `generation of draft ${safeText(draftId)}`)}  ${told}`.trimEnd(),
    lines: [
      ...field('model', listed([provider, model, requestId === null ? null : `request ${requestId}`])),
      ...field('used', used),
    ],
  };
}

export function judgementPart(
  judgement: RunTrace['judgements'][number],
  startedAt: number | null,
  paint: Paint,
): TrailPart {
  const { draftId, outcome, code, model, scores, reason, measured } = judgement;
  const score = (name: string, value: number | null): string => `${name} ${value ?? '-'}`;
  const heading = [
    paint('strong', `judge of draft ${safeText(draftId)}`),
    paint(TONES[outcome] ?? 'faint', safeText(outcome)),
    sinceStart(measured.startedAt, startedAt),
    `took ${duration(Math.max(0, measured.finishedAt - measured.startedAt))}`,
  ];
  return {
    heading: heading.filter((part) => part !== '').join('  '),
    lines: [
      ...field('model', listed([model, code])),
      ...field(
        'scores',
        listed([
          score('faithfulness', scores.faithfulness),
          score('context relevance', scores.contextRelevance),
          score('answer relevance', scores.answerRelevance),
        ]),
      ),
      ...(reason === null || reason === '' ? [] : field('reason', quoted(reason, false).join(' '))),
    ],
  };
}

const TONES: Readonly<Record<string, Tone>> = { JUDGED: 'good', FAILED: 'bad' };
