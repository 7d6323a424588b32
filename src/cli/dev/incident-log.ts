import type { Line } from '../../line/embedded-line.js';
import { createLog } from '../../observe/log.js';
import type { Incident } from '../../station/lane-environment.js';
import type { CliIo } from '../io.js';

/** The log of a line that runs in a terminal, on standard error. */
export interface LineLog {
  incident(incident: Incident, line: Line): void;
  fatal(error: unknown): void;
}

export function createLineLog(io: CliIo, level: string): LineLog {
  const log = createLog(level, (text) => io.err(text));
  return {
    incident: (incident, line) => log.incident(incident, line.bus),
    fatal: (error) => log.fatal(error),
  };
}
