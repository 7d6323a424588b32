import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { endChildren, startChild } from '../support/child.js';
import { anyAlive, processTree } from '../support/services/process-tree.js';
import { startService, whenReady, type ServiceProcess } from '../support/services/service-process.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(endChildren);
afterAll(removeTempFolders);

/** A service that has a child in a session of its own, as PostgreSQL's are. */
const WITH_CHILD = 'setsid sleep 600 & sleep 600';

function start(script: string): { service: ServiceProcess; log: string } {
  const folder = tempFolder();
  const log = join(folder, 'service.log');
  return { service: startService({ command: 'sh', args: ['-c', script], cwd: folder, log }), log };
}

describe('a service that runs as a process', () => {
  test.each([null, 'SIGSTOP'] as const)('given %s, stopping it ends all of its processes', async (signal) => {
    const { service, log } = start(WITH_CHILD);
    const tree = await waitUntil('its children run', () => {
      const pid = existsSync(`${log}.pid`) ? Number(readFileSync(`${log}.pid`, 'utf8')) : 0;
      const pids = pid === 0 ? [] : processTree(pid);
      return pids.length === 3 ? pids : null;
    });
    if (signal !== null) service.signal(signal);
    await service.stop();
    expect(anyAlive(tree)).toBe(false);
    await service.stop();
  });

  test.each([[], ['SIGSTOP']])(
    'given that the process that started it is killed (%s), it ends as well',
    async (...signals: string[]) => {
      const child = startChild('services-child.ts', [tempFolder(), ...signals]);
      const pids = (await child.line('started')).split(' ').slice(1).map(Number);
      expect(anyAlive(pids)).toBe(true);
      child.kill('SIGKILL');
      await child.exited;
      await waitUntil('all have ended', () => !anyAlive(pids));
    },
  );

  test('given that it ends before it answers, waiting fails with what it printed', async () => {
    const { service, log } = start('echo cannot; exit 7');
    const never = (): Promise<boolean> => Promise.resolve(false);
    await expect(whenReady(service, never, log, 10_000)).rejects.toThrow(/it ended with 7\ncannot/);
    await service.stop();
  });

  test('given that it does not answer in time, waiting fails', async () => {
    const { service, log } = start('sleep 600');
    const never = (): Promise<boolean> => Promise.resolve(false);
    await expect(whenReady(service, never, log, 50)).rejects.toThrow('does not answer after 50 ms');
    await service.stop();
  });

  test('given a command that is not there, waiting says so', async () => {
    const folder = tempFolder();
    const log = join(folder, 'service.log');
    const service = startService({ command: 'no-such-program', args: [], cwd: folder, log });
    const never = (): Promise<boolean> => Promise.resolve(false);
    await expect(whenReady(service, never, log, 10_000)).rejects.toThrow('it ended with 127');
    await service.stop();
  });
});
