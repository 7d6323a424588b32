import { openSqliteAuditStore } from '../audit/sqlite-audit-store.js';
import type { Config } from '../config/config.js';
import { openKafkaLine } from '../line/kafka-line.js';
import { keepHeapSmall } from '../line/small-heap.js';
import { stationNames } from '../line/station-names.js';
import { createLog } from '../observe/log.js';
import { createObservability } from '../observe/observability.js';
import { memorySearch } from '../retrieval/memory.js';
import { sampleHits, type SampleSize } from './sample-evidence.js';
import { serveParent } from './serve-parent.js';

/** All stations of a line in Kafka, in a process of their own that may be one of several. Started by `kafka.ts`. */

export interface LineTask {
  readonly config: Config;
  /** Path of its own audit. */
  readonly audit: string;
  /** What its retriever finds for every question. */
  readonly evidence: SampleSize;
}

// As every process of `proofline up` does.
keepHeapSmall();
serveParent(async (task, fail) => {
  const { config, audit, evidence } = task as LineTask;
  const observe = await createObservability({ log: createLog('silent'), env: {} });
  const line = await openKafkaLine({
    config,
    stations: stationNames,
    search: memorySearch(sampleHits(1, evidence.hits, evidence.chars)),
    observe,
    audit: openSqliteAuditStore(audit),
    onFatal: fail,
  });
  return { stop: () => line.stop() };
});
