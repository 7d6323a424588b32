import { afterEach, describe, expect, test } from 'vitest';
import { createCodec, type Codec } from '../../src/contracts/codec.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { sha256 } from '../../src/contracts/digest.js';
import { deadlineEventId } from '../../src/contracts/ids.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { noProgress } from '../../src/harness/run-progress.js';
import { encodeRecord } from '../../src/station/envelope.js';
import { invocation } from '../../src/station/invocation.js';
import { openKnowledge } from '../../src/station/knowledge.js';
import { silentObserver, type LaneObserver } from '../../src/station/observer.js';
import { runStation } from '../../src/station/run-station.js';
import type { Due } from '../../src/station/station.js';
import { readAll } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { decision, runEcho, withSteps, type Echo } from '../support/line-echo.js';
import { waitUntil } from '../support/wait.js';

afterEach(closeBuses);

type OpenBus = ReturnType<typeof openBus>;

const IN = 'lookup-requested.v1';
const OUT = 'review-decision.v1';
const STATE = 'run-state.v1';
const PARTITION = partitionOf('run-1', 2);
const codec = createCodec();

async function echoed(bus: OpenBus): Promise<string[]> {
  const records = await readAll(bus, OUT, PARTITION);
  return records.map(({ value }) => codec.decode(OUT, value!).reason);
}

const consumed = (bus: OpenBus, topic: typeof IN | typeof STATE | 'run-outcome.v1'): Promise<unknown> =>
  waitUntil(`${topic} is consumed`, async () => {
    const { end } = await bus.bounds(topic, PARTITION);
    return (await bus.committed('echo', topic, PARTITION)) === end;
  });

describe('a station that is told the time', () => {
  const due: Due = {
    runId: 'run-1',
    deadline: 5000,
    records: [decision('one'), decision('two')],
    invocation: invocation({ kind: 'ECHO', outcome: 'DUE', countIn: 0, countOut: 2 }),
  };

  /** A lane that has something to do once in its life. */
  function dueOnce(bus: Parameters<typeof runEcho>[0], lives: number[] = []): Echo {
    return runEcho(bus, {
      open({ lane }) {
        let done = lane.partition !== PARTITION;
        return {
          due(now) {
            if (done) return Promise.resolve([]);
            lives.push(now);
            done = true;
            return Promise.resolve([due]);
          },
        };
      },
    });
  }

  test('given that something is due, it is written as of the deadline, and no offset moves', async () => {
    const bus = openBus();
    dueOnce(bus);
    await waitUntil('it is written', async () => (await echoed(bus)).length > 0);
    const records = await readAll(bus, OUT, PARTITION);
    expect(records.map(({ value }) => codec.decode(OUT, value!))).toMatchObject(
      [0, 1].map((ordinal) => ({
        eventId: deadlineEventId(sha256, {
          station: 'echo',
          runId: 'run-1',
          deadline: 5000,
          topic: OUT,
          ordinal,
        }),
        causedBy: null,
        runId: 'run-1',
        occurredAt: 5000,
      })),
    );
    const [note] = await readAll(bus, 'tool-invocation.v1', PARTITION);
    expect(codec.decode('tool-invocation.v1', note!.value!)).toMatchObject({
      outcome: 'DUE',
      causedBy: null,
    });
    expect(await bus.committed('echo', IN, PARTITION)).toBeNull();
  });

  test('given a step that fails, the lane begins anew and is told again; it is written once', async () => {
    const bus = openBus();
    const lives: number[] = [];
    let failures = 0;
    const steps = withSteps(bus, () => {
      if (failures++ === 0) throw new Error('the disk has gone');
    });
    dueOnce(steps, lives);
    await waitUntil('it is written', async () => (await echoed(bus)).length > 0);
    expect([lives.length, await echoed(bus)]).toEqual([2, ['one', 'two']]);
  });
});

describe('a station that knows a topic by heart', () => {
  const state = (runId: string, lookups: number) => {
    const emitter = { station: 'test', codec, partitions: 2, prefix: 'proofline.', now: Date.now };
    const envelope = { eventId: `${runId}-${lookups}`, causedBy: null, runId, occurredAt: 0 };
    return encodeRecord(emitter, STATE, { ...envelope, ...noProgress, lookups });
  };

  /** Answers each query with the lookups of its run, as the topic has them. */
  function knowing(
    bus: Parameters<typeof runEcho>[0],
    observer: Partial<LaneObserver> = {},
    reads: Codec = codec,
  ): Echo {
    return runEcho(bus, {
      knows: STATE,
      observer: { ...silentObserver, lane: (...of) => ({ ...silentObserver.lane(...of), ...observer }) },
      async open(context) {
        const known = new Map<string, number>();
        const knowledge = await openKnowledge(STATE, context, reads, (runId, message) => {
          if (message === null) known.delete(runId);
          else known.set(runId, message.lookups);
        });
        const of = ({ runId }: { runId: string }): string => String(known.get(runId) ?? 'unknown');
        return {
          knowledge,
          decide: ({ value }) => ({ kind: 'emit', records: [decision(of(value))] }),
        };
      },
    });
  }

  test('given what the topic holds, it is known before the first message; what is added comes to be known', async () => {
    const bus = openBus();
    await bus.append([state('run-1', 1), state('run-1', 2)]);
    const station = knowing(bus);
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    await bus.append([state('run-1', 3)]);
    await consumed(bus, STATE);
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    await bus.append([{ ...state('run-1', 4), value: null }]);
    await consumed(bus, STATE);
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    expect(await echoed(bus)).toEqual(['2', '3', 'unknown']);
  });

  test('given an offset of the group before what it has read, nothing old becomes known again', async () => {
    const bus = openBus();
    const first = knowing(bus);
    await bus.append([state('run-1', 1)]);
    await consumed(bus, STATE);
    await first.consumption.stop();
    await bus.append([state('run-1', 2), state('run-1', 3)]);
    const seen: number[] = [];
    const station = knowing(bus, { learned: (records) => void seen.push(records) });
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    expect(await echoed(bus)).toEqual(['3']);
    await bus.append([state('run-1', 4)]);
    await consumed(bus, STATE);
    expect(seen).toEqual([1]);
  });

  test('given only what is to be known, no step is made for each of it', async () => {
    const bus = openBus();
    const steps: object[] = [];
    const station = knowing(
      withSteps(bus, (_group, { next }) => {
        if (next !== undefined) steps.push(next);
      }),
    );
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    for (let i = 1; i <= 20; i++) await bus.append([state('run-1', i)]);
    await consumed(bus, STATE);
    // One of the lookup, and those of the ticks that passed meanwhile.
    expect(steps.length).toBeLessThan(10);
  });

  test('given a registry that is down, the lane waits for what it is to know, and is well again', async () => {
    const bus = openBus();
    let isDown = false;
    const down = new ProoflineError('PL_REGISTRY_DOWN', { problem: 'refused' });
    const learn: Codec['learn'] = (values) => (isDown ? Promise.reject(down) : codec.learn(values));
    const station = knowing(bus, {}, { ...codec, learn });
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    isDown = true;
    await bus.append([state('run-1', 1)]);
    await waitUntil('it waits', () => station.health.waiting()[0]?.code === 'PL_REGISTRY_DOWN');
    isDown = false;
    await consumed(bus, STATE);
    await waitUntil('it is well', () => station.health.waiting().length === 0);
  });

  test('given a record that cannot be read, it is passed over and told', async () => {
    const bus = openBus();
    const unreadable: number[] = [];
    const station = knowing(bus, { learned: (_records, some) => void unreadable.push(some) });
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    await bus.append([{ ...state('run-1', 1), value: Buffer.from('no avro') }, state('run-1', 2)]);
    await consumed(bus, STATE);
    await bus.append([station.request({})]);
    await consumed(bus, IN);
    expect(await echoed(bus)).toEqual(['unknown', '2']);
    expect(unreadable.reduce((a, b) => a + b, 0)).toBe(1);
    expect(await readAll(bus, 'dead-letter.v1', PARTITION)).toEqual([]);
    expect(station.incidents).toEqual([]);
  });
});

describe('a record that asks for no work', () => {
  test('given one that cannot be worked on, a station that leaves it to others passes over it', async () => {
    const bus = openBus();
    const passedOver: unknown[] = [];
    const lane = { ...silentObserver.lane('echo', 0) };
    const station = runEcho(bus, {
      passesOver: true,
      admit: ({ value }) =>
        value.query === 'refused' ? { code: 'PL_EVENT_ID', params: { found: 'a', expected: 'b' } } : null,
      observer: {
        ...silentObserver,
        lane: () => ({
          ...lane,
          committed: (_count, decisions) => void passedOver.push(...decisions.map((each) => each.passedOver)),
        }),
      },
    });
    const good = station.request({ query: 'good' });
    await bus.append([
      station.request({ query: 'refused' }),
      { ...good, value: Buffer.from('no avro') },
      good,
    ]);
    await consumed(bus, IN);
    expect(await echoed(bus)).toEqual(['good']);
    expect(passedOver).toEqual(['PL_EVENT_ID', 'PL_RECORD_UNDECODABLE', undefined]);
    expect(await readAll(bus, 'dead-letter.v1', PARTITION)).toEqual([]);
    expect(station.incidents).toEqual([]);
  });

  test('given the end of a key of a compacted topic, it is no dead letter', async () => {
    const bus = openBus();
    const station = runEcho(bus);
    await station.consumption.stop();
    const seen: string[] = [];
    const env = {
      emitter: station.emitter,
      health: station.health,
      onIncident: () => undefined,
    };
    runStation<'run-outcome.v1', null>(bus, env, {
      name: 'echo',
      inputs: ['run-outcome.v1'],
      maxRecords: 10,
      open: () =>
        Promise.resolve({
          prepare(messages) {
            seen.push(...messages.map(({ value }) => value.runId));
            return Promise.resolve(null);
          },
          decide: () => ({ kind: 'emit', records: [] }),
        }),
    });
    const gone = { topic: 'run-outcome.v1', partition: PARTITION, key: Buffer.from('run-1') } as const;
    await bus.append([{ ...gone, value: null, headers: {} }]);
    await consumed(bus, 'run-outcome.v1');
    expect(seen).toEqual([]);
    expect(await readAll(bus, 'dead-letter.v1', PARTITION)).toEqual([]);
  });
});
