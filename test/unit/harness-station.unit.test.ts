import { afterEach, describe, expect, it } from 'vitest';
import { harnessDefaults, harnessStation, type HarnessConfig } from '../../consumers/harness.js';
import type { Lane } from '../../src/bus/bus.js';
import { partitionOf } from '../../src/contracts/partition.js';
import type { LaneContext, Message, Outcome } from '../../src/station/station.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { trueDraft } from '../support/line-drafts.js';
import { removeTempFolders } from '../support/temp-folder.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

/** The harness's lane of run-1, worked by hand: it has read nothing yet, however much there is. */
async function laneOf(line: TestLine, config: Partial<HarnessConfig> = {}, now: () => number = Date.now) {
  const partition = partitionOf('run-1', line.bus.partitions);
  const steps: unknown[] = [];
  const lane: Lane = {
    partition,
    signal: new AbortController().signal,
    async step({ records }) {
      steps.push(...records);
      return line.bus.append(records);
    },
    barrier: async (topic) => (await line.bus.bounds(topic, partition)).end - 1,
  };
  const context: LaneContext = { lane, bus: line.bus, now, emitEarly: () => Promise.resolve([]) };
  const station = harnessStation({ codec: line.codec }, { ...harnessDefaults, ...config });
  const work = await station.open(context);

  async function take(
    topic: 'lookup-requested.v1' | 'projected.v1' | 'draft-submitted.v1' | 'run-outcome.v1',
  ): Promise<Outcome[]> {
    const records = await line.bus.read(topic, partition, 0, 500);
    const messages = records.map(
      (record) =>
        ({ topic, record, value: line.codec.decode(topic, record.value!) }) as Message<typeof topic>,
    );
    const prepared = await work.prepare(messages);
    return messages.map((message) => {
      const outcome = work.decide(message, prepared);
      work.remember?.(outcome, message, prepared);
      return outcome;
    });
  }

  return { work, take, steps };
}

const givenUp = (due: readonly { records: readonly { topic: string }[] }[] = []): string[] =>
  due.flatMap(({ records }) => records.map(({ topic }) => topic));

describe('a batch', () => {
  it('given several events of a run, writes one state, of the last that changed it', async () => {
    const line = openTestLine({ stations: ['retrieve', 'postprocess', 'project', 'ledger-view'] });
    for (const toolCallId of ['call-1', 'call-2', 'call-3']) await line.ask({ toolCallId });
    await line.idle();
    const { take } = await laneOf(line);
    const written = (await take('projected.v1')).map((outcome) =>
      outcome.kind === 'emit' ? outcome.records.length : -1,
    );
    expect(written).toEqual([0, 0, 1]);
    // Read again, as after an operator has set the offset back: it was counted.
    expect((await take('projected.v1')).flatMap((o) => (o.kind === 'emit' ? o.records : []))).toEqual([]);
  });
});

describe('a deadline that passes while the harness is behind', () => {
  it('given nothing that it has not read, the run is given up, once', async () => {
    const line = openTestLine({ stations: [] });
    await line.ask({});
    const { work, take } = await laneOf(line);
    await take('lookup-requested.v1');
    expect(await work.due?.(Date.now())).toEqual([]);
    expect(givenUp(await work.due?.(Date.now() + HOUR_MS))).toEqual(['draft-submitted.v1', 'run-state.v1']);
    expect(await work.due?.(Date.now() + HOUR_MS)).toEqual([]);
  });

  it('given an outcome that it has not read yet, the run is not given up', async () => {
    const line = openTestLine();
    await line.ask({});
    await line.idle();
    await line.handIn({ draftJson: trueDraft() });
    await line.idle();
    const { work, take } = await laneOf(line);
    await take('lookup-requested.v1');
    expect(await work.due?.(Date.now() + HOUR_MS)).toEqual([]);
  });

  it('given drafts that it has not read yet, the run is given up as the attempt after them', async () => {
    const line = openTestLine({ stations: [] });
    await line.ask({});
    await line.handIn({ draftId: 'draft-3', attempt: 3 });
    const { work, take } = await laneOf(line);
    await take('lookup-requested.v1');
    expect(await work.due?.(Date.now() + HOUR_MS)).toMatchObject([
      { runId: 'run-1', records: [{ body: { draftId: 'given-up', attempt: 4 } }, {}] },
    ]);
    // What was read ahead comes again, and is not counted again.
    const outcomes = await take('draft-submitted.v1');
    expect(outcomes).toEqual([{ kind: 'emit', records: [] }]);
  });
});

describe('the state of a run', () => {
  it('given one that was written before a restart, the deadline and the counts go on from it', async () => {
    const line = openTestLine({ stations: [] });
    const asked = await line.ask({});
    const before = await laneOf(line);
    const [outcome] = await before.take('lookup-requested.v1');
    const state = outcome?.kind === 'emit' ? outcome.records[0] : undefined;
    if (state?.topic !== 'run-state.v1') throw new Error('no state was written');
    const envelope = { eventId: 'e', causedBy: null, runId: 'run-1', occurredAt: asked.occurredAt };
    await line.bus.append([line.record('run-state.v1', { ...envelope, ...state.body })]);
    const { work } = await laneOf(line);
    expect(givenUp(await work.due?.(Date.now() + HOUR_MS))).toContain('draft-submitted.v1');
  });

  it('given its last event long ago, is taken out of the topic, but not before its deadline', async () => {
    const line = openTestLine({ stations: [] });
    await line.ask({});
    let now = Date.now();
    const { work, take, steps } = await laneOf(line, {}, () => now);
    await take('lookup-requested.v1');
    now += 40 * DAY_MS;
    await work.maintain?.();
    expect(steps).toEqual([]);
    await work.due?.(now);
    now += 40 * DAY_MS;
    await work.maintain?.();
    expect(steps).toMatchObject([{ topic: 'run-state.v1', value: null }]);
  });

  it('given a run of long ago that is handed in today, stays: what was stopped is not begun anew', async () => {
    const line = openTestLine({ stations: [], now: () => Date.now() - 40 * DAY_MS });
    await line.ask({});
    const { work, take, steps } = await laneOf(line);
    await take('lookup-requested.v1');
    await work.due?.(Date.now());
    await work.maintain?.();
    expect(steps).toEqual([]);
  });
});
