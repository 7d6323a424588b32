import { createLog, type Log } from '../../observe/log.js';
import type { CliIo } from '../io.js';

/** The log of a line that runs in a terminal, on standard error: what goes wrong, and requests where more is asked for. */
export function createLineLog(io: CliIo, level: string): Log {
  const log = createLog(level, (text) => io.err(text));
  const nothing = (): void => undefined;
  return {
    ...log,
    request: level === 'debug' || level === 'trace' ? (line) => log.request(line) : nothing,
    // The page that `dev` prints says all that, and what waits is told as an incident.
    openGateway: nothing,
    lanes: nothing,
    started: nothing,
    ready: nothing,
    notReady: nothing,
    listening: nothing,
    draining: nothing,
    stopped: nothing,
  };
}
