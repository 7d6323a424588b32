import { describe, expect, test } from 'vitest';
import { CALM_LAST_MS, chaosKinds, chaosPlan } from '../support/soak/chaos-plan.js';
import { latenciesOf } from '../support/soak/latencies.js';
import { soakArguments } from '../support/soak/options.js';
import { soakRuns } from '../support/soak/runs.js';

const MINUTE_MS = 60_000;

describe('the chaos of a soak', () => {
  test('given a seed, it is planned the same again, and another seed plans otherwise', () => {
    expect(chaosPlan(7, 10 * MINUTE_MS)).toEqual(chaosPlan(7, 10 * MINUTE_MS));
    expect(chaosPlan(8, 10 * MINUTE_MS)).not.toEqual(chaosPlan(7, 10 * MINUTE_MS));
  });

  test('given ten minutes, something happens every 5 to 15 s, and every kind before any comes again', () => {
    const plan = chaosPlan(7, 10 * MINUTE_MS);
    const gaps = plan.slice(1).map(({ atMs }, i) => atMs - plan[i]!.atMs);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15_000);
    expect(new Set(plan.slice(0, chaosKinds.length).map(({ kind }) => kind))).toEqual(new Set(chaosKinds));
  });

  test.each([0.25, 1, 3, 20])('given %d minutes, nothing is under way in the last 30 s', (minutes) => {
    for (let seed = 0; seed < 50; seed++)
      for (const { atMs, forMs } of chaosPlan(seed, minutes * MINUTE_MS))
        expect(atMs + forMs).toBeLessThanOrEqual(minutes * MINUTE_MS - CALM_LAST_MS);
  });
});

describe('the runs of a soak', () => {
  test('some find nothing, some ask the same again, and some another question under a used id', () => {
    const runs = soakRuns(60, 1_700_000_000_000);
    const asked = runs.map(({ lookups, again }) => {
      const ids = new Set(lookups.map(({ eventId }) => eventId));
      return {
        nothing: lookups.some(({ query }) => query.startsWith('nothing')),
        same: again.some(({ eventId }) => ids.has(eventId)),
        other: again.some(({ eventId }) => !ids.has(eventId)),
      };
    });
    expect(asked.filter(({ nothing }) => nothing)).toHaveLength(15);
    expect(asked.filter(({ same }) => same)).toHaveLength(20);
    expect(asked.filter(({ other }) => other)).toHaveLength(12);
    for (const { lookups, again } of runs)
      for (const { toolCallId } of again)
        expect(lookups.map((each) => each.toolCallId)).toContain(toolCallId);
  });
});

describe('the latencies of a soak', () => {
  test('answers are calm when nothing happened from their question on, nor shortly before it', () => {
    const events = [{ from: 10_000, to: 12_000 }];
    const answered = [
      { from: 1000, to: 1010 },
      { from: 9990, to: 10_020 },
      { from: 14_000, to: 14_040 },
      { from: 18_000, to: 18_020 },
    ];
    expect(latenciesOf(answered, events)).toEqual({
      calm: { count: 2, p50: 10, p99: 10, most: 20 },
      disturbed: { count: 2, p50: 30, p99: 30, most: 40 },
    });
  });

  test('given no answers, there are no latencies', () => {
    expect(latenciesOf([], []).calm).toEqual({ count: 0, p50: null, p99: null, most: null });
  });
});

describe('the options of a soak', () => {
  test('given none, it has its defaults and the random seed', () => {
    expect(soakArguments([], 42)).toEqual({
      kind: 'soak',
      options: { minutes: 5, rate: 20, partitions: 4, processes: 2, seed: 42, json: false },
    });
  });

  test('given all, it has them', () => {
    const args = '--minutes 0.5 --rate 2.5 --partitions 1 --processes 3 --seed 9 --json'.split(' ');
    expect(soakArguments(args, 42)).toEqual({
      kind: 'soak',
      options: { minutes: 0.5, rate: 2.5, partitions: 1, processes: 3, seed: 9, json: true },
    });
  });

  test.each([
    ['--minutes', '0'],
    ['--minutes', 'NaN'],
    ['--minutes', ''],
    ['--rate', 'Infinity'],
    ['--partitions', '1.5'],
    ['--processes', '9'],
    ['--seed', '-1'],
  ])('given %s %j, it says what is wrong', (name, value) => {
    const found = soakArguments([`${name}=${value}`], 1);
    expect(found).toMatchObject({ kind: 'wrong', problem: expect.stringContaining(name) as string });
  });

  test('given an unknown option, it says so; --help teaches', () => {
    expect(soakArguments(['--hours', '1'], 1).kind).toBe('wrong');
    expect(soakArguments(['--help'], 1)).toEqual({ kind: 'help' });
  });
});
