import { fork, type ChildProcess } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProoflineError } from '../contracts/errors.js';
import { errorFromWire } from '../line/error-json.js';
import type { Question, Reply, Usage } from './serve-parent.js';

/** Processes that do what is measured, apart from the one that measures it: what that takes is in no figure of theirs. */

export interface MeasuredProcesses {
  /** What they have taken since they began: processor time of all, memory of the largest. */
  usage(): Promise<Usage>;
  /** Tells all of them to do something; the first to have done it is enough for `first`. */
  tell(command: string, enough?: 'all' | 'first'): Promise<void>;
  /** Aborted, with the reason, once one of them has failed or ended, or the given signal is. */
  readonly signal: AbortSignal;
  /** Lets them end their work, and waits until they have ended. Idempotent. */
  stop(): Promise<void>;
}

export interface ProcessesToStart<T> {
  /** What each of them runs; it calls `serveParent`. */
  readonly file: URL;
  /** One a process. */
  readonly tasks: readonly T[];
  readonly signal: AbortSignal;
}

/**
 * Starts a process for each task, and waits until all have begun.
 * @throws ProoflineError as the work does that does not begin; PL_PROCESS_ENDED.
 */
export async function startProcesses<T>({
  file,
  tasks,
  signal: given,
}: ProcessesToStart<T>): Promise<MeasuredProcesses> {
  const failed = new AbortController();
  const signal = AbortSignal.any([given, failed.signal]);
  // Every answer that is waited for listens.
  setMaxListeners(0, signal);
  const children = tasks.map(() => startChild(file, (error) => failed.abort(error)));
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
  };
  try {
    await Promise.all(children.map((child, i) => child.ask('begin', tasks[i])));
    signal.throwIfAborted();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    signal,
    stop,
    usage: async () => sumOf((await Promise.all(children.map((child) => child.ask('usage')))) as Usage[]),
    async tell(command, enough = 'all') {
      const told = children.map((child) => child.ask(command));
      await (enough === 'all' ? Promise.all(told) : Promise.race(told));
    },
  };
}

export function sumOf(usages: readonly Usage[]): Usage {
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    residentBytes: Math.max(0, ...usages.map(({ residentBytes }) => residentBytes)),
  };
}

interface Child {
  /** @throws what the work throws; ProoflineError PL_PROCESS_ENDED once it has ended. */
  ask(command: string, task?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How long one that is let go of may take to leave its groups. */
const STOP_MS = 20_000;

function startChild(file: URL, onFailure: (error: unknown) => void): Child {
  // What it prints would be in the middle of the figures.
  const child = fork(fileURLToPath(file), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const asked = new Map<number, Asked>();
  let [ended, stopping, questions]: [ProoflineError | null, boolean, number] = [null, false, 0];
  child.on('message', (reply: Reply) => {
    const error = 'failure' in reply ? (errorFromWire(reply.failure) ?? new Error('it failed')) : null;
    if (reply.id === null) return onFailure(error);
    const question = asked.get(reply.id);
    asked.delete(reply.id);
    if (error !== null) question?.reject(error);
    else question?.resolve('value' in reply ? reply.value : null);
  });
  const gone = goneOf(child).then((how) => {
    ended = new ProoflineError('PL_PROCESS_ENDED', { how });
    for (const question of asked.values()) question.reject(ended);
    if (!stopping) onFailure(ended);
  });
  return {
    async ask(command, task) {
      if (ended !== null) throw ended;
      const question: Question = { id: questions++, command, task };
      return new Promise((resolve, reject) => {
        asked.set(question.id, { resolve, reject });
        child.send(question, (error) => (error === null ? undefined : reject(error)));
      });
    },
    async stop() {
      stopping = true;
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await gone.finally(() => clearTimeout(timer));
    },
  };
}

async function goneOf(child: ChildProcess): Promise<string> {
  try {
    const [code, by] = (await once(child, 'exit')) as [number | null, string | null];
    return by === null ? `with code ${code ?? 'unknown'}` : `by ${by}`;
  } catch (error) {
    return `before it began: ${error instanceof Error ? error.message : String(error)}`;
  }
}
