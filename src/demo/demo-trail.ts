import { setTimeout as pause } from 'node:timers/promises';
import { auditSinkStation } from '../../consumers/audit-sink.js';
import { ProoflineError } from '../contracts/errors.js';
import { partitionOf } from '../contracts/partition.js';
import type { Line } from '../line/embedded-line.js';
import { readRun } from '../line/run-snapshot.js';
import { runTrail, type RunTrail } from '../line/run-trail.js';

/**
 * The trail of a run that was just played, whole.
 * @throws ProoflineError PL_TIMEOUT where the audit does not catch up, PL_NOT_FOUND
 */
export async function trailOf(line: Line, runId: string): Promise<RunTrail> {
  await auditCaughtUp(line, runId);
  const data = await readRun(line, runId);
  if (data === null) throw new ProoflineError('PL_NOT_FOUND', { what: `run ${runId}` });
  return runTrail(data, line.codec);
}

const LOOK_MS = 5;
const CATCH_UP_MS = 5000;

/** The audit store is filled behind the answers: waits until it has all that the logs have of the run's partition. */
async function auditCaughtUp({ bus, audit }: Line, runId: string): Promise<void> {
  const { name, inputs } = auditSinkStation(audit);
  const partition = partitionOf(runId, bus.partitions);
  const deadline = performance.now() + CATCH_UP_MS;
  for (const topic of inputs) {
    const { end } = await bus.bounds(topic, partition);
    while (((await bus.committed(name, topic, partition)) ?? 0) < end) {
      if (performance.now() > deadline)
        throw new ProoflineError('PL_TIMEOUT', {
          seconds: CATCH_UP_MS / 1000,
          what: `the audit of ${runId}`,
        });
      await pause(LOOK_MS);
    }
  }
}
