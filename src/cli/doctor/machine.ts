import { existsSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readConfig, type Config } from '../../config/config.js';
import { isProoflineError } from '../../contracts/errors.js';
import type { CliIo } from '../io.js';
import { failure, ok, warning, type Check } from '../../doctor/check.js';

/** What the machine gives: Node, configuration, the data folder, its disk. */

const OLDEST_NODE = [20, 19] as const;

export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor, oldMinor] = OLDEST_NODE;
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return ok('node', `version ${version}`);
  return failure(
    'node',
    `version ${version} is too old`,
    `Install Node.js ${oldMajor}.${oldMinor} or later.`,
  );
}

/** The configuration, null where it cannot be used, and what there is to say about it. */
export function checkConfig(io: CliIo, data: string): { config: Config | null; checks: readonly Check[] } {
  try {
    const { config, warnings } = readConfig(io.env, { data });
    if (warnings.length === 0)
      return { config, checks: [ok('config', 'every PROOFLINE_ variable is in order')] };
    const fix = 'docs/configuration.md lists the variables.';
    return { config, checks: warnings.map((each) => warning('config', each, fix)) };
  } catch (error) {
    if (!isProoflineError(error, 'PL_CONFIG_INVALID')) throw error;
    const problems = String(error.params['problems']).trim().split('\n');
    const fix = 'Set it right; nothing is started until then.';
    return { config: null, checks: problems.map((problem) => failure('config', problem.trim(), fix)) };
  }
}

/** Whether there is a data folder that can be used; `found` is false where there is none yet. */
export async function checkFolder(folder: string): Promise<{ found: boolean; check: Check }> {
  const found = await stat(folder).catch(() => null);
  if (found === null) {
    const fix = '`proofline dev` or `proofline index DIR` makes it.';
    return { found: false, check: warning('data', `${folder} is not there yet`, fix) };
  }
  if (!found.isDirectory())
    return {
      found: false,
      check: failure('data', `${folder} is no folder`, 'Name another one with --data.'),
    };
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return { found: true, check: ok('data', `${folder}, you may write there`) };
  } catch {
    const fix = `Give yourself the folder: chown or chmod ${folder}.`;
    return { found: true, check: failure('data', `you may not write to ${folder}`, fix) };
  }
}

const MIB = 1024 * 1024;
const TOO_LITTLE = 100 * MIB;
const LITTLE = 1024 * MIB;

/** Of a folder that is not there yet, the disk that it would be made on. */
export async function checkDisk(folder: string): Promise<Check> {
  let place = folder;
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const finding = `${free >= 10 * LITTLE ? `${Math.round(free / LITTLE)} GiB` : `${Math.round(free / MIB)} MiB`} are free`;
  const fix = 'Make room: a full disk makes the line wait.';
  if (free < TOO_LITTLE) return failure('disk', finding, fix);
  return free < LITTLE ? warning('disk', finding, fix) : ok('disk', finding);
}
