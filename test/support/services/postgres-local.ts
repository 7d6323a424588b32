import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { cacheMissing, mavenUnpacked } from './cache.js';
import { serviceFolder, startLocalService } from './local-service.js';
import { postgresAnswers } from './postgres-answers.js';
import { postgresArguments, postgresUrl, type PostgresServiceOptions } from './postgres-config.js';
import { freePorts, run, works, type ProcessUser } from './processes.js';
import type { Service } from './service.js';

const VERSION = '16.4.0';
const NAME = `postgres-${VERSION}`;
const SYSTEM = `${platform()}-${arch() === 'x64' ? 'amd64' : 'arm64v8'}`;
const JAR = `io.zonky.test.postgres:embedded-postgres-binaries-${SYSTEM}:${VERSION}`;

export async function postgresMissingLocally(): Promise<string | null> {
  return onPath() ? null : cacheMissing(NAME, unpack);
}

export async function startPostgresLocally(options: PostgresServiceOptions): Promise<Service> {
  const user = unprivileged();
  const as = user === undefined ? {} : { user };
  const folder = serviceFolder('postgres', user);
  const bin = await binaries(folder, user);
  const data = join(folder, 'data');
  await initialize(join(bin, 'initdb'), folder, data, user);
  const [port = 0] = await freePorts(1);
  const settings = postgresArguments({
    listen_addresses: '127.0.0.1',
    port: String(port),
    ...options.config,
  });
  const start = { name: 'postgres', port, folder, command: join(bin, 'postgres'), ...as };
  return startLocalService({
    ...start,
    args: ['-D', data, '-k', folder, ...settings],
    ready: () => postgresAnswers(postgresUrl('127.0.0.1', port)),
  });
}

async function initialize(
  initdb: string,
  folder: string,
  data: string,
  user: ProcessUser | undefined,
): Promise<void> {
  const password = join(folder, 'password');
  writeFileSync(password, 'proofline\n');
  if (user !== undefined) chownSync(password, user.uid, user.gid);
  const as = { cwd: folder, ...(user === undefined ? {} : { user }) };
  const auth = ['-U', 'proofline', '--pwfile', password, '--auth=scram-sha-256'];
  await run(initdb, ['-D', data, '-N', '--encoding=UTF8', '--locale=C', ...auth], as);
  const single = ['--single', '-D', data, 'postgres'];
  await run(
    'sh',
    ['-c', 'echo "create database proofline" | "$@"', 'sh', join(initdb, '..', 'postgres'), ...single],
    as,
  );
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): ProcessUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

function onPath(): boolean {
  return works('initdb', ['--version']) && works('postgres', ['--version']);
}

/** The folder of its programs. A user other than ours may not read our cache, so that one gets a copy. */
async function binaries(folder: string, user: ProcessUser | undefined): Promise<string> {
  if (onPath()) {
    const { stdout } = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' });
    return join(stdout.trim(), '..');
  }
  const unpacked = await unpack();
  if (user === undefined) return join(unpacked, 'bin');
  cpSync(unpacked, join(folder, 'program'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'program', 'bin');
}

function unpack(): Promise<string> {
  return mavenUnpacked(NAME, JAR, async (folder) => {
    await run('sh', ['-c', 'tar -xJf postgres-*.txz && rm -f postgres-*.txz'], { cwd: folder });
  });
}
