import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process of its own that runs a TypeScript file of test/support and speaks in lines. */
export interface Child {
  /** Everything it has printed so far. */
  readonly lines: readonly string[];
  /** What it has written to its standard error so far. */
  readonly complaints: () => string;
  /** Resolves with the exit code, null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Resolves with the first line that begins with `start`; fails when the process ends without one. */
  line(start: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

const running = new Set<Child>();

/** Starts test/support/FILE with the arguments. */
export function startChild(file: string, args: readonly string[]): Child {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  const tellAll = (): void => {
    for (const tell of listeners) tell();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    tellAll();
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  let closed = false;
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      closed = true;
      running.delete(started);
      tellAll();
      resolve(code);
    });
  });

  const started: Child = {
    lines,
    complaints: () => complaints,
    exited,
    line: (start) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => line.startsWith(start));
          if (found === undefined && !closed) return;
          listeners.delete(look);
          if (found !== undefined) resolve(found);
          else reject(new Error(`the process ended without a line that begins with ${start}\n${complaints}`));
        };
        listeners.add(look);
        look();
      }),
    kill: (signal) => void child.kill(signal),
  };
  running.add(started);
  return started;
}

/** For `afterEach`: ends what a failed test left running. */
export async function endChildren(): Promise<void> {
  const left = [...running];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => child.exited));
}
