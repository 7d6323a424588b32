import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ChildSpec } from './kafka-line-child.js';
import { waitUntil } from './wait.js';

/** A process with stations of a line in Kafka. */
export interface StationProcess {
  readonly pid: number;
  /** Everything that it has printed. */
  readonly lines: readonly string[];
  /** Resolves when it has ended: with its exit code, null when a signal ended it. */
  readonly exited: Promise<number | null>;
  ended(): boolean;
  /** Resolves with the first line that begins with `start`, of those that came after the first `from`. */
  printed(start: string, from?: number): Promise<string>;
  /** Codes of the incidents that it told of. */
  incidents(): string[];
  /** Milliseconds of a core that it has taken so far. */
  cpuMs(): Promise<number>;
  kill(signal: NodeJS.Signals): void;
  /** Lets it leave its groups, and waits until it has. */
  leave(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const PRINTED_MS = 60_000;

let bundled: Promise<string> | null = null;

/** One file, inside the package so that it finds what is installed: tests start many such processes. */
async function bundle(): Promise<string> {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const outfile = join(mkdtempSync(join(cache, 'kafka-line-')), 'child.mjs');
  await build({
    entryPoints: [join(root, 'test/support/kafka-line-child.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}

const running = new Set<StationProcess>();

export async function startStations(
  spec: ChildSpec,
  env: Readonly<Record<string, string>>,
): Promise<StationProcess> {
  const file = await (bundled ??= bundle());
  const child = spawn(process.execPath, [file, JSON.stringify(spec)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let ended = false;
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      ended = true;
      running.delete(started);
      resolve(code);
    });
  });
  const started: StationProcess = {
    pid: child.pid ?? 0,
    lines,
    exited,
    ended: () => ended,
    printed: (start, from = 0) =>
      waitUntil(
        `a process prints ${start}`,
        () => {
          const found = lines.slice(from).find((line) => line.startsWith(start));
          if (found === undefined && ended) throw new Error(`it ended before it printed ${start}`);
          return found;
        },
        PRINTED_MS,
      ),
    incidents: () =>
      lines.flatMap((line) => {
        const { code } = line.startsWith('{') ? (JSON.parse(line) as { code?: string }) : {};
        return code === undefined ? [] : [code];
      }),
    async cpuMs() {
      const from = lines.length;
      child.kill('SIGUSR2');
      return Number((await started.printed('cpu', from)).slice('cpu '.length));
    },
    kill: (signal) => void child.kill(signal),
    async leave() {
      child.kill('SIGTERM');
      await exited;
    },
  };
  running.add(started);
  return started;
}

/** For `afterEach`: ends what is left, also what is stopped. */
export async function endStations(): Promise<void> {
  const left = [...running];
  for (const each of left) each.kill('SIGKILL');
  await Promise.all(left.map(({ exited }) => exited));
}

/** For `afterAll`. */
export async function removeBundle(): Promise<void> {
  if (bundled !== null) rmSync(dirname(await bundled), { recursive: true, force: true });
  bundled = null;
}
