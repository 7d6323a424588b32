import type { Codec } from '../contracts/codec.js';
import { openKnowledge } from '../station/knowledge.js';
import type { Knowledge, LaneContext } from '../station/station.js';

/** The runs that may ask no more, as the harness says. Others are not kept in mind. */
export interface StoppedRuns {
  readonly knowledge: Knowledge;
  has(runId: string): boolean;
}

export async function openStoppedRuns(context: LaneContext, codec: Codec): Promise<StoppedRuns> {
  const stopped = new Set<string>();
  const knowledge = await openKnowledge('run-state.v1', context, codec, (runId, state) => {
    if (state === null || state.stopRequired === null) stopped.delete(runId);
    else stopped.add(runId);
  });
  return { knowledge, has: (runId) => stopped.has(runId) };
}
