import { setTimeout as pause } from 'node:timers/promises';
import type { NewRecord } from '../../src/bus/bus.js';
import type { KafkaTestLine } from './kafka-line.js';
import { readTopic } from './kafka-line-topics.js';
import type { PlannedRun } from './line-kill-plan.js';
import { waitUntil } from './wait.js';

/**
 * Agents that do a plan run by run: they ask a run's lookups, and hand its draft in as soon as all are answered. What
 * could not be appended they append again, so that it may lie there twice.
 */
export interface Agents {
  asked(): number;
  answered(): number;
  /** Resolves when so many more lookups are asked and answered. */
  more(lookups: number): Promise<void>;
  /** Begins no more runs, and resolves when those that began have handed in their drafts. Answers with them. */
  finish(): Promise<readonly PlannedRun[]>;
  stop(): Promise<void>;
}

export interface AgentOptions {
  /** How many runs are under way at most. */
  readonly atOnce?: number;
  /** Milliseconds between the beginnings of two runs. */
  readonly everyMs?: number;
}

const ANSWERED_MS = 120_000;
const LOOK_MS = 30;

export function startAgents(
  line: KafkaTestLine,
  plan: readonly PlannedRun[],
  { atOnce = 12, everyMs = 0 }: AgentOptions = {},
): Agents {
  const begun: PlannedRun[] = [];
  const answered = new Set<string>();
  const handedIn = new Set<string>();
  const next = Array.from({ length: line.partitions }, () => 0);
  let [finishing, stopped] = [false, false];
  let asked = 0;

  async function append(records: readonly NewRecord[]): Promise<void> {
    while (!stopped) {
      try {
        await line.bus.append(records);
        return;
      } catch {
        await pause(100);
      }
    }
  }

  async function ask(): Promise<void> {
    for (const run of plan) {
      while (begun.length - handedIn.size >= atOnce && !finishing) await pause(LOOK_MS);
      if (finishing || stopped) return;
      await append(run.lookups.map((lookup) => line.record('lookup-requested.v1', lookup)));
      begun.push(run);
      asked += run.lookups.length;
      if (everyMs > 0) await pause(everyMs);
    }
  }

  /** By its own positions: nothing is missed while the broker is away. */
  async function look(): Promise<void> {
    for (const [p, from] of next.entries()) {
      const records = await readTopic(line.bus, line.codec, 'projected.v1', p, from);
      for (const { message } of records) if (message !== null) answered.add(message.requestEventId);
      next[p] = (records.at(-1)?.offset ?? from - 1) + 1;
    }
    for (const { runId, lookups, draft } of begun) {
      if (handedIn.has(runId) || !lookups.every(({ eventId }) => answered.has(eventId))) continue;
      handedIn.add(runId);
      await append([line.record('draft-submitted.v1', draft)]);
    }
  }

  async function follow(): Promise<void> {
    while (!stopped) {
      await look().catch(() => undefined);
      await pause(LOOK_MS);
    }
  }

  const working = [ask(), follow()];
  return {
    asked: () => asked,
    answered: () => answered.size,
    async more(lookups) {
      const until = answered.size + lookups;
      await waitUntil(`${lookups} more lookups are answered`, () => answered.size >= until, ANSWERED_MS);
    },
    async finish() {
      finishing = true;
      await working[0];
      const missing = (): number => begun.length - handedIn.size;
      await waitUntil('all that was asked is answered', () => missing() === 0, ANSWERED_MS);
      return begun;
    },
    async stop() {
      [finishing, stopped] = [true, true];
      await Promise.all(working);
    },
  };
}
