import type { JudgeAccess } from './access.js';
import { cachedJudge } from './cached.js';
import { createChatJudge } from './chat/chat-judge.js';
import type { Judge } from './judge.js';
import { limitedJudge } from './limited.js';

/**
 * The judge that a process asks: what was asked before is not asked again, and not too much at a time.
 * @throws ProoflineError PL_CONFIG_INVALID when the address, the key or the model cannot be used.
 */
export function openJudge({ concurrency, cacheEntries, ...settings }: JudgeAccess): Judge {
  return cachedJudge(limitedJudge(createChatJudge(settings), concurrency), cacheEntries);
}
