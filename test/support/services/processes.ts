import { execFile, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';

/** As whom a process runs; as this process, when absent. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** Runs a command to its end; fails with what it printed. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly user?: ProcessUser; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { user, ...rest } = options;
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 16 * 1024 * 1024, ...rest, ...user }, (error, stdout, stderr) => {
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
