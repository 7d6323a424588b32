import { existsSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import { isProoflineError } from '../../contracts/errors.js';
import { failure, looking, warning, type Check } from '../../doctor/check.js';
import { checkHttpPort } from '../../doctor/http-port.js';
import { lookAtLine } from '../../doctor/kafka-line.js';
import { dataFolder } from '../../line/data-folder.js';
import { kafkaServices } from '../../line/kafka-services.js';
import { checkSearch } from './search.js';

/** Looks at all that a line in Kafka needs, and at what a process of `up` would need on this machine. */
export async function examineKafka(config: Config): Promise<readonly Check[]> {
  const found = await Promise.all([
    lookAtLine(config, 'all'),
    looking('http', () => checkHttpPort(config.http)),
    looking('search', () => searchChecks(config)),
  ]);
  return [...addressChecks(config), ...found.flat()];
}

/** The addresses that are not set, each a finding. */
function addressChecks(config: Config): readonly Check[] {
  try {
    kafkaServices(config);
    return [];
  } catch (error) {
    if (!isProoflineError(error, 'PL_CONFIG_INVALID')) throw error;
    const problems = String(error.params['problems']).trim().split('\n');
    return problems.map((problem) => failure('config', problem.trim(), 'Set it; `proofline up` needs it.'));
  }
}

/** An index lies on the machine of the processes that look things up, which need not be this one. */
function searchChecks(config: Config): Promise<readonly Check[]> | Check {
  const paths = dataFolder(config.data);
  if (config.pyRag !== null || existsSync(paths.index)) return checkSearch(config, paths);
  return warning(
    'index',
    'nothing is indexed on this machine, so retrieve cannot run on it',
    'Index a folder with `proofline index DIR` or `proofline up --docs DIR`, or set PROOFLINE_PYRAG_URL.',
  );
}
