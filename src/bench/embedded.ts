import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { harnessDefaults } from '../../consumers/harness.js';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import { isJsonObject, parseJson } from '../contracts/json.js';
import { followAnswers } from '../line/answers.js';
import { openLine, type Line } from '../line/embedded-line.js';
import { lineDefaults } from '../line/stations.js';
import { memorySearch } from '../retrieval/memory.js';
import { encodeRecord } from '../station/envelope.js';
import { percentile, type Figure } from './measure.js';
import { boundless } from './runs.js';
import { sampleDraft, sampleHits } from './sample-evidence.js';

/** The embedded line, durable. Baseline: bare SQLite transactions of the same bytes. */

export interface EmbeddedLoad {
  /** Lookups in all; drafts are a fifth of them. */
  readonly lookups: number;
  /** Lookups that are under way at a time. */
  readonly concurrency: number;
}

const HITS = 5;
const CHARS = 200;
const MIB = 1024 * 1024;
const ANSWER_MS = 60_000;

export async function benchEmbedded(
  load: EmbeddedLoad,
  onProgress: (done: number) => void,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-bench-'));
  const search = memorySearch(sampleHits(1, HITS, CHARS));
  const line = openLine({
    folder,
    search,
    settings: { ...lineDefaults, harness: boundless(harnessDefaults) },
  });
  try {
    const alone = await oneAtATime(line, 200);
    const before = process.cpuUsage();
    const throughput = await lookupsPerSecond(line, load, onProgress);
    const { user, system } = process.cpuUsage(before);
    const afterLookups = process.memoryUsage.rss();
    const drafts = await draftsPerSecond(line, load, throughput.shown);
    const bare = bareTransactions(folder);
    const unit = 'per s';
    return [
      { name: 'lookup alone, p50', value: percentile(alone, 50), unit: 'ms' },
      { name: 'lookup alone, p99', value: percentile(alone, 99), unit: 'ms' },
      {
        name: `lookups to the projection, ${HITS} × ${CHARS}, ${load.concurrency} at a time`,
        value: throughput.rate,
        unit,
        baseline: bare,
      },
      { name: 'processor time of a lookup', value: (user + system) / 1000 / load.lookups, unit: 'ms' },
      { name: 'drafts to the verdict', value: drafts, unit, baseline: bare },
      { name: 'resident memory after the lookups', value: afterLookups / MIB, unit: 'MiB' },
      { name: 'and after the drafts', value: process.memoryUsage.rss() / MIB, unit: 'MiB' },
    ];
  } finally {
    await line.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function oneAtATime(line: Line, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await line.lookup(
      lookupRequested(
        { runId: `alone-${i % 7}`, toolCallId: `call-${i}`, query: 'gateway timeout' },
        Date.now(),
      ),
      30_000,
    );
    times.push(performance.now() - start);
  }
  return times.slice(Math.floor(count / 10));
}

interface Shown {
  readonly runId: string;
  readonly toolCallId: string;
  readonly documentId: string;
}

async function lookupsPerSecond(
  line: Line,
  { lookups, concurrency }: EmbeddedLoad,
  onProgress: (done: number) => void,
): Promise<{ rate: number; shown: Shown[] }> {
  const shown: Shown[] = [];
  const start = performance.now();
  await inParallel(lookups, concurrency, async (i) => {
    const request = {
      runId: `run-${Math.floor(i / 5)}`,
      toolCallId: `call-${i % 5}`,
      query: 'gateway timeout',
    };
    const { agentView } = await line.lookup(lookupRequested(request, Date.now()), 60_000);
    if (i < 20_000) shown.push({ ...request, documentId: firstDocument(agentView) });
    if (i % 1000 === 999) onProgress(i + 1);
  });
  return { rate: (lookups * 1000) / (performance.now() - start), shown };
}

async function draftsPerSecond(
  line: Line,
  { concurrency }: EmbeddedLoad,
  shown: readonly Shown[],
): Promise<number> {
  const runs = new Map<string, Shown[]>();
  for (const each of shown) runs.set(each.runId, [...(runs.get(each.runId) ?? []), each]);
  const ids = [...runs.keys()];
  const answers = followAnswers(line.bus, line.codec);
  const start = performance.now();
  await inParallel(ids.length, concurrency, async (i) => {
    const runId = ids[i] ?? '';
    const draftJson = sampleDraft(runs.get(runId) ?? []);
    const draft = draftSubmitted({ runId, draftId: 'draft-1', draftJson }, Date.now());
    const verdict = answers.wait('verdict.v1', draft.eventId, ANSWER_MS);
    await line.bus.append([encodeRecord(line.emitter, 'draft-submitted.v1', draft)]);
    await verdict;
  });
  const rate = (ids.length * 1000) / (performance.now() - start);
  await answers.stop();
  return rate;
}

async function inParallel(
  count: number,
  concurrency: number,
  work: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

function firstDocument(agentView: string | null): string {
  const view = agentView === null ? null : parseJson(agentView);
  const evidence =
    isJsonObject(view) && Array.isArray(view['evidence']) ? (view['evidence'] as unknown[]) : [];
  const first = evidence[0];
  return isJsonObject(first) && typeof first['document_id'] === 'string' ? first['document_id'] : '';
}

/** What a lookup puts on the disk in all, in one durable transaction each. */
function bareTransactions(folder: string): { name: string; value: number } {
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB)');
  const insert = db.prepare('INSERT INTO t (value) VALUES (?)');
  const value = Buffer.alloc(6 * HITS * CHARS, 7);
  const start = performance.now();
  let done = 0;
  for (; performance.now() - start < 1000; done++) insert.run(value);
  const rate = (done * 1000) / (performance.now() - start);
  db.close();
  return { name: 'bare SQLite transactions', value: rate };
}
