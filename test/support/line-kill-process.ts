import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A process of the line, started from one file: hundreds of starts are what such a test takes its time for. */
export interface LineProcess {
  /** Resolves with true when it has printed the line so many times, with false when it has ended before. */
  printed(line: string, times?: number): Promise<boolean>;
  /** Resolves when it has ended, with its exit code; null when it was killed. */
  readonly exited: Promise<number | null>;
  kill(): void;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles test/support/ENTRY into the folder; answers with the file. */
export async function bundle(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'child.cjs');
  await build({
    entryPoints: [join(root, 'test/support', entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['better-sqlite3'],
    logLevel: 'error',
  });
  return outfile;
}

const running = new Set<ChildProcess>();

export function startLineProcess(file: string, args: readonly string[]): LineProcess {
  const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const lines = new Map<string, number>();
  const waiting = new Set<() => void>();
  const tell = (): void => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.set(line, (lines.get(line) ?? 0) + 1);
    tell();
  });
  let ended = false;
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      ended = true;
      running.delete(child);
      resolve(code);
      tell();
    });
  });
  return {
    exited,
    kill: () => void child.kill('SIGKILL'),
    printed: (line, times = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          const enough = (lines.get(line) ?? 0) >= times;
          if (!enough && !ended) return;
          waiting.delete(look);
          resolve(enough);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** For `afterEach`: ends what a failed test left running. */
export function endLineProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}
