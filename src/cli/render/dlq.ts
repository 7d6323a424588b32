import { errorTable } from '../../contracts/errors.js';
import type { JsonObject } from '../../contracts/json.js';
import { instantToJson, recordToJson } from '../../contracts/record-json.js';
import type { Codec } from '../../contracts/codec.js';
import { isTopicName } from '../../contracts/topics.js';
import type { DeadLetterSummary, KnownDeadLetter, Replay } from '../../line/dead-letters.js';
import type { PlannedReplay } from '../../line/replay-plans.js';
import type { Replayed } from '../../line/replay.js';
import { readMessage } from '../../line/scan.js';
import { keyJson } from '../../line/tail.js';
import { column, type Paint } from './page.js';
import { safeCut, safeText } from './safe-text.js';
import { renderTable } from './table.js';
import { below, field, instant, listed } from './trail-parts.js';

/** Dead letters for a person, and as JSON. */

export function renderLetters(letters: readonly DeadLetterSummary[]): string {
  const heading = ['dead letter', 'given up', 'station', 'code', 'record', 'run', 'attempt', 'replayed'];
  const rows = letters.map(({ letter, at, replay }) => [
    letter.eventId,
    instant(at.timestamp),
    letter.station,
    letter.code,
    placeOf(letter.origin),
    letter.runId,
    String(letter.attempt),
    replay === null ? '' : 'yes',
  ]);
  return renderTable(heading, rows);
}

export function letterJson({ letter, at, replay }: Omit<DeadLetterSummary, 'valueBytes'>): JsonObject {
  const { eventId, runId, occurredAt, origin, station, code, message, attempt } = letter;
  return {
    event_id: eventId,
    run_id: runId,
    occurred_at: instantToJson(occurredAt),
    given_up_at: instantToJson(at.timestamp),
    origin,
    station,
    code,
    message,
    attempt,
    replayed: replayJson(replay),
  };
}

function replayJson(replay: Replay | null): JsonObject | null {
  if (replay === null) return null;
  const { as, done } = replay;
  return { by: done.replayedBy, at: instantToJson(done.occurredAt), to: done.to, as };
}

/** `letterJson`, and the record whole: `{key, value: {bytes, hex, decoded, problem}, headers}`; bytes of headers as latin1. */
export function knownLetterJson(known: KnownDeadLetter, codec: Codec): JsonObject {
  const { key, value, headers, code } = known.letter;
  const { decoded, problem } = decodedValue(known, codec);
  return {
    ...letterJson(known),
    solve: solveOf(code),
    record: {
      key: key === null ? null : keyJson(key),
      headers: headers.map((header) => ({
        name: header.key,
        value: header.value?.toString('latin1') ?? null,
      })),
      value: value === null ? null : { bytes: value.length, hex: value.toString('hex'), decoded, problem },
    },
  };
}

function decodedValue(
  { letter: { origin, value } }: KnownDeadLetter,
  codec: Codec,
): { decoded: JsonObject | null; problem: string | null } {
  if (!isTopicName(origin.topic)) return { decoded: null, problem: 'its topic is not known' };
  const { message, error } = readMessage(codec, origin.topic, value);
  if (message === null) return { decoded: null, problem: error?.message ?? 'it has no value' };
  return { decoded: recordToJson(origin.topic, message), problem: null };
}

function solveOf(code: string): string | null {
  return Object.hasOwn(errorTable, code) ? errorTable[code as keyof typeof errorTable].solve : null;
}

/** Bytes of a value that a person is shown; --json has all. */
const SHOWN_BYTES = 256;

export function renderLetter(known: KnownDeadLetter, codec: Codec, paint: Paint): string {
  const { letter, at, replay } = known;
  const { eventId, code, message, station, attempt, origin, runId, key, value, headers } = letter;
  const { decoded, problem } = decodedValue(known, codec);
  const lines = [
    `${paint('strong', `dead letter ${safeText(eventId)}`)}  ${instant(at.timestamp)}`,
    ...field('why', `${code}: ${message}`),
    ...field('solve', solveOf(code) ?? ''),
    ...field('station', `${station}, attempt ${attempt}`),
    ...field('record', `${placeOf(origin)}${runId === '' ? '' : `, run ${runId}`}`),
    ...field('key', key === null ? 'none' : safeCut(key.toString('utf8'), 300)),
    ...headers.map(
      (header) =>
        `${column('header', 11)}${safeText(header.key)}: ${safeCut(header.value?.toString('latin1') ?? '', 300)}`,
    ),
    ...field('value', value === null ? 'none' : `${value.length} bytes`),
    ...below(
      decoded === null
        ? [...(value === null ? [] : hexLines(value)), ...(problem === null ? [] : [safeText(problem)])]
        : JSON.stringify(decoded, null, 2)
            .split('\n')
            .map((line) => safeCut(line, 2000)),
    ),
    ...field('replayed', replayWords(replay, eventId)),
  ];
  return `${lines.join('\n')}\n`;
}

function hexLines(value: Buffer): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(value.length, SHOWN_BYTES); at += 16) {
    const bytes = value.subarray(at, at + 16);
    const text = bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${bytes.toString('hex').padEnd(32)}  ${text}`);
  }
  if (value.length > SHOWN_BYTES) lines.push(`… ${value.length - SHOWN_BYTES} more bytes; --json has them`);
  return lines;
}

function replayWords(replay: Replay | null, eventId: string): string {
  if (replay === null) return 'no';
  const { as, done } = replay;
  const same = as === eventId ? '' : `, as dead letter ${as} of the same record`;
  return `by ${done.replayedBy} at ${instant(done.occurredAt)}, to ${done.to.topic}/${done.to.partition}${same}`;
}

/** A replay that was planned, and where its record lies now when it was done. */
export interface ReplayLine {
  readonly planned: PlannedReplay;
  readonly replayed: Replayed | null;
  /** Why it failed although it was planned. */
  readonly failure: string | null;
}

export function replayLineJson({ planned, replayed, failure }: ReplayLine): JsonObject {
  const { summary, target, problem } = planned;
  const { eventId, origin, code } = summary.letter;
  return {
    event_id: eventId,
    code,
    from: origin,
    to:
      target === null
        ? null
        : { topic: target.topic, partition: target.partition, offset: replayed?.offset ?? null },
    partition_by: target?.partitionBy ?? null,
    written: replayed !== null,
    problem: failure ?? problem,
  };
}

/** What would be written, or was. */
export function renderReplay(line: ReplayLine, paint: Paint): string {
  const { planned, replayed, failure } = line;
  const { summary, target } = planned;
  const { eventId, origin, code } = summary.letter;
  const head = `${safeText(eventId)}  ${safeText(code)}  ${placeOf(origin)}`;
  const problem = failure ?? planned.problem;
  if (target === null || problem !== null)
    return `${head}  ${paint('unsure', `not replayed: ${safeText(problem ?? '')}`)}\n`;
  const place = `${target.topic}/${target.partition}${replayed === null ? '' : `@${replayed.offset}`}`;
  const moved =
    target.partition === target.fromPartition ? '' : `, put right from partition ${target.fromPartition}`;
  const what = listed([
    `${target.valueBytes} bytes as they are`,
    `key of ${target.keyBytes} bytes`,
    `${target.headers.length} headers`,
  ]);
  const done = replayed === null ? 'would go to' : paint('good', 'went to');
  return `${head}\n  ${done} ${place} (by its ${WORDS[target.partitionBy]}${moved}): ${what}\n`;
}

const WORDS = { run_id: 'run_id', key: 'key', origin: 'place, having no key' } as const;

function placeOf({ topic, partition, offset }: KnownDeadLetter['letter']['origin']): string {
  return `${safeText(topic)}/${partition}@${offset}`;
}
