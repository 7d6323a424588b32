import type { Config } from '../config/config.js';
import { ProoflineError } from '../contracts/errors.js';
import type { Check } from './check.js';
import { lookAtLine } from './kafka-line.js';

/**
 * Lets a process of `up` begin only where nothing is in its way that a person must put right. What is merely down
 * rejects with its own retryable error: the caller waits and asks again. An audit that is down keeps no station from
 * its work.
 * @throws ProoflineError PL_UP_REFUSED listing everything that is wrong; PL_BUS_DOWN, PL_VIEW_DOWN, PL_REGISTRY_DOWN.
 */
export async function assertMayStart(config: Config): Promise<void> {
  judge(await lookAtLine(config, 'start'));
}

/** @throws as `assertMayStart`. */
export function judge(checks: readonly Check[]): void {
  const failed = checks.filter(({ status }) => status === 'fail');
  const wrong = failed.filter(({ down }) => down === undefined);
  if (wrong.length > 0) throw new ProoflineError('PL_UP_REFUSED', { problems: wrong.map(toLines).join('') });
  const waitedFor = failed.find(({ name }) => name !== 'audit');
  if (waitedFor?.down !== undefined) throw waitedFor.down;
}

function toLines({ name, finding, fix }: Check): string {
  return `\n  ${name}: ${finding}\n    → ${fix ?? ''}`;
}
