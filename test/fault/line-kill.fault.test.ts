import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { openEmbeddedReader } from '../../src/bus/embedded/embedded-bus.js';
import { problemsOf, readLogs } from '../support/line-kill-check.js';
import { planOf, seeded } from '../support/line-kill-plan.js';
import {
  bundle,
  endLineProcesses,
  startLineProcess,
  type LineProcess,
} from '../support/line-kill-process.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(() => {
  endLineProcesses();
  removeTempFolders();
});

const KILLS = Number(process.env['PROOFLINE_KILLS'] ?? 200);
/** Four lookups and a draft a run. */
const MESSAGES = Number(process.env['PROOFLINE_KILL_MESSAGES'] ?? 2000);
/** Longer than the slowest of lookups takes, and than the line takes to open. */
const LONGEST_LIFE_MS = 2_000;
/** How long the line may take in the end, undisturbed. */
const LAST_LIFE_MS = 120_000;
const SEED = Number(process.env['PROOFLINE_KILL_SEED'] ?? 20_260_504);

describe('a line that is killed again and again', () => {
  test('loses nothing and doubles nothing: what the topics hold is what an undisturbed line writes', async () => {
    const began = performance.now();
    const runs = Math.ceil(MESSAGES / 5);
    const folder = tempFolder();
    const file = await bundle('line-kill-child.ts', tempFolder());
    const random = seeded(SEED);
    const now = Date.now();
    const start = (lives: number): LineProcess =>
      startLineProcess(file, [folder, runs, now, lives, SEED + KILLS - lives].map(String));
    let underWay = 0;
    for (let life = 0; life < KILLS; life++) {
      const child = start(KILLS - life);
      // Some die while they open; most at work, after as many answers as chance has it, and a moment.
      if (random() < 0.15) await pause(random() * 400);
      else {
        const answers = Math.floor((random() * 8 * runs) / KILLS);
        await Promise.race([child.printed('answered', answers), pause(LONGEST_LIFE_MS)]);
        await pause(random() * 50);
      }
      child.kill();
      expect(await child.exited, 'it ended by itself').toBe(null);
      underWay += Number(await hasWorkUnderWay(folder));
    }
    const answered = (await readLogs(folder)).logs['projected.v1'].length;
    const last = start(0);
    // A line that has lost something is never done: what is missing is told below.
    await Promise.race([last.printed('done').then(() => last.exited), pause(LAST_LIFE_MS)]);
    last.kill();
    expect(await problemsOf(folder, planOf(runs, now))).toEqual([]);
    expect(await last.exited).toBe(0);

    const { logs } = await readLogs(folder);
    const seconds = Math.round((performance.now() - began) / 1000);
    const again = logs['lookup-requested.v1'].length + logs['draft-submitted.v1'].length - 5 * runs;
    console.log(
      `${KILLS} kills in ${seconds} s, ${underWay} of them with work under way: ${4 * runs} lookups (${answered} answered before the last kill) and ${runs} drafts, ${again} published again; each answered once`,
    );
    expect(underWay).toBeGreaterThan(KILLS / 4);
  }, 900_000);
});

/** True when a station had not consumed all that lay before it. */
async function hasWorkUnderWay(folder: string): Promise<boolean> {
  let reader;
  try {
    reader = openEmbeddedReader(folder);
  } catch {
    // Killed before there was a line.
    return false;
  }
  const inputs = [
    ['retrieve', 'lookup-requested.v1'],
    ['postprocess', 'raw-hits.v1'],
    ['project', 'postprocessed.v1'],
    ['guard', 'draft-submitted.v1'],
    ['review', 'verdict.v1'],
  ] as const;
  let behind = false;
  for (const [group, topic] of inputs) {
    for (let p = 0; p < reader.partitions; p++) {
      const { end } = await reader.bounds(topic, p);
      behind ||= ((await reader.committed(group, topic, p)) ?? 0) < end;
    }
  }
  await reader.close();
  return behind;
}
