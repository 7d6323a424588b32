import { setTimeout as pause } from 'node:timers/promises';
import { errorTable, type ErrorCode } from '../../../src/contracts/errors.js';
import type { StationProcess } from '../kafka-line-process.js';
import type { KafkaTestLine } from '../kafka-line.js';
import { residentBytes } from './resident.js';

/** One process of a place in the fleet, from its start to its end. */
export interface Life {
  readonly place: number;
  readonly seconds: number;
  /** How it ended: `runs` has not yet. */
  readonly end: LifeEnd;
  /** Resident memory, in bytes: of the first sample after it was up, the last, and the highest; null without one. */
  readonly first: number | null;
  readonly last: number | null;
  readonly most: number | null;
}

export type LifeEnd = 'killed' | 'left' | 'by itself' | 'runs';

/** Processes with all stations, of the same groups; whoever ends is started again. */
export interface Fleet {
  start(): Promise<void>;
  /** SIGKILL, and started again after a while; resolves when it is up. The others likewise. */
  kill(place: number, forMs: number): Promise<void>;
  pause(place: number, forMs: number): Promise<void>;
  leave(place: number, forMs: number): Promise<void>;
  /** Looks at the memory of each, and whether it still runs. */
  sample(): Promise<readonly (number | null)[]>;
  lives(): readonly Life[];
  restarts(): number;
  /** Lanes that were taken over while their owner still worked, and incidents by code. */
  fences(): number;
  incidents(): Readonly<Record<string, number>>;
  /** What none should do: end by itself, not leave when told, or tell of what does not pass by itself. */
  findings(): string[];
  end(): Promise<void>;
}

interface OpenLife {
  readonly place: number;
  readonly process: StationProcess;
  readonly began: number;
  /** Not read any more once it is due to end. */
  ending: LifeEnd;
  ended: number | null;
  readonly samples: { first: number | null; last: number | null; most: number | null };
}

const LEAVE_MS = 30_000;

export function createFleet(line: KafkaTestLine, count: number): Fleet {
  const all: OpenLife[] = [];
  const current: OpenLife[] = [];
  const findings: string[] = [];
  let ending = false;

  async function begin(place: number): Promise<void> {
    const process = await line.start();
    const samples = { first: null, last: null, most: null };
    const life: OpenLife = { place, process, began: performance.now(), ending: 'runs', ended: null, samples };
    all.push(life);
    current[place] = life;
    void process.exited.then((code) => {
      life.ended = performance.now();
      if (life.ending !== 'runs' || ending) return;
      life.ending = 'by itself';
      findings.push(`process ${place} ended by itself, with ${code ?? 'a signal'}`);
    });
    await process.printed('up');
  }

  /** One that ended by itself is only started again here: nothing hides that it did. */
  async function end(place: number, how: 'killed' | 'left', forMs: number): Promise<void> {
    const life = current[place]!;
    if (life.ended === null) life.ending = how;
    life.process.kill(how === 'killed' ? 'SIGKILL' : 'SIGTERM');
    const inTime = await Promise.race([life.process.exited.then(() => true), pause(LEAVE_MS, false)]);
    if (!inTime) {
      findings.push(`process ${place} had not left ${LEAVE_MS} ms after SIGTERM`);
      life.process.kill('SIGKILL');
      await life.process.exited;
    }
    await pause(forMs);
    await begin(place);
  }

  return {
    findings: () => [...findings, ...all.flatMap(graveIncidents)],
    async start() {
      await Promise.all(Array.from({ length: count }, (_, place) => begin(place)));
    },
    kill: (place, forMs) => end(place % count, 'killed', forMs),
    leave: (place, forMs) => end(place % count, 'left', forMs),
    async pause(place, forMs) {
      const { process } = current[place % count]!;
      process.kill('SIGSTOP');
      await pause(forMs);
      process.kill('SIGCONT');
    },
    sample: () => Promise.all(current.map(sampleLife)),
    lives: () => all.map(lifeOf),
    restarts: () => Math.max(0, all.length - count),
    fences: () =>
      all.flatMap(({ process }) => process.lines).filter((line) => line.startsWith('fenced ')).length,
    incidents() {
      const byCode: Record<string, number> = {};
      for (const code of all.flatMap(({ process }) => process.incidents()))
        byCode[code] = (byCode[code] ?? 0) + 1;
      return byCode;
    },
    async end() {
      ending = true;
      for (const { process } of current) process.kill('SIGTERM');
      const left = Promise.all(current.map(({ process }) => process.exited));
      await Promise.race([left, pause(LEAVE_MS, undefined, { ref: false })]);
    },
  };
}

/** Services come back: whatever does not pass, or nobody foresaw, is none of theirs. */
function graveIncidents({ place, process }: OpenLife): string[] {
  return process.lines
    .filter((line) => line.startsWith('{'))
    .filter((line) => {
      const { code } = JSON.parse(line) as { code?: string };
      return code !== undefined && !(code in errorTable && errorTable[code as ErrorCode].retryable);
    })
    .map((line) => `process ${place} told of ${line}`);
}

async function sampleLife({ process, ended, samples }: OpenLife): Promise<number | null> {
  const bytes = ended === null ? await residentBytes(process.pid) : null;
  if (bytes === null) return null;
  samples.first ??= bytes;
  samples.last = bytes;
  samples.most = Math.max(samples.most ?? 0, bytes);
  return bytes;
}

function lifeOf({ place, began, ended, ending, samples }: OpenLife): Life {
  const seconds = Math.round(((ended ?? performance.now()) - began) / 1000);
  return { place, seconds, end: ending, ...samples };
}
