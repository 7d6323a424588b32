import { afterEach, describe, expect, it } from 'vitest';
import type { Lane } from '../../src/bus/bus.js';
import type { EmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { openSqliteLedgerView } from '../../src/ledger/sqlite-ledger-view.js';
import { tombstones } from '../../src/ledger/tombstones.js';
import { noProgress } from '../../src/review/run-progress.js';
import { openKeyedState } from '../../src/station/keyed-state.js';
import type { LaneContext } from '../../src/station/station.js';
import { readAll } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { ledgerRecord } from '../support/ledger-entries.js';

const EXPIRES_AT = 1_700_086_400_000;
const codec = createCodec();

afterEach(closeBuses);

/** Partition 0 of a group, as a station is given it. */
async function laneOf(bus: EmbeddedBus, now = () => EXPIRES_AT): Promise<LaneContext> {
  const lane = await new Promise<Lane>((given) => {
    bus.subscribe({
      group: 'test',
      topics: ['lookup-requested.v1'],
      maxRecords: 1,
      open(opened) {
        if (opened.partition === 0) given(opened);
        return Promise.resolve({ handle: () => Promise.resolve({ kind: 'done' }) });
      },
      onError: () => undefined,
    });
  });
  return { lane, bus, now, emitEarly: () => Promise.resolve([]) };
}

describe('ledger entries that expired long ago', () => {
  it('are taken out of the topic by a tombstone; those that did not stay', async () => {
    const bus = openBus();
    const context = await laneOf(bus);
    const view = openSqliteLedgerView({ writer: bus.writer, codec, epoch: bus.epoch });
    const records = [ledgerRecord(0, 'run-1', 'call-1')];
    await view.apply({ partition: 0, from: 0, to: 1, records });

    await tombstones(context, view, EXPIRES_AT);
    expect(await readAll(bus, 'ledger.v1', 0)).toEqual([]);

    await tombstones(context, view, EXPIRES_AT + 1);
    const [record] = await readAll(bus, 'ledger.v1', 0);
    expect(record?.key?.toString()).toBe('run-1/call-1');
    expect(record?.value).toBeNull();
  });
});

describe('the state of runs whose last event is long ago', () => {
  it('is forgotten and taken out of the topic; that of the others stays, also when it is read again', async () => {
    const bus = openBus();
    let now = 1000;
    const context = await laneOf(bus, () => now);
    const state = await openKeyedState('run-outcome.v1', context, codec);
    state.put('old', noProgress);
    now = 2000;
    state.put('young', noProgress);

    await state.forgetBefore(2000);

    expect(state.get('old')).toBeNull();
    expect(state.get('young')).toMatchObject(noProgress);
    const written = await readAll(bus, 'run-outcome.v1', 0);
    expect(written.map(({ key, value }) => [key?.toString(), value])).toEqual([['old', null]]);
    expect((await openKeyedState('run-outcome.v1', context, codec)).get('old')).toBeNull();
  });
});
