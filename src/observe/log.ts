import pino from 'pino';
import type { BusReader } from '../bus/bus.js';
import { errorMessage, errorTable, isProoflineError, type ErrorCode } from '../contracts/errors.js';
import type { Incident } from '../station/lane-environment.js';
import { errorTraits } from './error-traits.js';
import type { LaneChange } from './lanes.js';
import type { Reason } from './readiness.js';
import { incidentIds } from './record-ids.js';
import { createRepeatLimit } from './repeats.js';

/**
 * The log of a running line: one JSON object a line. Each kind of line has its own fields, and nothing else can get
 * into it: ids, places and codes, never text of evidence, of queries or of drafts, and no secrets.
 */
export interface Log {
  /** Names run and event where the bus has the record. What is alike is told a few times a minute, then counted. */
  incident(incident: Incident, bus: Pick<BusReader, 'read'> | null): void;
  lanes(change: LaneChange): void;
  started(fields: { readonly version: string; readonly partitions: number }): void;
  ready(): void;
  notReady(reasons: readonly Reason[]): void;
  listening(url: string): void;
  draining(): void;
  stopped(): void;
  fatal(error: unknown): void;
  /** The gateway lets everybody in. */
  openGateway(): void;
  /** A request that the gateway answered. */
  request(line: RequestLine): void;
  /** What the gateway could not do, with the kind of what caused it. */
  requestFailed(fields: { readonly code: ErrorCode; readonly message: string }, cause: unknown): void;
}

/** Never what was sent, what was answered, or a token. */
export interface RequestLine {
  readonly method: string;
  /** The pattern of the path. */
  readonly route: string | null;
  readonly run_id: string | null;
  readonly status: number;
  readonly ms: number;
  /** Id of the token. */
  readonly token: string | null;
}

const BURST = 5;
const WINDOW_MS = 60_000;
const MAX_REASONS = 10;

/** @param write given whole lines; standard error without it */
export function createLog(
  level: string,
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const log = pino({ name: 'proofline', level }, { write });
  const limit = createRepeatLimit({ burst: BURST, windowMs: WINDOW_MS, now: () => performance.now() });
  return {
    incident(incident, bus) {
      const { station, code, record } = incident;
      const repeated = limit.admit(`${station} ${code}`);
      if (repeated === null) return;
      void incidentIds(incident, bus).then((ids) => {
        const traits = errorTraits(incident.cause);
        const count = repeated === 0 ? {} : { left_out: repeated };
        log.warn(
          { station, code, ...record, ...ids, ...traits, ...count, solve: errorTable[code].solve },
          messageOf(incident),
        );
      });
    },
    lanes({ station, gained, lost }) {
      if (gained.length > 0) log.info({ station, partitions: gained }, 'partitions gained');
      if (lost.length > 0) log.info({ station, partitions: lost }, 'partitions lost');
    },
    started: ({ version, partitions }) => log.info({ version, partitions }, 'started'),
    ready: () => log.info('ready'),
    notReady: (reasons) =>
      log.warn({ reasons: reasons.slice(0, MAX_REASONS).map(namesOf), count: reasons.length }, 'not ready'),
    listening: (url) => log.info({ url }, 'listening'),
    draining: () => log.info('draining'),
    stopped() {
      for (const [kind, count] of limit.leftOut()) {
        const [station, code] = kind.split(' ');
        log.warn({ station, code, left_out: count }, 'more of the same');
      }
      log.info('stopped');
    },
    openGateway: () =>
      log.warn(
        { station: 'gateway' },
        'no tokens are asked for: every program on this machine may use the gateway (PROOFLINE_GATEWAY_TOKENS)',
      ),
    request: (line) => log.info(line, 'request'),
    requestFailed(fields, cause) {
      const repeated = limit.admit(`gateway ${fields.code}`);
      if (repeated === null) return;
      const count = repeated === 0 ? {} : { left_out: repeated };
      const { code, message } = fields;
      log.warn(
        { station: 'gateway', code, ...errorTraits(cause), ...count, solve: errorTable[code].solve },
        message,
      );
    },
    fatal: (error) => log.fatal(errorTraits(error), 'the disk can no longer be believed, the process ends'),
  };
}

/** The message may quote what a dependency said. */
function namesOf({ station, partition, code, since }: Reason): object {
  return { station, partition, code, since };
}

/** An error that nobody foresaw may repeat what it was working on: only its kind is told. */
function messageOf({ code, params, cause }: Incident): string {
  const foreseen = code !== 'PL_INVARIANT' && (cause === undefined || isProoflineError(cause));
  if (foreseen) return errorMessage(code, params);
  const problem = cause === undefined ? 'see the dead letter' : (errorTraits(cause).error ?? '');
  return errorMessage(code, { ...params, problem });
}
