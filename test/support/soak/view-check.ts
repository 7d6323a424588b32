import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../../src/config/config.js';
import { isProoflineError } from '../../../src/contracts/errors.js';
import { openRedisLedgerView, type RedisLedgerView } from '../../../src/ledger/redis/redis-ledger-view.js';
import { kafkaServices } from '../../../src/line/kafka-services.js';
import { verifyLedger, type LedgerReport } from '../../../src/line/ledger-verify.js';
import type { KafkaTestLine } from '../kafka-line.js';

export interface CheckedView {
  /** Entries of the view that were compared with the topic. */
  readonly compared: number;
  readonly problems: readonly string[];
}

/** A view that was flushed last is built again meanwhile. */
const CAUGHT_UP_MS = 60_000;
const LOOK_MS = 250;

/** As `proofline ledger verify`, once the view has caught up: it holds what the topic says, and nothing else. */
export async function checkView(line: KafkaTestLine, entries: number): Promise<CheckedView> {
  const { config } = readConfig(line.env);
  const { redisUrl, redisPrefix } = kafkaServices(config);
  const { epoch } = line.bus;
  const view = openRedisLedgerView({
    connection: redisUrl,
    prefix: redisPrefix,
    epoch,
    codec: line.codec,
  });
  try {
    const report = await whenCaughtUp(line, view);
    if (report === null) return { compared: 0, problems: ['the ledger view has not caught up'] };
    const problems = report.problems.map((problem) => `the ledger view: ${JSON.stringify(problem)}`);
    if (report.compared !== entries)
      problems.push(`the ledger view has ${report.compared} entries, and ${entries} lookups were made`);
    return { compared: report.compared, problems };
  } finally {
    await view.close();
  }
}

async function whenCaughtUp(line: KafkaTestLine, view: RedisLedgerView): Promise<LedgerReport | null> {
  const { bus, codec, keyring } = line;
  const deadline = performance.now() + CAUGHT_UP_MS;
  while (performance.now() < deadline) {
    try {
      if (await isWhole(line, view)) {
        const { signal } = new AbortController();
        const report = await verifyLedger({ bus, codec, keyring, scan: view.scan, signal });
        if (report.behind === 0) return report;
      }
    } catch (error) {
      if (!isProoflineError(error) || !error.retryable) throw error;
    }
    await pause(LOOK_MS);
  }
  return null;
}

async function isWhole({ bus, partitions }: KafkaTestLine, view: RedisLedgerView): Promise<boolean> {
  for (let p = 0; p < partitions; p++) {
    const position = await view.position(p);
    // Only markers of transactions may lie behind it.
    if (position === null || (await bus.read('ledger.v1', p, position, 1)).length > 0) return false;
  }
  return true;
}
