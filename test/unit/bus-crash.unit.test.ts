import { afterEach, describe, expect, test } from 'vitest';
import type { Bus } from '../../src/bus/bus.js';
import { offsetsOf, readAll } from '../support/bus.js';
import { endChildren, startChild } from '../support/child.js';
import { closeBuses, openBus } from '../support/embedded-bus.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(endChildren);
afterEach(closeBuses);

const KILLS = 15;

describe('a process that is killed while it appends and steps', () => {
  test('leaves logs without gaps, nothing lost that was answered, and each input copied once', async () => {
    const folder = tempFolder();
    const acknowledged: string[][] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = startChild('bus-child.ts', ['copy', folder]);
      await child.line('acknowledged');
      const moment = child.lines.length + Math.random() * 100;
      await waitUntil('it has come that far', () => child.lines.length > moment);
      child.kill('SIGKILL');
      await child.exited;
      acknowledged.push(
        ...child.lines
          .filter((line) => line.startsWith('acknowledged'))
          .map((line) => line.split(' ').slice(1)),
      );
      const bus = openBus({ folder });
      await checkLogs(bus, acknowledged);
      await bus.close();
    }
    expect(acknowledged.length).toBeGreaterThan(KILLS);
  }, 120_000);
});

async function checkLogs(bus: Bus, acknowledged: readonly string[][]): Promise<void> {
  for (const partition of [0, 1]) {
    const inputs = await readAll(bus, 'raw-hits.v1', partition);
    const outputs = await readAll(bus, 'postprocessed.v1', partition);
    for (const log of [inputs, outputs]) expect(offsetsOf(log)).toEqual(log.map((_, i) => i));
    const committed = (await bus.committed('copy', 'raw-hits.v1', partition)) ?? 0;
    expect(outputs.length).toBe(committed);
    expect(outputs.every((output, i) => output.value!.equals(inputs[i]!.value!))).toBe(true);
    for (const [where, offset, text] of acknowledged) {
      if (Number(where) === partition) expect(String(inputs[Number(offset)]?.value)).toContain(`${text} `);
    }
  }
}
