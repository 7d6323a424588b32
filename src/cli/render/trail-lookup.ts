import type { HitTrail } from '../../line/trail-hits.js';
import type { LedgerTrail, LookupTrail, ShownDocument, ShownTrail } from '../../line/trail-lookups.js';
import { SIGNATURES } from './ledger.js';
import { column, type Paint, type Tone } from './page.js';
import { safeText } from './safe-text.js';
import { below, duration, field, instant, listed, plural, quoted, sinceStart } from './trail-parts.js';
import type { TrailPart, TrailStyle } from './trail-parts.js';

/** One lookup of a trail. */

export function lookupPart(lookup: LookupTrail, startedAt: number | null, style: TrailStyle): TrailPart {
  const { toolCallId, state } = lookup;
  const heading = [
    style.paint('strong', `lookup ${safeText(toolCallId)}`),
    style.paint(TONES[state], state),
    timesOf(lookup, startedAt),
  ];
  return {
    heading: heading.join('  '),
    lines: [
      ...question(lookup, style),
      ...failure(lookup),
      ...retrieved(lookup, style.paint),
      ...shown(lookup.shown, style),
      ...ledger(lookup.ledger, style.paint),
      ...again(lookup, startedAt),
    ],
  };
}

const TONES: Readonly<Record<LookupTrail['state'], Tone>> = {
  READY: 'good',
  PENDING: 'unsure',
  REFUSED: 'unsure',
  FAILED: 'bad',
  LOST: 'bad',
  UNREADABLE: 'bad',
};

function timesOf({ askedAt, answeredAt, took }: LookupTrail, startedAt: number | null): string {
  const steps = (['retrieve', 'postprocess', 'project'] as const).flatMap((station) => {
    const ms = took[station];
    return ms === null ? [] : [`${station} ${duration(ms)}`];
  });
  const whole = askedAt === null || answeredAt === null ? '' : `took ${duration(answeredAt - askedAt)}`;
  const parts = [sinceStart(askedAt, startedAt), whole].filter((part) => part !== '').join(', ');
  return steps.length === 0 ? parts : `${parts} (${steps.join(', ')})`;
}

function question({ query, mode, topK }: LookupTrail, { texts, paint }: TrailStyle): readonly string[] {
  if (query === null) return field('question', 'gone');
  const asked = listed([mode, topK === null ? null : `top ${topK}`]);
  const [first = '', ...more] = quoted(query, texts);
  const how = asked === '' ? '' : paint('faint', `  ${asked}`);
  return [`${column('question', 11)}${first}${how}`, ...more.map((line) => `${column('', 11)}${line}`)];
}

function failure({ failure: reason }: LookupTrail): readonly string[] {
  if (reason === null) return [];
  const hint = reason.retryable ? ' (a new lookup may succeed)' : '';
  return field('failure', `${reason.code}: ${reason.message}${hint}`);
}

function retrieved({ retrieved: hits, shown: view, state }: LookupTrail, paint: Paint): readonly string[] {
  if (hits === null) return state === 'READY' ? field('retrieved', 'which hits there were is gone') : [];
  const titles = new Map(view?.documents.map(({ documentId, title }) => [documentId, title] as const));
  return [
    ...field('retrieved', plural(hits.length, 'hit')),
    ...below(hits.map((hit) => hitLine(hit, hit.title ?? titles.get(hit.evidenceKey) ?? null, paint))),
  ];
}

function hitLine(hit: HitTrail, title: string | null, paint: Paint): string {
  const { evidenceKey, originalRank, score } = hit;
  const columns = [
    column(originalRank === null ? '-' : String(originalRank), 3),
    column(score === null ? '-' : String(Number(score.toFixed(4))), 7),
    fateColumn(hit, paint),
    column(evidenceKey, 36),
    safeText(title ?? ''),
  ];
  return columns.join(' ').trimEnd();
}

function fateColumn({ fate, finalRank, reason }: HitTrail, paint: Paint): string {
  const width = 22;
  if (fate === 'KEPT') return paint('good', column(`kept as ${finalRank ?? '?'}`, width));
  if (fate === 'DROPPED') return paint('unsure', column(`dropped ${reason ?? ''}`, width));
  return column('not known', width);
}

function shown(view: ShownTrail | null, style: TrailStyle): readonly string[] {
  if (view === null) return [];
  const { evidenceStatus, relevanceLevel, gain, noEvidenceBasis, truncated, documents } = view;
  const summary = listed([
    evidenceStatus,
    relevanceLevel,
    plural(documents.length, 'item'),
    gain === null ? null : `gain ${gain}`,
    noEvidenceBasis,
    truncated === true ? 'truncated' : null,
  ]);
  const text = FROM[view.textFrom ?? 'GONE'];
  return [
    ...field('shown', text === '' ? summary : `${summary}; ${text}`),
    ...below(documents.flatMap((document) => shownDocument(document, style))),
    ...view.cuts.flatMap(({ code, documentId }) => field('cut', listed([code, documentId]))),
    ...view.markerInEvidence.flatMap((documentId) =>
      field('note', `MARKER_IN_EVIDENCE ${safeText(documentId)}: its text looks like a citation; it is data`),
    ),
  ];
}

const FROM = {
  TOPIC: '',
  AUDIT: 'gone from its topic, the text is from the audit',
  LEDGER: 'gone from its topic, the text is from the ledger',
  GONE: 'the text is gone',
} as const;

function shownDocument({ documentId, title, excerpt }: ShownDocument, style: TrailStyle): readonly string[] {
  const name = title === null ? '' : style.paint('faint', `  ${safeText(title)}`);
  return [`${safeText(documentId)}${name}`, ...(excerpt === null ? [] : below(quoted(excerpt, style.texts)))];
}

function ledger(entry: LedgerTrail | null, paint: Paint): readonly string[] {
  if (entry === null) return [];
  const { state, signature, keyId, expiresAt, problems } = entry;
  const signed = keyId === null ? '' : ` (key ${safeText(keyId)})`;
  const expiry = expiresAt === null ? '' : `, expires ${instant(expiresAt)}`;
  const words = `${state}, signature ${SIGNATURES[signature]}${signed}${expiry}`;
  return [
    ...field('ledger', words),
    ...problems.map((problem) => `${column('', 11)}${paint('bad', problem)}`),
  ];
}

function again({ again: asks }: LookupTrail, startedAt: number | null): readonly string[] {
  return asks.flatMap(({ at, answer, code }) => {
    const what = answer === 'REPEAT' ? 'answered with the same bytes' : 'refused, the first one stands';
    return field('again', listed([answer, code, sinceStart(at, startedAt), what]));
  });
}
