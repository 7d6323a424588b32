import pino from 'pino';
import { errorMessage, errorTable } from '../../contracts/errors.js';
import type { Line } from '../../line/embedded-line.js';
import type { Incident } from '../../station/lane-environment.js';
import type { CliIo } from '../io.js';

/**
 * The log of a running line: one JSON object a line, on standard error. It names runs and events by their ids; text
 * of evidence, of queries or of drafts never gets into it.
 */
export interface LineLog {
  incident(incident: Incident, line: Line): void;
  fatal(error: unknown): void;
}

export function createLineLog(io: CliIo, level: string): LineLog {
  const log = pino({ name: 'proofline', level }, { write: (text) => io.err(text) });
  return {
    incident(incident, line) {
      const { station, code, record } = incident;
      void idsOf(incident, line).then((ids) =>
        log.warn({ station, code, ...record, ...ids, solve: errorTable[code].solve }, messageOf(incident)),
      );
    },
    fatal: (error) =>
      log.fatal({ err: nameOf(error) }, 'the disk can no longer be believed, the process ends'),
  };
}

/** The error that broke a rule may repeat what it was working on: only its kind is told. */
function messageOf({ code, params, cause }: Incident): string {
  return errorMessage(code, code === 'PL_INVARIANT' ? { problem: nameOf(cause) } : params);
}

function nameOf(error: unknown): string {
  if (error === undefined) return 'see the dead letter';
  return error instanceof Error ? error.name : typeof error;
}

interface Ids {
  readonly run_id?: string;
  readonly event_id?: string;
}

/** Of the record that the incident is about: its key and its header hold them. */
async function idsOf({ record }: Incident, { bus }: Line): Promise<Ids> {
  if (record === undefined) return {};
  try {
    const [stored] = await bus.read(record.topic, record.partition, record.offset, 1);
    if (stored?.offset !== record.offset) return {};
    const key = stored.key?.toString('utf8').slice(0, MAX_ID).toWellFormed() ?? '';
    const { ce_id: eventId = '' } = stored.headers;
    // A ledger entry's key has the call behind the run.
    return { run_id: key.split('/')[0] ?? '', event_id: eventId.slice(0, MAX_ID) };
  } catch {
    // The line is being stopped: what happened is worth more than where.
    return {};
  }
}

const MAX_ID = 260;
