import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessUser } from './processes.js';
import { startService, whenReady, type ServiceProcess } from './service-process.js';
import type { Service } from './service.js';

const START_MS = 100_000;

export interface LocalServiceOptions {
  /** Names its folder and its log. */
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly user?: ProcessUser;
  /** True once it answers. */
  readonly ready: () => Promise<boolean>;
}

/** A new folder for a service, of its user. */
export function serviceFolder(name: string, user?: ProcessUser): string {
  const folder = mkdtempSync(join(tmpdir(), `proofline-${name}-`));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Removes a service's folder, or all of it but its logs and its configuration, and says where they are. */
export function removeFolder(folder: string, keepLogs: boolean): void {
  if (!keepLogs) {
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  for (const file of readdirSync(folder))
    if (!/\.(log|properties)$/.test(file)) rmSync(join(folder, file), { recursive: true, force: true });
  process.stderr.write(`logs are kept in ${folder}\n`);
}

/** Starts a service as a process of this machine; ready when this resolves. It ends with this process. */
export async function startLocalService(options: LocalServiceOptions): Promise<Service> {
  const { port, folder } = options;
  let running = await start(options).catch((error: unknown) => {
    removeFolder(folder, true);
    throw error;
  });
  return {
    host: '127.0.0.1',
    port,
    folder,
    kill: () => running.stop(),
    async restart() {
      await running.stop();
      running = await start(options);
    },
    signal(signal) {
      running.signal(signal);
      return Promise.resolve();
    },
    async stop({ keepLogs = false } = {}) {
      await running.stop();
      removeFolder(folder, keepLogs);
    },
  };
}

async function start(options: LocalServiceOptions): Promise<ServiceProcess> {
  const { name, folder, command, args, cwd = folder, ready } = options;
  const log = join(folder, `${name}.log`);
  const { env = {}, user } = options;
  const running = startService({ command, args, cwd, log, env, ...(user === undefined ? {} : { user }) });
  try {
    await whenReady(running, ready, log, START_MS);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}
