import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { anyAlive, processTree, sendSignal } from './process-tree.js';
import type { ProcessUser } from './processes.js';

/** A service's process group. It ends with this process at the latest, however this process ends. */
export interface ServiceProcess {
  readonly pid: number;
  /** The exit code and the log's end, once it has ended by itself; null while it runs. */
  ended(): string | null;
  /** Sends the signal to the service; SIGSTOP, SIGCONT and SIGKILL to its children too. */
  signal(signal: NodeJS.Signals): void;
  /** Ends all of it for certain. */
  stop(): Promise<void>;
}

/**
 * The shell keeps the pipe from this process open: when it closes, because this process stopped the service or died,
 * the service is killed. Never paused itself, it does so for a paused service as well.
 */
const KEEPER = `
exec 3<&0
pid=$1
shift
"$@" </dev/null 3<&- &
child=$!
echo $child >"$pid"
( cat <&3 >/dev/null; pkill -KILL -P $child 2>/dev/null; kill -KILL $child 2>/dev/null ) &
wait $child
status=$?
kill $! 2>/dev/null
exit $status
`;

export interface ServiceCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The file that gets what it prints. Beside it lies a file with its process id. */
  readonly log: string;
  readonly user?: ProcessUser;
  readonly env?: NodeJS.ProcessEnv;
}

export function startService({ command, args, cwd, log, user, env }: ServiceCommand): ServiceProcess {
  const pidFile = `${log}.pid`;
  rmSync(pidFile, { force: true });
  const output = openSync(log, 'a');
  const child = spawn('sh', ['-c', KEEPER, 'sh', pidFile, command, ...args], {
    cwd,
    detached: true,
    stdio: ['pipe', output, output],
    env: { ...process.env, ...env },
    ...user,
  });
  closeSync(output);
  let end: string | null = null;
  const exited = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      end = error.message;
      resolve();
    });
    child.on('exit', (code, signal) => {
      end ??= `it ended with ${code ?? signal ?? 'nothing'}\n${tail(log)}`;
      resolve();
    });
  });
  child.stdin?.on('error', () => undefined);
  // A service must not keep a process alive that has nothing else to do.
  child.unref();
  const { pid = 0 } = child;
  const tree = (): number[] => {
    const service = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
    return service === 0 ? [] : processTree(service);
  };
  return {
    pid,
    ended: () => end,
    signal(signal) {
      if (end !== null) return;
      const [service, ...children] = tree();
      if (service === undefined) return;
      sendSignal(service, signal);
      // With their parent paused no further ones appear.
      if (TO_ALL.includes(signal))
        for (const each of new Set([...children, ...tree()])) sendSignal(each, signal);
    },
    async stop() {
      if (pid === 0) return;
      const all = end === null ? tree() : [];
      child.ref();
      child.stdin?.destroy();
      // The shell ends with the service, which it waits for: killed first, it would leave a zombie behind.
      for (const each of all.length > 0 ? all : [-pid]) sendSignal(each, 'SIGKILL');
      await exited;
      // A child that is still there would keep the service from starting again.
      while (anyAlive(all)) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

const TO_ALL: readonly NodeJS.Signals[] = ['SIGSTOP', 'SIGCONT', 'SIGKILL'];

const TAIL = 4000;

export function tail(file: string): string {
  // Whoever removed its folder has ended the service as well.
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-TAIL) : '';
}

/** Resolves once the service answers; fails when it ends first, or takes too long. */
export async function whenReady(
  service: ServiceProcess,
  ready: () => Promise<boolean>,
  log: string,
  deadlineMs: number,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await ready())) {
    const end = service.ended();
    if (end !== null) throw new Error(`the service did not start: ${end}`);
    if (performance.now() > deadline)
      throw new Error(`the service does not answer after ${deadlineMs} ms\n${tail(log)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
