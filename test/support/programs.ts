import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitUntil } from './wait.js';

/** Programs as a person starts them, each a process of its own. */

export interface Program {
  readonly out: () => string;
  readonly err: () => string;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Resolves with what a part of the pattern caught, once the output matches. */
  prints(pattern: RegExp): Promise<string>;
  /** Ends it, and waits until it has: with SIGTERM unless another signal is named. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const running = new Set<Program>();
const SLOW_MS = 60_000;

type Env = Readonly<Record<string, string>>;

/** A TypeScript file of the project, by its path from the project's folder. */
export function startTs(file: string, args: readonly string[] = [], env: Env = {}): Program {
  return startProgram(process.execPath, ['--import', 'tsx', `${root}${file}`, ...args], env);
}

/** The `proofline` command. */
export function startProofline(...args: readonly string[]): Program {
  return startTs('src/cli/main.ts', args);
}

export function startProgram(command: string, args: readonly string[], env: Env = {}): Program {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  let isOver = false;
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      isOver = true;
      running.delete(program);
      resolve(code);
    });
  });
  const program: Program = {
    out: () => out,
    err: () => err,
    ended,
    prints: (pattern) =>
      waitUntil(
        `${args.join(' ')} prints ${pattern.source}`,
        () => {
          const found = pattern.exec(out + err);
          if (found === null && isOver)
            throw new Error(`it ended without printing ${pattern.source}: ${out}${err}`);
          return found?.[1] ?? found?.[0];
        },
        SLOW_MS,
      ),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
  running.add(program);
  return program;
}

/** For `afterAll`: the latest first, so that nobody misses who it talks to. */
export async function stopPrograms(): Promise<void> {
  for (const program of [...running].reverse()) await program.stop();
}
