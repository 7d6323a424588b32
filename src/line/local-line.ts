import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { ProoflineError } from '../contracts/errors.js';
import { instantToJson } from '../contracts/record-json.js';
import { openJudge } from '../judge/open-judge.js';
import type { Observability } from '../observe/observability.js';
import type { Incident } from '../station/lane-environment.js';
import { VERSION } from '../version.js';
import { dataFolder } from './data-folder.js';
import { doorClient } from './door-client.js';
import { openLine, type Line } from './embedded-line.js';
import type { IndexAnswer, IndexHealth, LineClient, LineHealth } from './line-client.js';
import { openRetrieval, type Retrieval } from './retrieval.js';

/** A line that runs in this process, with its answers in JSON form. */
export interface LocalLine extends LineClient {
  readonly line: Line;
  /** @throws ProoflineError PL_INDEX_UNUSABLE where there is nothing to look things up in */
  assertCanLookUp(): void;
}

/** What must be there before a line is opened, so that a mistyped folder is not made. */
export type Required = 'nothing' | 'a line' | 'something to search';

export interface LocalLineOptions {
  readonly config: Config;
  readonly requires?: Required;
  readonly onIncident?: (incident: Incident, line: Line) => void;
  readonly onFatal?: (error: unknown) => void;
  readonly observe?: Observability;
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
      judge: config.judge === null ? null : openJudge(config.judge),
      partitions: config.partitions,
      topicPrefix: config.topicPrefix,
      keys: config.keys,
      settings: config,
      ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
      ...(options.observe === undefined ? {} : { observe: options.observe }),
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
  const doors = doorClient(line, config.answerTimeoutMs);
  return {
    line,
    assertCanLookUp: () => retrieval.assertReady(),
    remote: false,
    ...doors,
    lookup(lookup) {
      retrieval.assertReady();
      return doors.lookup(lookup);
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
    health: () => healthOf(line, retrieval, config.data, startedAt),
    close: () => (stopped ??= line.stop()),
  };
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
