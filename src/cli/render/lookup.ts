import { errorTable, type ErrorCode } from '../../contracts/errors.js';
import { isJsonObject, parseJson, type JsonObject } from '../../contracts/json.js';
import { nothingFoundText } from '../../evidence/fixed-texts.js';
import type { LookupAnswer } from '../../line/line-client.js';
import { adviceLines, counted, LABEL, WIDTH, type Typed } from './advice.js';
import { labelled, wrapped, type Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';

/** What the renderer reads of a ProjectedEvidence in JSON form. */
export interface ProjectedJson {
  readonly run_id: string;
  readonly tool_call_id: string;
  readonly state: 'READY' | 'FAILED' | 'REFUSED';
  readonly agent_view: string | null;
  readonly cuts: readonly { readonly code: string; readonly document_id: string | null }[];
  readonly no_evidence_basis: string | null;
  readonly gain: string | null;
  readonly repeat: boolean;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly expires_at: string | null;
}

export function projectedOf({ projected }: LookupAnswer): ProjectedJson {
  return projected as unknown as ProjectedJson;
}

/** A lookup's answer for a person: what was found, what was left out, the ids, and what to do next. */
export function lookupPage(answer: LookupAnswer, paint: Paint, typed: Typed): readonly string[] {
  const projected = projectedOf(answer);
  if (projected.state !== 'READY') return failurePage(projected, paint);
  const view = viewOf(projected);
  const items = Array.isArray(view['evidence']) ? view['evidence'].filter(isJsonObject) : [];
  return [
    headline(projected, view, items.length, paint),
    ...(items.length === 0 ? nothingFound(projected) : []),
    ...items.flatMap((item, i) => itemLines(item, i + 1, paint)),
    '',
    ...leftOutLines(answer, projected),
    ...idLines(projected, paint),
    ...nextLines(projected, paint, typed),
  ];
}

function viewOf(projected: ProjectedJson): JsonObject {
  const view = parseJson(projected.agent_view ?? '');
  return isJsonObject(view) ? view : {};
}

function headline(projected: ProjectedJson, view: JsonObject, items: number, paint: Paint): string {
  const status = text(view['evidence_status']);
  const grade = text(view['relevance_level']);
  const parts = [
    paint(items > 0 ? 'good' : 'unsure', status),
    ...(grade === '' ? [] : [grade]),
    counted(items, 'item'),
    ...(projected.gain === 'UNCHANGED' ? ['nothing that this run was not shown before'] : []),
    ...(projected.repeat ? ['asked before, the same answer again'] : []),
  ];
  return parts.join('  ');
}

function nothingFound({ no_evidence_basis: basis }: ProjectedJson): readonly string[] {
  const why = basis === null ? '' : ` (${safeText(basis)})`;
  return ['', ...wrapped(`${nothingFoundText.en}${why}`, WIDTH), nothingFoundText.zh];
}

/** Lines of an excerpt that a person is shown; the agent view has it whole. */
const EXCERPT_LINES = 4;
const INDENT = '    ';

function itemLines(item: JsonObject, number: number, paint: Paint): readonly string[] {
  const { document_id: id, title, breadcrumb, source, excerpt } = item;
  const about = [text(title), text(breadcrumb), text(source)].filter((part) => part !== '');
  const paragraphs = text(excerpt).split('\n');
  const lines = paragraphs.flatMap((paragraph) => wrapped(paragraph, WIDTH - INDENT.length));
  const shown = lines.slice(0, EXCERPT_LINES).map((line) => INDENT + line);
  if (lines.length > EXCERPT_LINES) shown.push(`${INDENT}${paint('faint', '…')}`);
  return [
    '',
    `${String(number).padStart(2)}  ${paint('strong', safeText(text(id)))}`,
    ...wrapped(distinct(about).join(' · '), WIDTH - INDENT.length).map((line) =>
      paint('faint', INDENT + line),
    ),
    ...shown,
  ];
}

/** A breadcrumb begins with the title: what is said twice is left out. */
function distinct(parts: readonly string[]): readonly string[] {
  const different = [...new Set(parts)];
  return different.filter((part) => !different.some((other) => other.startsWith(`${part} > `)));
}

function leftOutLines({ dropped }: LookupAnswer, { cuts }: ProjectedJson): readonly string[] {
  const drops = dropped.map((drop) => `${text(drop['evidence_key'])} ${text(drop['reason'])}`);
  const cutNames = cuts.map((cut) => `${cut.code}${cut.document_id === null ? '' : ` ${cut.document_id}`}`);
  return [...listed('dropped', drops), ...listed('cut', cutNames)];
}

const LONGEST_LIST = 5;

function listed(label: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, LONGEST_LIST).map((name) => safeCut(name, 120));
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `and ${more} more`] : shown;
  return labelled(label.padEnd(LABEL), all.join(', '), WIDTH);
}

function idLines(projected: ProjectedJson, paint: Paint): readonly string[] {
  const { run_id: run, tool_call_id: call, expires_at: expires } = projected;
  const row = (label: string, value: string): string => `${label.padEnd(LABEL)}${safeText(value)}`;
  return [
    row('run', run),
    row('call', call),
    ...(expires === null ? [] : [paint('faint', row('expires', expires))]),
  ];
}

function nextLines({ run_id: run }: ProjectedJson, paint: Paint, typed: Typed): readonly string[] {
  const advice = [
    { command: typed(`submit DRAFT.json --run ${run}`), why: 'hand in a report that cites this call' },
    { command: typed(`trail ${run}`), why: 'see how it came about' },
  ];
  return adviceLines(advice, paint);
}

function failurePage(projected: ProjectedJson, paint: Paint): readonly string[] {
  const { state, failure } = projected;
  const solve = errorTable[failure?.code as ErrorCode] as { solve: string } | undefined;
  return [
    `${paint('bad', state)}  ${safeText(failure?.code ?? '')}`,
    ...wrapped(failure?.message ?? '', WIDTH - 2).map((line) => `  ${line}`),
    ...(solve === undefined ? [] : [`  → ${solve.solve}`]),
    '',
    ...idLines(projected, paint),
  ];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
