import { isProoflineError } from '../contracts/errors.js';
import type { JsonObject } from '../contracts/json.js';
import { errorToWire } from '../line/error-json.js';

/** The side of the child of `processes.ts`: it does the work that is measured, and tells what it took. */

/** What a parent asks; `begin` comes first, with the task. */
export interface Question {
  readonly id: number;
  readonly command: string;
  readonly task?: unknown;
}

/** The answer to the question of that id; null where the work failed by itself. */
export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number | null; readonly failure: JsonObject };

/** What a process has taken since it began. */
export interface Usage {
  /** Milliseconds of processor time, user and system. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

export interface Work {
  /** What it does when it is told to, by name. */
  readonly commands?: Readonly<Record<string, () => Promise<void>>>;
  stop(): Promise<void>;
}

/**
 * Begins the work with the parent's task, and serves the parent until that lets go, or is gone: then the work is stopped
 * and the process ends. `fail` tells the parent that no figure of this process is worth anything.
 */
export function serveParent(begin: (task: unknown, fail: (error: unknown) => void) => Promise<Work>): void {
  let begun: Promise<Work> | null = null;
  const fail = (error: unknown): void => reply({ id: null, failure: failureOf(error) });

  async function answer({ command, task }: Question): Promise<unknown> {
    if (command === 'begin') begun = begin(task, fail);
    const work = await begun;
    if (command === 'begin') return null;
    if (command === 'usage') return usage();
    await work?.commands?.[command]?.();
    return null;
  }

  process.on('message', (question: Question) => {
    const { id } = question;
    answer(question).then(
      (value) => reply({ id, value }),
      (error: unknown) => reply({ id, failure: failureOf(error) }),
    );
  });
  process.on('disconnect', () => {
    const stopped = begun?.then((work) => work.stop()) ?? Promise.resolve();
    void stopped.catch(() => undefined).then(() => process.exit(0));
  });
  // Ctrl-C reaches all processes of a terminal: it is the parent that ends this one, when it has no more use for it.
  process.on('SIGINT', () => undefined);
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}

function reply(message: Reply): void {
  if (process.connected) process.send?.(message);
}

/** Where nobody foresaw it, with the place: the error itself stays behind. */
function failureOf(error: unknown): JsonObject {
  if (isProoflineError(error) || !(error instanceof Error)) return errorToWire(error);
  return errorToWire(new Error(error.stack ?? error.message));
}
