import type { ChatJudgeSettings } from './chat/settings.js';

/** The judge of a process, as it is configured. */
export interface JudgeAccess extends Pick<
  ChatJudgeSettings,
  'url' | 'model' | 'key' | 'timeoutMs' | 'callsPerHour' | 'tokensPerHour'
> {
  /** Questions that are asked at a time. */
  readonly concurrency: number;
  /** Answers that are remembered. */
  readonly cacheEntries: number;
}

export const judgeAccessDefaults = Object.freeze({ concurrency: 8, cacheEntries: 1_000 });
