import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startProcesses, type MeasuredProcesses } from '../../src/bench/processes.js';
import type { FailingTask } from '../support/bench-failing-child.js';
import { refusal } from '../support/refusal.js';
import { waitUntil } from '../support/wait.js';

const file = new URL('../support/bench-failing-child.ts', import.meta.url);
const begins: FailingTask = { begin: 'begins' };

describe('processes that are measured', () => {
  let started: MeasuredProcesses | null = null;

  // Their file is TypeScript here.
  beforeEach(() => void vi.stubEnv('NODE_OPTIONS', '--import tsx'));
  afterEach(async () => {
    vi.unstubAllEnvs();
    await started?.stop();
    started = null;
  });

  async function start(
    tasks: readonly FailingTask[],
    signal = new AbortController().signal,
  ): Promise<MeasuredProcesses> {
    return (started = await startProcesses({ file, tasks, signal }));
  }

  test('given two, then what they have taken is told together, and they end when they are let go of', async () => {
    const processes = await start([begins, begins]);
    const { cpuMs, residentBytes } = await processes.usage();
    expect(cpuMs).toBeGreaterThan(0);
    expect(residentBytes).toBeGreaterThan(1024 * 1024);
    await processes.stop();
    expect(processes.signal.aborted).toBe(false);
    await expect(processes.usage()).rejects.toThrow(refusal('PL_PROCESS_ENDED'));
  });

  test('given one that dies, then whoever waits is told how it ended', async () => {
    const processes = await start([begins]);
    const ended = refusal('PL_PROCESS_ENDED', 'with code 7');
    await expect(processes.tell('die')).rejects.toThrow(ended);
    await waitUntil('the others are told', () => processes.signal.aborted);
    expect(processes.signal.reason).toEqual(ended);
  });

  test('given work that fails by itself, then the reason arrives as it was', async () => {
    const processes = await start([begins, begins]);
    await processes.tell('fail');
    await waitUntil('the reason has come', () => processes.signal.aborted);
    expect(processes.signal.reason).toEqual(refusal('PL_LEDGER_BEHIND', 'it went back'));
  });

  test('given one that cannot begin, then starting fails with its reason', async () => {
    await expect(start([begins, { begin: 'refuses' }])).rejects.toThrow(
      refusal('PL_BUS_DOWN', 'nobody listens'),
    );
  });
});
