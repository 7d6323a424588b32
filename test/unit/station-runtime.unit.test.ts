import { afterEach, describe, expect, test } from 'vitest';
import type { NewRecord } from '../../src/bus/bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { localSchemaId } from '../../src/contracts/schema-ids.js';
import type { TopicMessages, TopicName } from '../../src/contracts/topics.js';
import type { Headers } from '../../src/bus/bus.js';
import { readAll } from '../support/bus.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { decision, echo, runEcho, withSteps, type Echo, type EchoMessage } from '../support/line-echo.js';
import { createGate, waitUntil } from '../support/wait.js';

afterEach(closeBuses);

const IN = 'lookup-requested.v1';
const OUT = 'review-decision.v1';
const codec = createCodec();

type OpenBus = ReturnType<typeof openBus>;

async function messages<T extends TopicName>(bus: OpenBus, topic: T): Promise<TopicMessages[T][]> {
  const records = (await Promise.all([0, 1].map((p) => readAll(bus, topic, p)))).flat();
  return records.map(({ value }) => codec.decode(topic, value!));
}

async function echoed(bus: OpenBus): Promise<string[]> {
  return (await messages(bus, OUT)).map(({ reason }) => reason);
}

async function consumed(bus: OpenBus): Promise<boolean> {
  for (const p of [0, 1]) {
    if (((await bus.committed('echo', IN, p)) ?? 0) < (await bus.bounds(IN, p)).end) return false;
  }
  return true;
}

const allConsumed = (bus: OpenBus): Promise<unknown> => waitUntil('all is consumed', () => consumed(bus));

/** A record that is broken, between two that are in order: it is given up whole, and the others are not held up. */
async function givenUp(record: (good: NewRecord) => NewRecord, options: Parameters<typeof runEcho>[1] = {}) {
  const bus = openBus();
  const echoStation = runEcho(bus, options);
  const good = echoStation.request({ toolCallId: 'call-2', query: 'bad' });
  const bad = record(good);
  await bus.append([echoStation.request({ query: 'before' }), bad, echoStation.request({ query: 'after' })]);
  await allConsumed(bus);
  expect((await echoed(bus)).sort()).toEqual(['after', 'before']);
  const letters = await messages(bus, 'dead-letter.v1');
  expect(letters).toHaveLength(1);
  const [letter] = letters;
  expect(letter).toMatchObject({ station: 'echo', key: bad.key, attempt: 1 });
  expect(letter!.value === null ? null : letter!.value.equals(bad.value!)).toBe(
    bad.value === null ? null : true,
  );
  expect(letter!.origin).toMatchObject({ topic: IN, partition: bad.partition });
  expect(echoStation.incidents.map(({ code }) => code)).toContain(letter!.code);
  return { bus, letter: letter!, echo: echoStation };
}

describe('a record that cannot be decoded', () => {
  const header = (id: number): Buffer => {
    const bytes = Buffer.alloc(5);
    bytes.writeUInt32BE(id, 1);
    return bytes;
  };
  const id = localSchemaId(IN);
  const broken: [string, (value: Buffer) => Buffer | null, string][] = [
    ['has no value', () => null, 'PL_RECORD_UNDECODABLE'],
    ['is empty', () => Buffer.alloc(0), 'PL_RECORD_UNDECODABLE'],
    ['is shorter than its header', () => Buffer.from([0, 1, 2]), 'PL_RECORD_UNDECODABLE'],
    ['is text', () => Buffer.from('{"run_id":"run-1"}'), 'PL_RECORD_UNDECODABLE'],
    ['has an unknown schema', () => header(77), 'PL_SCHEMA_UNKNOWN'],
    ['has the schema of another topic', () => header(localSchemaId('verdict.v1')), 'PL_RECORD_UNDECODABLE'],
    ['ends after its header', () => header(id), 'PL_RECORD_UNDECODABLE'],
    ['is cut off', (value) => value.subarray(0, value.length - 3), 'PL_RECORD_UNDECODABLE'],
    ['goes on after its end', (value) => Buffer.concat([value, Buffer.from([0])]), 'PL_RECORD_UNDECODABLE'],
    [
      'claims a string of 2^62 bytes',
      () => Buffer.concat([header(id), Buffer.from('fcffffffffffffffff7f', 'hex')]),
      'PL_RECORD_UNDECODABLE',
    ],
  ];
  test.each(broken)(
    'given one that %s, it goes to the dead letters whole and the line goes on',
    async (_, spoil, code) => {
      const { letter } = await givenUp((good) => ({ ...good, value: spoil(good.value!) }));
      // What it is about is told by its key alone.
      expect(letter).toMatchObject({ code, runId: 'run-1', causedBy: null });
    },
  );

  test('given one without a run in its key, its dead letter keeps the key and belongs to no run', async () => {
    const { letter } = await givenUp((good) => ({
      ...good,
      key: Buffer.from([0xff, 0x2f, 0x00]),
      value: Buffer.from('x'),
    }));
    expect(letter).toMatchObject({ runId: '', key: Buffer.from([0xff, 0x2f, 0x00]) });
  });

  test('its headers are kept byte for byte', async () => {
    const headers = { 'x-bytes': '\u0000\u00ff\u0080', 'x-text': 'plain' };
    const { letter } = await givenUp((good) => ({ ...good, headers, value: Buffer.from('x') }));
    expect(letter.headers).toEqual([
      { key: 'x-bytes', value: Buffer.from([0, 0xff, 0x80]) },
      { key: 'x-text', value: Buffer.from('plain') },
    ]);
  });

  test('given a dead letter that was replayed, the attempts go on counting', async () => {
    const bus = openBus();
    const station = runEcho(bus);
    const good = station.request({});
    const counts = ['2', 'many', '-1', '1e300'];
    await bus.append(
      counts.map((count) => ({
        ...good,
        value: Buffer.from('x'),
        headers: { 'proofline-dead-letter-attempt': count },
      })),
    );
    await allConsumed(bus);
    expect((await messages(bus, 'dead-letter.v1')).map(({ attempt }) => attempt)).toEqual([3, 1, 1, 1]);
  });
});

describe('a record that can be decoded and still not be worked on', () => {
  const withMessage = (change: Partial<TopicMessages[typeof IN]>) => (good: NewRecord) => {
    const message = { ...codec.decode(IN, good.value!), ...change };
    return { ...good, value: codec.encode(IN, message), partition: partitionOf(message.runId, 2) };
  };

  test('given one on a wrong partition, PL_PARTITION_WRONG names the right one', async () => {
    const { letter, bus } = await givenUp((good) => ({ ...good, partition: 1 - good.partition }));
    expect(letter.code).toBe('PL_PARTITION_WRONG');
    expect(letter.message).toContain(`run-1 belongs on ${partitionOf('run-1', 2)}`);
    // The run's trail tells of it, where the run is.
    const [, , note] = (await messages(bus, 'tool-invocation.v1')).sort((a) => (a.kind === 'ECHO' ? -1 : 1));
    expect(note).toMatchObject({ kind: 'DEAD_LETTER', code: 'PL_PARTITION_WRONG', runId: 'run-1' });
  });

  const ids: [string, Partial<TopicMessages[typeof IN]>][] = [
    ['a run_id with a slash', { runId: 'a/b' }],
    ['a run_id that is the key of barriers', { runId: '~barrier' }],
    ['a run_id with a control character', { runId: 'run\u0000' }],
    ['a run_id of 129 characters', { runId: 'r'.repeat(129) }],
    ['no run_id', { runId: '' }],
    ['a tool_call_id with a line feed', { toolCallId: 'call\n1' }],
    ['a tool_call_id with a slash', { toolCallId: 'call/1' }],
    ['a tool_call_id of 100,000 characters', { toolCallId: 'é'.repeat(100_000) }],
  ];
  test.each(ids)('given %s, PL_ID_INVALID, and nothing else is written of it', async (_, change) => {
    const { letter, bus } = await givenUp(withMessage(change));
    expect(letter.code).toBe('PL_ID_INVALID');
    expect(letter.message.length).toBeLessThan(200);
    // A note under such an id would be refused by whoever reads it next.
    const notes = await messages(bus, 'tool-invocation.v1');
    expect(notes.map(({ kind }) => kind)).toEqual(['ECHO', 'ECHO']);
  });

  test('given ids of all characters and lengths that are allowed, nothing is refused', async () => {
    const bus = openBus();
    const station = runEcho(bus);
    const ids = ['0', 'a.b_c:d@e=f+g-h', 'Z'.repeat(128)];
    await bus.append(ids.map((id) => station.request({ runId: id, toolCallId: id, query: id })));
    await allConsumed(bus);
    expect((await echoed(bus)).sort()).toEqual([...ids].sort());
  });
});

describe('a rule that fails', () => {
  const throwing =
    (error: unknown) =>
    (message: EchoMessage): ReturnType<typeof echo> => {
      if (message.value.query === 'bad') throw error;
      return echo(message);
    };

  test('given one that throws, the record goes to the dead letters with PL_INVARIANT', async () => {
    const { letter, echo: station } = await givenUp((good) => good, {
      lane: { decide: throwing(new TypeError('no such field')) },
    });
    expect(letter).toMatchObject({ code: 'PL_INVARIANT', runId: 'run-1' });
    expect(letter.message).toContain('no such field');
    expect(station.incidents[0]).toMatchObject({
      code: 'PL_INVARIANT',
      cause: new TypeError('no such field'),
    });
  });

  test('given a thrown text that is malformed and endless, the dead letter is still written', async () => {
    const { letter } = await givenUp((good) => good, {
      lane: { decide: throwing(`\ud800${'x'.repeat(5_000_000)}`) },
    });
    expect(letter.message.length).toBeLessThan(500);
  });

  test('given one that emits what its topic cannot carry, the record goes to the dead letters', async () => {
    const { letter } = await givenUp((good) => good, {
      lane: {
        decide: (message) =>
          message.value.query === 'bad'
            ? { kind: 'emit', records: [decision('lone \ud800 surrogate')] }
            : echo(message),
      },
    });
    expect(letter.code).toBe('PL_INVARIANT');
  });

  test('given a check on entry that throws, the record goes to the dead letters', async () => {
    const bus = openBus();
    const station = runEcho(bus, {
      admit: ({ value }) => {
        if (value.query === 'bad') throw new RangeError('Maximum call stack size exceeded');
        return value.query === 'refused' ? { code: 'PL_EVENT_ID', params: {} } : null;
      },
    });
    await bus.append(['bad', 'refused', 'good'].map((query) => station.request({ query })));
    await allConsumed(bus);
    expect(await echoed(bus)).toEqual(['good']);
    const letters = await messages(bus, 'dead-letter.v1');
    expect(letters.map(({ code }) => code)).toEqual(['PL_INVARIANT', 'PL_EVENT_ID']);
  });
});

describe('a station that rests', () => {
  test('given records that come while it does, it takes them together', async () => {
    const bus = openBus();
    const station = runEcho(bus, { restMs: 300 });
    await bus.append([station.request({ query: 'q1' })]);
    await waitUntil('the first is worked on', () => consumed(bus));
    for (const query of ['q2', 'q3', 'q4']) await bus.append([station.request({ query })]);
    await allConsumed(bus);
    expect(station.prepared).toEqual([['q1'], ['q2', 'q3', 'q4']]);
    expect(await echoed(bus)).toEqual(['q1', 'q2', 'q3', 'q4']);
  });

  test('given a full batch, it goes on at once', async () => {
    const bus = openBus();
    const station = runEcho(bus, { restMs: 3_600_000, maxRecords: 2 });
    await bus.append([1, 2, 3, 4, 5].map((i) => station.request({ query: `q${i}` })));
    await allConsumed(bus);
    expect(station.prepared.map((batch) => batch.length)).toEqual([2, 2, 1]);
    await station.consumption.stop();
  });
});

describe('not yet', () => {
  test('commits what came before, waits, says so in health, and then goes on', async () => {
    const bus = openBus();
    let holds = true;
    const station = runEcho(bus, {
      lane: {
        decide: (message) =>
          holds && message.value.query === 'q2'
            ? { kind: 'not-yet', code: 'PL_RETRIEVAL_DOWN', params: { problem: 'refused' }, retryAfterMs: 5 }
            : echo(message),
      },
    });
    await bus.append([0, 1, 2, 3].map((i) => station.request({ query: `q${i}` })));
    await waitUntil('it waits', () => station.health.waiting().length > 0);
    expect(await echoed(bus)).toEqual(['q0', 'q1']);
    expect(station.health.waiting()).toMatchObject([
      { station: 'echo', partition: partitionOf('run-1', 2), code: 'PL_RETRIEVAL_DOWN' },
    ]);
    const asked = station.prepared.length;
    await waitUntil('it tried again three times', () => station.prepared.length > asked + 2);
    expect(await echoed(bus)).toEqual(['q0', 'q1']);
    const { since } = station.health.waiting()[0]!;
    await waitUntil('since tells when it began', () => Date.now() > since);
    expect(station.health.waiting()[0]!.since).toBe(since);

    holds = false;
    await allConsumed(bus);
    expect(await echoed(bus)).toEqual(['q0', 'q1', 'q2', 'q3']);
    await waitUntil('it is ready', () => station.health.waiting().length === 0);
    expect(await messages(bus, 'dead-letter.v1')).toEqual([]);
  });

  test('given preparation that cannot reach what it needs, the whole batch waits and nothing is lost', async () => {
    const bus = openBus();
    let failures = 0;
    const station = runEcho(bus, {
      lane: {
        prepare() {
          if (failures++ < 2) throw new ProoflineError('PL_LEDGER_BEHIND', { problem: 'it lags' });
          return Promise.resolve(null);
        },
      },
    });
    await bus.append([station.request({ query: 'one' }), station.request({ query: 'two' })]);
    await waitUntil('it waits', () => station.health.waiting()[0]?.code === 'PL_LEDGER_BEHIND');
    await allConsumed(bus);
    expect(await echoed(bus)).toEqual(['one', 'two']);
    expect(station.prepared).toEqual([
      ['one', 'two'],
      ['one', 'two'],
      ['one', 'two'],
    ]);
    expect(station.incidents).toEqual([]);
  });

  test('given preparation that fails for another reason, the lane starts over and says why', async () => {
    const bus = openBus();
    let failures = 0;
    const station = runEcho(bus, {
      lane: {
        prepare() {
          if (failures++ < 1)
            throw new ProoflineError('PL_KEY_INVALID', { file: 'k.pem', problem: 'cut off' });
          return Promise.resolve(null);
        },
      },
    });
    await bus.append([station.request({ query: 'one' })]);
    await allConsumed(bus);
    expect(await echoed(bus)).toEqual(['one']);
    expect(station.incidents).toMatchObject([{ station: 'echo', code: 'PL_KEY_INVALID' }]);
  });
});

describe('records that are too large', () => {
  const large = (message: EchoMessage): ReturnType<typeof echo> =>
    message.value.query === 'bad'
      ? { kind: 'emit', records: [decision('x'.repeat(5_000_000))] }
      : echo(message);

  test('given a station that has an answer for them, it is given the size and its answer is committed', async () => {
    const bus = openBus();
    const sizes: unknown[] = [];
    const station = runEcho(bus, {
      lane: {
        decide: large,
        tooLarge(_message, _prepared, size) {
          sizes.push(size);
          return { kind: 'emit', records: [decision('too large')] };
        },
      },
    });
    await bus.append([station.request({ query: 'bad' }), station.request({ query: 'good' })]);
    await allConsumed(bus);
    expect(await echoed(bus)).toEqual(['too large', 'good']);
    expect(sizes).toEqual([{ bytes: expect.any(Number) as number, limit: 4 * 1024 * 1024 }]);
  });

  test('given a station without one, the record goes to the dead letters', async () => {
    const { letter } = await givenUp((good) => good, { lane: { decide: large } });
    expect(letter.code).toBe('PL_RECORD_TOO_LARGE');
  });

  test.each([
    ['is too large as well', () => large],
    [
      'throws',
      () => () => {
        throw new Error('not judged');
      },
    ],
  ])('given an answer for them that %s, the record goes to the dead letters', async (_, tooLarge) => {
    const { letter } = await givenUp((good) => good, { lane: { decide: large, tooLarge: tooLarge() } });
    expect(['PL_RECORD_TOO_LARGE', 'PL_INVARIANT']).toContain(letter.code);
  });

  test('given a record that is as large as its topic takes, its dead letter has it whole', async () => {
    const { letter } = await givenUp((good) => ({ ...good, value: Buffer.alloc(4 * 1024 * 1024 - 1000, 1) }));
    expect(letter.code).toBe('PL_RECORD_UNDECODABLE');
  });
});

describe('what a station emits', () => {
  const run = async (headers: Headers = {}, station?: { echo?: Echo }) => {
    const bus = openBus();
    const running = runEcho(bus, { now: () => Date.parse('2026-05-04T03:02:01.234Z') });
    if (station !== undefined) station.echo = running;
    await bus.append([{ ...running.request({ query: 'hello' }), headers }]);
    await allConsumed(bus);
    return { bus, running };
  };
  const outputs = async (bus: OpenBus) => (await Promise.all([0, 1].map((p) => readAll(bus, OUT, p)))).flat();

  test('follows from its input: cause, run, event time, key and partition are its', async () => {
    const { bus } = await run();
    const [output] = await outputs(bus);
    const [request] = await messages(bus, IN);
    expect(codec.decode(OUT, output!.value!)).toMatchObject({
      causedBy: request!.eventId,
      runId: 'run-1',
      occurredAt: request!.occurredAt,
    });
    expect(output).toMatchObject({ key: Buffer.from('run-1'), partition: partitionOf('run-1', 2) });
  });

  test('has the headers of CloudEvents in Kafka’s binary mode', async () => {
    const { bus } = await run();
    const [output] = await outputs(bus);
    expect(output!.headers).toEqual({
      ce_specversion: '1.0',
      ce_id: codec.decode(OUT, output!.value!).eventId,
      ce_type: 'proofline.review-decision.v1',
      ce_source: expect.stringMatching(/^proofline\/echo\/\d+\.\d+\.\d+/) as string,
      ce_time: '2026-05-04T03:02:01.234Z',
    });
  });

  const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  test('passes a valid traceparent on, also to its audit event', async () => {
    const { bus } = await run({ traceparent: TRACE, tracestate: 'x=1' });
    const notes = (await Promise.all([0, 1].map((p) => readAll(bus, 'tool-invocation.v1', p)))).flat();
    for (const { headers } of [...(await outputs(bus)), ...notes]) {
      expect(headers['traceparent']).toBe(TRACE);
      expect(headers).not.toHaveProperty('tracestate');
    }
  });

  test.each([
    ['in capitals', TRACE.toUpperCase()],
    ['too long', `${TRACE}-00`],
    ['with a line feed', `${TRACE}\n`],
    ['of version ff', TRACE.replace(/^00/, 'ff')],
    ['without a trace', TRACE.replace(/4bf\w+/, '0'.repeat(32))],
    ['without a parent', TRACE.replace(/00f067aa0ba902b7/, '0'.repeat(16))],
    ['that is no such thing', 'x'],
  ])('does not pass on a traceparent %s', async (_, traceparent) => {
    const { bus } = await run({ traceparent });
    expect((await outputs(bus))[0]!.headers).not.toHaveProperty('traceparent');
  });

  test('has ids that are the same whenever it is made again, and that tell all records apart', async () => {
    const two = (message: EchoMessage): ReturnType<typeof echo> => {
      const { query } = message.value;
      return { ...echo(message), kind: 'emit', records: [decision(query), decision(`${query} again`)] };
    };
    const idsOf = async (): Promise<string[]> => {
      const bus = openBus();
      const station = runEcho(bus, { lane: { decide: two } });
      await bus.append([
        station.request({ query: 'q' }),
        station.request({ query: 'q', toolCallId: 'call-2' }),
        station.request({ query: 'q', runId: 'run-2' }),
      ]);
      await allConsumed(bus);
      const notes = await messages(bus, 'tool-invocation.v1');
      return [...(await messages(bus, OUT)), ...notes].map(({ eventId }) => eventId);
    };
    const [first, second] = [await idsOf(), await idsOf()];
    expect(first).toEqual(second);
    expect(first).toHaveLength(9);
    expect(new Set(first).size).toBe(9);
    for (const id of first) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('gives the note about a record that it gave up an id of its own', async () => {
    // Else a record that only claims an id, or lies in a wrong place, would hide what becomes of the true one.
    const bus = openBus();
    const station = runEcho(bus);
    const good = station.request({ query: 'q' });
    await bus.append([{ ...good, partition: 1 - good.partition }, good]);
    await allConsumed(bus);
    const notes = await messages(bus, 'tool-invocation.v1');
    expect(notes.map(({ kind }) => kind).sort()).toEqual(['DEAD_LETTER', 'ECHO']);
    expect(new Set(notes.map(({ eventId }) => eventId)).size).toBe(2);
  });

  test('gives the note about a repeat an id of its own', async () => {
    const bus = openBus();
    let seen = 0;
    const outcomes = ['DONE', 'REPEAT', 'REFUSED'];
    const station = runEcho(bus, {
      lane: {
        decide: (message) => {
          const done = echo(message) as Extract<ReturnType<typeof echo>, { kind: 'emit' }>;
          return { ...done, records: [], invocation: { ...done.invocation!, outcome: outcomes[seen++]! } };
        },
      },
    });
    const request = station.request({ query: 'q' });
    await bus.append([request, request, request]);
    await allConsumed(bus);
    const notes = await messages(bus, 'tool-invocation.v1');
    expect(notes.map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(new Set(notes.map(({ eventId }) => eventId)).size).toBe(3);
  });
});

describe('a step that fails', () => {
  test.each([
    ['a full disk', new ProoflineError('PL_DISK_FULL')],
    ['another error', new Error('the database is locked')],
  ])(
    'given %s, the lane forgets what it had decided and decides again, and nothing is doubled',
    async (_, error) => {
      const bus = openBus();
      let failures = 0;
      const remembered: string[][] = [];
      const steps = withSteps(bus, (_group, { next }) => {
        if (next !== undefined && failures++ < 2) throw error;
      });
      const station = runEchoThatRemembers(steps, remembered);
      await bus.append(['one', 'two'].map((query) => station.request({ query })));
      await allConsumed(bus);
      // Each of the lane's lives began with nothing: what was not committed was not remembered.
      expect(remembered.filter((each) => each.length > 0)).toEqual([
        ['one', 'two'],
        ['one', 'two'],
        ['one', 'two'],
      ]);
      expect(await echoed(bus)).toEqual(['one', 'two']);
      expect(await messages(bus, 'dead-letter.v1')).toEqual([]);
    },
  );

  test('given a full disk, health names it and is well again afterwards', async () => {
    const bus = openBus();
    const gate = createGate();
    let full = true;
    const station = runEcho(
      withSteps(bus, (_group, { next }) => {
        if (next !== undefined && full) {
          gate.open();
          throw new ProoflineError('PL_DISK_FULL');
        }
      }),
    );
    await bus.append([station.request({ query: 'one' })]);
    await gate.opened;
    await waitUntil('health names it', () => station.health.waiting()[0]?.code === 'PL_DISK_FULL');
    full = false;
    await allConsumed(bus);
    await waitUntil('it is well', () => station.health.waiting().length === 0);
  });
});

/** A station that emits a query only if it does not remember it. */
function runEchoThatRemembers(bus: Parameters<typeof runEcho>[0], lives: string[][]): Echo {
  return runEcho(bus, {
    open: () => {
      const memory: string[] = [];
      lives.push(memory);
      return {
        decide: (message) =>
          memory.includes(message.value.query) ? { kind: 'emit', records: [] } : echo(message),
        remember: (_outcome, { value }) => void memory.push(value.query),
      };
    },
  });
}
