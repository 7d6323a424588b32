import { existsSync } from 'node:fs';
import { looking, type Check } from '../../doctor/check.js';
import { checkKeys } from '../../doctor/keys.js';
import { dataFolder } from '../../line/data-folder.js';
import type { CliIo } from '../io.js';
import { checkClock, checkRunning, checkStorage, checkWaiting, runningLine } from './line-checks.js';
import { checkConfig, checkDisk, checkFolder, checkNode } from './machine.js';
import { checkSearch } from './search.js';

/** Looks at everything that a line needs, and changes nothing. What depends on something broken is left out. */
export async function examine(io: CliIo, data: string, now: number): Promise<readonly Check[]> {
  const checks: Check[] = [checkNode()];
  const { config, checks: ofConfig } = checkConfig(io, data);
  checks.push(...ofConfig);
  if (config === null) return checks;
  if (config.kafka !== null) {
    const { examineKafka } = await import('./kafka.js');
    return [...checks, ...(await examineKafka(config))];
  }
  const folder = await checkFolder(config.data);
  checks.push(folder.check);
  if (folder.check.status !== 'fail') checks.push(...(await looking('disk', () => checkDisk(config.data))));
  const paths = dataFolder(config.data);
  if (folder.found && existsSync(paths.bus) && folder.check.status === 'ok') {
    const health = await runningLine(config.data).catch(() => null);
    const line = await looking('line', () => checkRunning(paths, health));
    const taken = line.some(({ status }) => status === 'fail');
    checks.push(
      ...line,
      ...(taken ? [] : await looking('storage', () => checkStorage(paths, health))),
      ...(await looking('work', () => checkWaiting(paths, health))),
      ...(await looking('clock', () => checkClock(paths, now))),
      ...(await looking('keys', () => checkKeys(config.keys ?? paths.keys, { madeByLine: true }))),
    );
  }
  if (folder.found || config.pyRag !== null)
    checks.push(...(await looking('search', () => checkSearch(config, paths))));
  return checks;
}
