import type { RunSummary } from '../../audit/audit-store.js';
import type { DeadLetterTrail, NoteTrail, RunTrail } from '../../line/run-trail.js';
import type { RunOutcomeTrail } from '../../line/trail-drafts.js';
import { column, type Paint, type Tone } from './page.js';
import { safeText } from './safe-text.js';
import { draftPart, type ExcerptOf } from './trail-draft.js';
import { contextPart, generationPart, judgementPart } from './trace-parts.js';
import { lookupPart } from './trail-lookup.js';
import {
  duration,
  field,
  instant,
  listed,
  plural,
  sinceStart,
  type TrailPart,
  type TrailStyle,
} from './trail-parts.js';

/** A run's trail as a tree for a person. Whatever comes from outside is made safe for a terminal. */

export function renderTrail(trail: RunTrail, style: TrailStyle): string {
  const { startedAt, lookups, drafts, deadLetters, notes } = trail;
  const parts: readonly TrailPart[] = [
    ...lookups.map((lookup) => lookupPart(lookup, startedAt, style)),
    ...drafts.map((draft) => draftPart(draft, startedAt, style, excerptsOf(lookups))),
    ...trail.contexts.map((context) => contextPart(context, startedAt, style.paint)),
    ...trail.generations.map((generation) => generationPart(generation, startedAt, style.paint)),
    ...trail.judgements.map((judgement) => judgementPart(judgement, startedAt, style.paint)),
    ...deadLetters.map((letter) => deadLetterPart(letter, startedAt, style.paint)),
    ...notesPart(notes, startedAt),
    outcomePart(trail.outcome, startedAt, style.paint),
  ];
  const lines = [header(trail, style.paint), ...tree(parts), ...remarks(trail)];
  return `${lines.join('\n')}\n`;
}

function excerptsOf(lookups: RunTrail['lookups']): ExcerptOf {
  return (toolCallId, documentId) => {
    const lookup = lookups.find((each) => each.toolCallId === toolCallId);
    return lookup?.shown?.documents.find((each) => each.documentId === documentId)?.excerpt ?? null;
  };
}

function header(trail: RunTrail, paint: Paint): string {
  const { runId, startedAt, endedAt, outcome, partition } = trail;
  const took = startedAt === null || endedAt === null ? '' : `took ${duration(endedAt - startedAt)}`;
  const began = startedAt === null ? '' : instant(startedAt);
  const parts = [
    paint('strong', `run ${safeText(runId)}`),
    paint(TONES[outcome.kind], outcome.kind),
    began,
    took,
  ];
  return `${parts.filter((part) => part !== '').join('  ')}  partition ${partition}`;
}

const TONES: Readonly<Record<RunOutcomeTrail['kind'], Tone>> = {
  VERIFIED: 'good',
  FALLBACK: 'unsure',
  HELD: 'unsure',
  OPEN: 'faint',
};

/** Parts that hang on one stem. */
export function tree(parts: readonly TrailPart[]): string[] {
  return parts.flatMap(({ heading, lines }, i) => {
    const isLast = i === parts.length - 1;
    const stem = isLast ? '   ' : '│  ';
    return [`${isLast ? '└─' : '├─'} ${heading}`, ...lines.map((line) => `${stem}${line}`.trimEnd())];
  });
}

function deadLetterPart(letter: DeadLetterTrail, startedAt: number | null, paint: Paint): TrailPart {
  const { eventId, origin, station, code, message, attempt, at } = letter;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return {
    heading: `${paint('bad', 'dead letter')} ${safeText(eventId)}  ${sinceStart(at, startedAt)}`,
    lines: [
      ...field('why', `${safeText(code)}: ${safeText(message)}`),
      ...field(
        'record',
        `${safeText(origin.topic)}/${origin.partition}@${origin.offset}, given up by ${safeText(station)}${again}`,
      ),
      ...field('look', `proofline dlq show ${safeText(eventId)}`),
    ],
  };
}

function notesPart(notes: readonly NoteTrail[], startedAt: number | null): readonly TrailPart[] {
  if (notes.length === 0) return [];
  const lines = notes.flatMap(({ at, station, kind, outcome, code, toolCallId, draftId }) =>
    field(station, listed([kind, outcome, code, toolCallId, draftId, sinceStart(at, startedAt)])),
  );
  return [{ heading: 'also noted', lines }];
}

function outcomePart(outcome: RunOutcomeTrail, startedAt: number | null, paint: Paint): TrailPart {
  const { kind, eventId, draftId, decidedBy, replaces, at } = outcome;
  return {
    heading: [
      paint('strong', 'outcome'),
      paint(TONES[kind], kind),
      listed([
        draftId === null ? null : `draft ${draftId}`,
        eventId === null ? null : `event ${eventId}`,
        decidedBy === null ? null : `decided by ${decidedBy}`,
        replaces === null ? null : `replaces ${replaces}`,
        sinceStart(at, startedAt),
      ]),
    ]
      .join('  ')
      .trimEnd(),
    lines: kind === 'HELD' ? ['a person must decide about it'] : [],
  };
}

function remarks({ gone, audit }: RunTrail): string[] {
  const missing = gone.map(({ topic, records }) => `${topic} (${records})`).join(', ');
  return [
    ...(missing === ''
      ? []
      : ['', `Gone, or not kept that long: ${missing}. What the audit noted of it is shown.`]),
    ...(audit.truncated ? ['', `The audit has more than the ${audit.events} events that were read.`] : []),
  ];
}

/** The runs that were at work last. */
export function renderRuns(runs: readonly RunSummary[]): string {
  if (runs.length === 0) return 'No run yet. `proofline lookup` asks the first question.\n';
  const width = Math.max(...runs.map(({ runId }) => runId.length), 3) + 2;
  const lines = runs.map(
    ({ runId, firstAt, lastAt }) =>
      `${column(runId, width)}${column(instant(lastAt), 26)}${duration(lastAt - firstAt)}`,
  );
  const head = `${column('run', width)}${column('last event', 26)}since its first`;
  return `${[head, ...lines].join('\n')}\n${plural(runs.length, 'run')}; \`proofline trail RUN\` tells one.\n`;
}
