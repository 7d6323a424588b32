import { setTimeout as pause } from 'node:timers/promises';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import { recordBytes } from '../bus/record-size.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import { ProoflineError } from '../contracts/errors.js';
import { topicNames } from '../contracts/topics.js';
import type { Answers } from '../line/answers.js';
import type { KafkaLine } from '../line/kafka-line.js';
import { stationInputs, stationNames } from '../line/station-names.js';
import { encodeRecord, type Emitter } from '../station/envelope.js';
import { sampleDraft } from './sample-evidence.js';

/** A line in Kafka that other processes run, asked from this one as agents would ask it. */
export interface AskedLine {
  /** Without a station. */
  readonly line: KafkaLine;
  readonly answers: Answers;
  readonly emitter: Emitter;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

const ANSWER_MS = 120_000;
/** Lookups that are appended together. */
const APPEND = 500;
const CALLS_A_RUN = 5;

function requestOf(name: string, i: number) {
  const [runId, toolCallId] = [`${name}-${Math.floor(i / CALLS_A_RUN)}`, `call-${i % CALLS_A_RUN}`];
  return lookupRequested({ runId, toolCallId, query: 'gateway timeout' }, Date.now());
}

/** Hands one lookup in and waits for its projection; milliseconds. */
async function ask({ line, answers, emitter, signal }: AskedLine, request: ReturnType<typeof requestOf>) {
  const start = performance.now();
  const answer = answers.wait('projected.v1', request.eventId, ANSWER_MS, signal);
  const record = encodeRecord(emitter, 'lookup-requested.v1', request);
  const [projected] = await Promise.all([answer, line.bus.append([record])]);
  return { ms: performance.now() - start, projected };
}

/** Milliseconds of each lookup, the first tenth left out. */
export async function lookupsAlone(asked: AskedLine, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push((await ask(asked, requestOf('alone', i))).ms);
  return times.slice(Math.floor(count / 10));
}

/** Milliseconds of each draft. The view has its lookup's evidence before it is handed in. */
export async function draftsAlone(asked: AskedLine, count: number): Promise<number[]> {
  const { line, answers, emitter, signal } = asked;
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const request = requestOf('drafts', CALLS_A_RUN * i);
    const { runId, toolCallId } = request;
    const { projected } = await ask(asked, request);
    const draftJson = sampleDraft([{ toolCallId, documentId: firstDocument(projected.agentView) }]);
    const draft = draftSubmitted({ runId, draftId: 'draft-1', draftJson }, Date.now());
    const record = encodeRecord(emitter, 'draft-submitted.v1', draft);
    const barrier = await line.bus.exclusively('bench', (w) => w.barrier('ledger.v1', record.partition));
    await line.ledger.whenPast(record.partition, barrier, ANSWER_MS);
    const start = performance.now();
    const verdict = answers.wait('verdict.v1', draft.eventId, ANSWER_MS, signal);
    await Promise.all([verdict, line.bus.append([record])]);
    times.push(performance.now() - start);
  }
  return times.slice(Math.floor(count / 10));
}

function firstDocument(agentView: string | null): string {
  const view = agentView === null ? null : parseJson(agentView);
  const evidence = isJsonObject(view) ? view['evidence'] : undefined;
  const first: unknown = Array.isArray(evidence) ? evidence[0] : undefined;
  return isJsonObject(first) && typeof first['document_id'] === 'string' ? first['document_id'] : '';
}

/**
 * Hands all lookups in before any is waited for; lookups a second. The clock holds what somebody who asks all of it waits
 * for: appending, a few hundred together, until the last projection has come back. It does not hold the making and
 * encoding of the questions: kafkajs alone has its first topic filled before its own clock begins.
 */
export async function lookupsAtOnce(
  { line, answers, emitter, signal }: AskedLine,
  name: string,
  count: number,
): Promise<number> {
  const requests = Array.from({ length: count }, (_, i) => requestOf(name, i));
  const records = requests.map((request) => encodeRecord(emitter, 'lookup-requested.v1', request));
  const answered = Promise.all(
    requests.map(({ eventId }) => answers.wait('projected.v1', eventId, ANSWER_MS, signal)),
  );
  // Where appending fails nobody waits for them.
  answered.catch(() => undefined);
  const start = performance.now();
  for (let i = 0; i < count; i += APPEND) await line.bus.append(records.slice(i, i + APPEND));
  await answered;
  return (count * 1000) / (performance.now() - start);
}

/** Hands lookups in at a steady rate, whether or not those before are answered; milliseconds of each. */
export async function lookupsAtRate(
  asked: AskedLine,
  name: string,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
): Promise<number[]> {
  const start = performance.now();
  const under: Promise<{ ms: number }>[] = [];
  for (let i = 0; i < count; i++) {
    const due = start + (i * 1000) / perSecond;
    if (due > performance.now()) await pause(due - performance.now(), undefined, { signal: asked.signal });
    const lookup = ask(asked, requestOf(name, i));
    lookup.catch(() => undefined);
    under.push(lookup);
  }
  return (await Promise.all(under)).map(({ ms }) => ms);
}

const RESTED_MS = 60_000;
const LOOK_MS = 100;

/** Resolves when every station has consumed all that there is. @throws ProoflineError PL_TIMEOUT */
export async function untilRested({ line: { bus }, signal }: AskedLine): Promise<void> {
  const deadline = performance.now() + RESTED_MS;
  for (const station of stationNames) {
    for (const topic of stationInputs[station]) {
      for (let partition = 0; partition < bus.partitions;) {
        const next = (await bus.committed(station, topic, partition)) ?? 0;
        if ((await bus.read(topic, partition, next, 1)).length === 0) partition += 1;
        else if (performance.now() > deadline)
          throw new ProoflineError('PL_TIMEOUT', { seconds: RESTED_MS / 1000, what: `the rest of ${topic}` });
        else await pause(LOOK_MS, undefined, { signal });
      }
    }
  }
}

/** Records, and bytes of keys, values and headers, over all topics. */
export interface Made {
  readonly records: number;
  readonly bytes: number;
}

const PAGE = 500;
const NO_KEY = Buffer.alloc(0);

/** What became of the lookups that were handed in at once under the name. */
export async function madeBy({ line: { bus } }: AskedLine, name: string): Promise<Made> {
  let [records, bytes] = [0, 0];
  for (const topic of topicNames) {
    for (let partition = 0; partition < bus.partitions; partition++) {
      for (let from = 0; ;) {
        const page = await bus.read(topic, partition, from, PAGE);
        const last = page.at(-1);
        if (last === undefined) break;
        from = last.offset + 1;
        const own = page.filter(({ key }) => key?.toString().startsWith(`${name}-`) === true);
        records += own.length;
        for (const { key, ...record } of own) bytes += recordBytes({ ...record, key: key ?? NO_KEY });
      }
    }
  }
  return { records, bytes };
}
