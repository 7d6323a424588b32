import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { waitUntil } from './wait.js';

/** `proofline up --stations gateway`, in a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const STARTED_MS = 60_000;
const running = new Set<GatewayProcess>();

export async function startGateway(env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const argv = ['--import', 'tsx', 'src/cli/main.ts', '--json', 'up', '--stations', 'gateway'];
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { ...process.env, PROOFLINE_HTTP_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let address: string | null = null;
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    address = (JSON.parse(line) as { readonly address: string }).address;
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code));
  });
  let ended = false;
  void exited.then(() => (ended = true));
  const url = await waitUntil(
    'the gateway listens',
    () => {
      if (ended) throw new Error(`it ended: ${log}`);
      return address;
    },
    STARTED_MS,
  );
  const started: GatewayProcess = { url, exited, kill: (signal) => void child.kill(signal) };
  running.add(started);
  void exited.then(() => running.delete(started));
  return started;
}

/** For `afterEach`. */
export async function endGateways(): Promise<void> {
  const left = [...running];
  for (const each of left) each.kill('SIGKILL');
  await Promise.all(left.map(({ exited }) => exited));
}
