import { setTimeout as pause } from 'node:timers/promises';
import { isProoflineError } from '../contracts/errors.js';
import type { LineClient } from './line-client.js';
import { openLocalLine, type LocalLineOptions } from './local-line.js';
import { connectSocket } from './socket-client.js';

export interface ConnectOptions extends LocalLineOptions {
  /** How long another command that has the folder is waited for, milliseconds. */
  readonly lockWaitMs?: number;
}

const LOCK_WAIT_MS = 3000;
const LOOK_MS = 50;

/**
 * The line of the data folder: the running one, else one in this process for as long as the command takes. Commands
 * that find the folder taken by another short one wait for it.
 * @throws ProoflineError as `openLocalLine` does.
 */
export async function connectLine(options: ConnectOptions): Promise<LineClient> {
  const end = performance.now() + (options.lockWaitMs ?? LOCK_WAIT_MS);
  for (;;) {
    const running = await connectSocket(options.config.data);
    if (running !== null) return running;
    try {
      return await openLocalLine(options);
    } catch (error) {
      if (!isProoflineError(error, 'PL_DATA_FOLDER_LOCKED') || performance.now() >= end) throw error;
    }
    await pause(LOOK_MS);
  }
}
