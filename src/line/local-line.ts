import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { Config } from '../config/config.js';
import { ProoflineError } from '../contracts/errors.js';
import type { ProjectedEvidence } from '../contracts/generated.js';
import { toSnakeJson, type JsonObject } from '../contracts/json.js';
import { partitionOf } from '../contracts/partition.js';
import { instantToJson, recordToJson } from '../contracts/record-json.js';
import { readEntry } from '../ledger/entry-state.js';
import type { Incident } from '../station/lane-environment.js';
import { VERSION } from '../version.js';
import { dataFolder } from './data-folder.js';
import { openLine, type Line } from './embedded-line.js';
import type { IndexAnswer, IndexHealth, LineClient, LineHealth, LookupAnswer } from './line-client.js';
import { replayDeadLetter } from './replay.js';
import { openRetrieval, type Retrieval } from './retrieval.js';

/** A line that runs in this process, with its answers in JSON form. */
export interface LocalLine extends LineClient {
  readonly line: Line;
}

/** What must be there before a line is opened, so that a mistyped folder is not made. */
export type Required = 'nothing' | 'a line' | 'something to search';

export interface LocalLineOptions {
  readonly config: Config;
  readonly requires?: Required;
  readonly onIncident?: (incident: Incident, line: Line) => void;
  readonly onFatal?: (error: unknown) => void;
}

/**
 * Opens the data folder, making it where nothing is required, and runs the line on it.
 * @throws ProoflineError as `openLine` and `openRetrieval` do; PL_DATA_FOLDER_UNUSABLE or PL_INDEX_UNUSABLE where
 *   what is required is not there.
 */
export async function openLocalLine(options: LocalLineOptions): Promise<LocalLine> {
  const { config, requires = 'nothing', onIncident } = options;
  const paths = dataFolder(config.data);
  if (requires === 'a line' && !existsSync(paths.bus)) throw noLine(config.data);
  const retrieval = openRetrieval(paths, config.pyRag);
  let line: Line;
  try {
    if (requires === 'something to search') retrieval.assertReady();
    makeFolder(config.data);
    line = openLine({
      folder: config.data,
      search: retrieval.search,
      partitions: config.partitions,
      topicPrefix: config.topicPrefix,
      keys: config.keys,
      settings: config,
      ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
      ...(onIncident === undefined ? {} : { onIncident: (incident) => onIncident(incident, line) }),
    });
  } catch (error) {
    await retrieval.search.close();
    throw error;
  }
  return clientOf(line, retrieval, config);
}

function noLine(folder: string): ProoflineError {
  const problem = 'there is no line in it; `proofline dev` or `proofline index DIR` makes one';
  return new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem });
}

/** Evidence is for its owner: the folder that we make is closed to others. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem }, { cause: error });
  }
}

function clientOf(line: Line, retrieval: Retrieval, config: Config): LocalLine {
  const startedAt = Date.now();
  let stopped: Promise<void> | null = null;
  return {
    line,
    remote: false,
    async lookup(lookup) {
      retrieval.assertReady();
      const request = lookupRequested(lookup, line.emitter.now());
      const projected = await line.lookup(request, config.answerTimeoutMs);
      return answerOf(line, projected);
    },
    async submit(draft) {
      const answer = await line.submit(draftSubmitted(draft, line.emitter.now()), config.answerTimeoutMs);
      return {
        verdict: recordToJson('verdict.v1', answer.verdict),
        reviewed: recordToJson('reviewed.v1', answer.reviewed),
        verified: answer.verified === null ? null : recordToJson('verified.v1', answer.verified),
      };
    },
    async index(folder, indexOptions) {
      const { indexed, unchanged, removed, leftOut, ...stats } = await retrieval.index(folder, indexOptions);
      const { documents, chunks, withoutTitle, withoutSection, milliseconds } = stats;
      const answer: IndexAnswer = {
        folder: resolve(folder),
        documents,
        chunks,
        indexed,
        unchanged,
        removed,
        left_out: { counts: leftOut.counts, examples: leftOut.examples },
        without_title: withoutTitle,
        without_section: withoutSection,
        milliseconds,
      };
      return answer;
    },
    replay: (request) => replayDeadLetter(line, request),
    health: () => healthOf(line, retrieval, config.data, startedAt),
    close: () => (stopped ??= line.stop()),
  };
}

/** How long a lookup that has its answer waits to tell what was dropped. */
const DROPPED_WAIT_MS = 2000;

async function answerOf(line: Line, projected: ProjectedEvidence): Promise<LookupAnswer> {
  return {
    projected: recordToJson('projected.v1', projected),
    dropped: projected.state === 'READY' ? await droppedOf(line, projected) : [],
  };
}

/** The entry was written before the answer: once the view has passed the log's end, it is in there. */
async function droppedOf(line: Line, { runId, toolCallId }: ProjectedEvidence): Promise<JsonObject[]> {
  const partition = partitionOf(runId, line.bus.partitions);
  const { end } = await line.bus.bounds('ledger.v1', partition);
  await line.ledger.whenPast(partition, end - 1, DROPPED_WAIT_MS);
  const read = await line.ledger.read(partition, [{ runId, toolCallIds: [toolCallId], others: 0 }]);
  const value = read?.entries[0]?.value;
  const entry = value === undefined ? null : readEntry(line.codec, value);
  return (entry?.dropped ?? []).map((drop) => toSnakeJson(drop) as JsonObject);
}

async function healthOf(
  line: Line,
  retrieval: Retrieval,
  folder: string,
  startedAt: number,
): Promise<LineHealth> {
  const pragma = (name: string): Promise<unknown> =>
    line.bus.writer.read((db) => db.pragma(name, { simple: true }));
  return {
    version: VERSION,
    pid: process.pid,
    folder,
    started_at: instantToJson(startedAt),
    partitions: line.bus.partitions,
    epoch: line.bus.epoch,
    key_id: line.keyring.signer?.keyId ?? '',
    sqlite: {
      journal_mode: String(await pragma('journal_mode')),
      synchronous: Number(await pragma('synchronous')),
    },
    retrieval: { kind: retrieval.kind, index: indexHealth(retrieval) },
    waiting: line.health.waiting().map((lane) => ({ ...lane, since: instantToJson(lane.since) })),
  };
}

function indexHealth(retrieval: Retrieval): IndexHealth | null {
  const described = retrieval.describe();
  if (described === null) return null;
  const { stats, source } = described;
  return {
    documents: stats.documents,
    chunks: stats.chunks,
    without_title: stats.withoutTitle,
    without_section: stats.withoutSection,
    complete: stats.complete,
    folder: source?.folder ?? null,
    indexed_at: source?.indexedAt ?? null,
  };
}
