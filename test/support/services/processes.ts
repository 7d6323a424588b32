import { execFile, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';

/** Runs a command to its end; fails with what it printed. */
export function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} failed: ${error.message}\n${stdout}${stderr}`));
    });
  });
}

/** True where the command can be started and says that all is well. */
export function works(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Ports that nobody listens on. They are asked for together, so they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.on('error', reject);
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A service's process group. It ends with this process at the latest, however this process ends. */
export interface ServiceProcess {
  readonly pid: number;
  /** The exit code and the log's end, once it has ended by itself; null while it runs. */
  ended(): string | null;
  /** Sends the signal to the whole group, SIGSTOP and SIGCONT as well. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the group for certain. */
  stop(): Promise<void>;
}

/**
 * The shell keeps the pipe from this process open: when it closes, because this process stopped the service or died,
 * the service is killed.
 */
const KEEPER = `
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
( cat <&3 >/dev/null; kill -KILL $child 2>/dev/null ) &
wait $child
status=$?
kill $! 2>/dev/null
exit $status
`;

/** Starts a service; what it prints goes to the file. */
export function startService(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly log: string },
): ServiceProcess {
  const output = openSync(options.log, 'a');
  const child = spawn('sh', ['-c', KEEPER, 'sh', command, ...args], {
    cwd: options.cwd,
    detached: true,
    stdio: ['pipe', output, output],
  });
  closeSync(output);
  let end: string | null = null;
  const exited = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      end = error.message;
      resolve();
    });
    child.on('exit', (code, signal) => {
      end ??= `it ended with ${code ?? signal ?? 'nothing'}\n${tail(options.log)}`;
      resolve();
    });
  });
  child.stdin?.on('error', () => undefined);
  // A service must not keep a process alive that has nothing else to do.
  child.unref();
  const { pid = 0 } = child;
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (pid === 0 || end !== null) return;
    process.kill(-pid, signal);
  };
  return {
    pid,
    ended: () => end,
    signal: signalGroup,
    async stop() {
      child.ref();
      child.stdin?.destroy();
      signalGroup('SIGKILL');
      await exited;
      // The shell may be gone before the service is, which still holds its port.
      while (groupExists(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

function groupExists(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

const TAIL = 4000;

export function tail(file: string): string {
  return readFileSync(file, 'utf8').slice(-TAIL);
}

/** Resolves once something listens on the port; fails when the service ends first, or takes too long. */
export async function whenListening(
  service: ServiceProcess,
  port: number,
  log: string,
  deadlineMs: number,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await listens(port))) {
    const end = service.ended();
    if (end !== null) throw new Error(`the service did not start: ${end}`);
    if (performance.now() > deadline)
      throw new Error(`nothing listens on ${port} after ${deadlineMs} ms\n${tail(log)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => done(true));
    socket.on('error', () => done(false));
  });
}
