import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createSink } from '../../src/bench/arrivals.js';
import { kafkaFigures, type AtRate, type KafkaComparison } from '../../src/bench/kafka-figures.js';
import { openChain } from '../../src/bench/lookup-work.js';
import { sumOf } from '../../src/bench/processes.js';
import { createKey } from '../../src/ledger/keyring.js';
import { cli } from '../support/cli-run.js';
import { refusal } from '../support/refusal.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(() => removeTempFolders());

const never = new AbortController().signal;

describe('the figures of a line in Kafka', () => {
  const atRate = (perSecond: number): AtRate => ({ perSecond, times: [1, 2, 3], share: 0.25 });
  const comparison: KafkaComparison = {
    line: {
      lookupAlone: [10, 20, 30],
      draftAlone: [5],
      lookupsPerSecond: 1000,
      processorMs: 0.9,
      steady: atRate(100),
      loaded: atRate(500.4),
      idleShare: 0.07,
      records: 9,
      bytes: 18_000,
      residentBytes: 256 * 1024 * 1024,
    },
    bare: { recordsPerSecond: 3000, p50: 13, p99: 35, processorMs: 0.2 },
    work: { perSecond: 2000, processorMs: 0.5 },
    size: { hits: 5, chars: 200 },
    hops: 3,
    processes: 1,
  };

  test('given a measured line, then kafkajs alone, the work alone and the line stand together', () => {
    const figures = kafkaFigures(comparison);
    const at = figures.findIndex(({ name }) => name === 'lookups to the projection, 5 × 200');
    expect(figures.slice(at, at + 4)).toEqual([
      {
        name: 'lookups to the projection, 5 × 200',
        value: 1000,
        unit: 'per s',
        baseline: { name: 'kafkajs alone, the same bytes through 3 topics', value: 3000 },
      },
      { name: 'the same work without Kafka, on one core', value: 2000, unit: 'per s' },
      {
        name: 'processor time of a lookup, audit included',
        value: 0.9,
        unit: 'ms',
        baseline: { name: 'kafkajs alone', value: 0.2 },
      },
      { name: 'processor time of the same work without Kafka', value: 0.5, unit: 'ms' },
    ]);
  });

  test('given shares and bytes, then they are told in percent and MiB, at each rate', () => {
    const named = new Map(kafkaFigures(comparison).map(({ name, ...rest }) => [name, rest]));
    expect(named.get('share of one core at 100 per s')).toEqual({ value: 25, unit: '%' });
    expect(named.get('lookup at 500 per s, p50')).toEqual({ value: 2, unit: 'ms' });
    expect(named.get('resident memory')).toEqual({ value: 256, unit: 'MiB' });
  });

  test('given several processes, then the figures that depend on it say so', () => {
    const names = kafkaFigures({ ...comparison, processes: 2 }).map(({ name }) => name);
    expect(names).toContain('lookups to the projection, 5 × 200, 2 processes');
    expect(names).toContain('idle, share of one core, 2 processes');
    expect(names).toContain('resident memory, the largest process');
  });

  test('given what processes have taken, then processor time is added up and memory is the largest', () => {
    expect(
      sumOf([
        { cpuMs: 5, residentBytes: 10 },
        { cpuMs: 7, residentBytes: 4 },
      ]),
    ).toEqual({ cpuMs: 12, residentBytes: 10 });
  });
});

describe('the work of a lookup without Kafka', () => {
  test('given lookups over several batches, then each is projected, of runs that go on as well', async () => {
    const keys = join(tempFolder(), 'keys');
    createKey(keys);
    const chain = await openChain(keys, { hits: 3, chars: 50 });
    expect(await chain.answer(7)).toBe(7);
    expect(await chain.answer(11)).toBe(11);
  });
});

describe('waiting for what comes out at the end', () => {
  test('given records that come before and while somebody waits, then both count', async () => {
    const sink = createSink();
    sink.came(2);
    await sink.until(2, never);
    const more = sink.until(5, never);
    sink.came(1);
    sink.came(2);
    await more;
    expect(sink.count()).toBe(5);
  });

  test('given silence, then it ends with how many have come', async () => {
    const sink = createSink(1);
    sink.came(1);
    await expect(sink.until(2, never)).rejects.toThrow(refusal('PL_TIMEOUT', '1 of 2 records have come'));
  });

  test('given a process that ended, then waiting ends with that', async () => {
    const ended = new AbortController();
    const waiting = createSink().until(1, ended.signal);
    ended.abort(new Error('it ended'));
    await expect(waiting).rejects.toThrow('it ended');
  });
});

describe('proofline bench kafka', () => {
  test('given more processes than partitions, then it says so before it asks for services', async () => {
    const { code, err } = await cli(['bench', 'kafka', '--processes', '5', '--partitions', '4']);
    expect(code).toBe(2);
    expect(err).toContain('--processes is 5, and --partitions 4');
  });

  test('given a count that is none, then it says which option', async () => {
    const { code, err } = await cli(['bench', 'kafka', '--processes', '1.5']);
    expect(code).toBe(2);
    expect(err).toContain('--processes is "1.5"');
  });
});
