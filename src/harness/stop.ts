import type { Gain } from '../contracts/generated.js';
import type { RunLimits } from './limits.js';
import type { RunProgress } from './run-progress.js';

/** Why a run may ask no more. Its budget: lookups and tokens. */
export type StopReason = 'MAX_LOOKUPS' | 'MAX_TOKENS' | 'NO_GAIN' | 'DEADLINE';

/** The progress, stopped where the run's limits ask for it. Who was stopped stays stopped, for the first reason. */
export function stopped(progress: RunProgress, limits: RunLimits, since: number): RunProgress {
  if (progress.stopRequired !== null) return progress;
  const reason = reasonToStop(progress, limits);
  return reason === null ? progress : { ...progress, stopRequired: { reason, since } };
}

function reasonToStop(progress: RunProgress, { noGainInARow }: RunLimits): StopReason | null {
  const { lookups, tokens, maxLookups, maxTokens, gainHistory } = progress;
  if (maxLookups !== null && lookups >= maxLookups) return 'MAX_LOOKUPS';
  if (maxTokens !== null && tokens >= maxTokens) return 'MAX_TOKENS';
  return withoutGain(gainHistory) >= noGainInARow ? 'NO_GAIN' : null;
}

/** Answers at the end that brought nothing new. */
function withoutGain(history: readonly Gain[]): number {
  return history.length - 1 - history.lastIndexOf('NEW');
}

/** Whether the run was stopped because it had spent what it may. */
export function isOverBudget({ stopRequired }: RunProgress): boolean {
  const reason = stopRequired?.reason;
  return reason === ('MAX_LOOKUPS' satisfies StopReason) || reason === ('MAX_TOKENS' satisfies StopReason);
}
