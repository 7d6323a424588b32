import { afterEach, describe, expect, test } from 'vitest';
import { runLedgerView } from '../../consumers/ledger-view.js';
import type { Bus, Consumption } from '../../src/bus/bus.js';
import type { EmbeddedBus } from '../../src/bus/embedded/embedded-bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { ledgerKey, type LedgerView } from '../../src/ledger/ledger-view.js';
import { openSqliteLedgerView } from '../../src/ledger/sqlite-ledger-view.js';
import { createHealth, type Health } from '../../src/station/health.js';
import type { Incident } from '../../src/station/lane-environment.js';
import { newRecord } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { encodedEntry } from '../support/ledger-entries.js';
import { waitUntil } from '../support/wait.js';

const codec = createCodec();
const running: Consumption[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await closeBuses();
});

interface Station {
  readonly health: Health;
  readonly incidents: readonly Incident[];
  readonly consumption: Consumption;
}

function start(bus: Bus, view: LedgerView): Station {
  const health = createHealth(Date.now);
  const incidents: Incident[] = [];
  const emitter = {
    station: 'ledger-view',
    codec,
    partitions: bus.partitions,
    prefix: 'test.',
    now: Date.now,
  };
  const onIncident = (incident: Incident): void => void incidents.push(incident);
  const consumption = runLedgerView(bus, { emitter, health, onIncident }, view);
  running.push(consumption);
  return { health, incidents, consumption };
}

function sqliteView(bus: EmbeddedBus): LedgerView {
  return openSqliteLedgerView({ writer: bus.writer, codec, epoch: bus.epoch });
}

async function append(bus: Bus, ...runs: readonly string[]): Promise<number> {
  const records = runs.map((runId) => {
    const value = encodedEntry({ runId, toolCallId: 'call-1' });
    return newRecord('ledger.v1', 0, value, { key: Buffer.from(ledgerKey(runId, 'call-1')) });
  });
  return (await bus.append(records)).at(-1)!;
}

const isPast = (view: LedgerView, offset: number): Promise<boolean> => view.whenPast(0, offset, 10_000);

/** A view that does not lie in one store with its log; its partitions have what a rebuild gave them. */
function apart(view: LedgerView): LedgerView & { readonly sources: ReadonlyMap<number, string> } {
  const sources = new Map<number, string>();
  return {
    ...view,
    sources,
    async open(partition) {
      const opened = await view.open(partition);
      const source = sources.get(partition);
      return opened === null || source === undefined ? null : { ...opened, source };
    },
    async rebuild(partition, source) {
      const rebuild = await view.rebuild(partition, source);
      return {
        ...rebuild,
        source,
        async finish() {
          sources.set(partition, source);
          return rebuild.finish();
        },
      };
    },
  };
}

describe('the ledger-view station', () => {
  test('given view and log in one store, it goes on where the view is, and marks nothing', async () => {
    const bus = openBus();
    const view = sqliteView(bus);
    const first = start(bus, view);
    expect(await isPast(view, await append(bus, 'run-1'))).toBe(true);
    await first.consumption.stop();
    const rebuild = view.rebuild.bind(view);
    let rebuilt = 0;
    const last = await append(bus, 'run-2');
    start(bus, { ...view, rebuild: (...args) => ((rebuilt += 1), rebuild(...args)) });
    expect(await isPast(view, last)).toBe(true);
    await waitUntil(
      'the group follows',
      async () => (await bus.committed('ledger-view', 'ledger.v1', 0)) === last + 1,
    );
    expect(rebuilt).toBe(0);
    expect(await bus.mark('ledger-view', 'ledger.v1', 0)).toBeNull();
  });

  test('given a view that is further than its log, it is read again', async () => {
    const bus = openBus();
    const view = sqliteView(bus);
    await view.apply({ partition: 0, from: 0, to: 100, records: [] });
    const last = await append(bus, 'run-1');
    start(bus, view);
    await waitUntil('it is believed no more', async () => (await view.position(0)) === last + 1);
    expect(
      (await view.read(0, [{ runId: 'run-1', toolCallIds: ['call-1'], others: 0 }]))!.entries,
    ).toHaveLength(1);
  });

  test('given a log whose mark is another than the view’s, it is read again, and never marked as if it were its own', async () => {
    const bus = openBus();
    const view = apart(sqliteView(bus));
    const { incidents, health } = start(bus, view);
    await isPast(view, await append(bus, 'run-1'));
    await waitUntil(
      'it is marked',
      async () => (await bus.mark('ledger-view', 'ledger.v1', 0)) === view.sources.get(0),
    );
    const before = view.sources.get(0)!;
    const seen = new Set<string | null>();
    // As it is when a log was made anew and has grown past the view before anybody noticed.
    await bus.writer.write((db) => db.exec(`DELETE FROM meta WHERE name LIKE 'mark/%'`));
    const last = await append(bus, 'run-2', 'run-3');
    await waitUntil('it is read again', async () => {
      seen.add(await bus.mark('ledger-view', 'ledger.v1', 0));
      return view.sources.get(0) !== before;
    });
    expect(seen).not.toContain(before);
    expect(await isPast(view, last)).toBe(true);
    await waitUntil('nothing waits', () => health.waiting().length === 0);
    expect(new Set(incidents.map(({ code }) => code))).toEqual(new Set(['PL_LEDGER_BEHIND']));
  });

  test('given a view that is down, it waits with what it has, says so, and no lane starts over', async () => {
    const bus = openBus();
    const sqlite = sqliteView(bus);
    let down = false;
    const view: LedgerView = {
      ...sqlite,
      apply(batch) {
        if (down) return Promise.reject(new ProoflineError('PL_VIEW_DOWN', { problem: 'it is gone' }));
        return sqlite.apply(batch);
      },
    };
    const { health, incidents } = start(bus, view);
    await isPast(view, await append(bus, 'run-1'));
    down = true;
    const last = await append(bus, 'run-2');
    const waiting = await waitUntil('it says so', () => health.waiting()[0]);
    expect(waiting).toMatchObject({ station: 'ledger-view', partition: 0, code: 'PL_VIEW_DOWN' });
    down = false;
    expect(await isPast(view, last)).toBe(true);
    await waitUntil('it goes on', () => health.waiting().length === 0);
    expect(incidents).toEqual([]);
  });

  test('given another number of partitions than it was opened with, it applies nothing', async () => {
    const bus = openBus();
    const view = sqliteView(bus);
    await append(bus, 'run-1');
    const { health, incidents } = start({ ...bus, countPartitions: () => Promise.resolve(3) }, view);
    await waitUntil('it says so', () => health.waiting().length === 2);
    expect(health.waiting().map(({ code }) => code)).toEqual([
      'PL_PARTITIONS_CHANGED',
      'PL_PARTITIONS_CHANGED',
    ]);
    expect(incidents[0]).toMatchObject({ code: 'PL_PARTITIONS_CHANGED', params: { found: 3, expected: 2 } });
    expect(await view.position(0)).toBe(0);
  });
});
