import type { ErrorCode } from '../contracts/errors.js';
import type { Metrics } from './metrics.js';

/** What is counted of a gateway's requests. Never who sent them, of which run, or what. */
export interface GatewayMetrics {
  /** A request that was answered. `seconds` is null where the answer is a stream, which takes as long as its reader. */
  answered(request: {
    readonly route: string;
    readonly status: number;
    readonly seconds: number | null;
  }): void;
  /** A problem that was answered; counted where it says that the gateway lets somebody not in, or not now. */
  refused(code: ErrorCode): void;
  /** Requests that wait for an answer of the line. */
  waits(open: number): void;
  /** Streams of events. */
  readers(open: number): void;
}

/** Codes of a request that was not looked at, whatever it asked. */
const REFUSALS = [
  'PL_UNAUTHENTICATED',
  'PL_FORBIDDEN',
  'PL_HOST_REFUSED',
  'PL_RATE_LIMITED',
  'PL_TOO_MANY_WAITING',
  'PL_OVERLOADED',
  'PL_NOT_SERVING',
] as const satisfies readonly ErrorCode[];

const isRefusal = (code: ErrorCode): boolean => (REFUSALS as readonly ErrorCode[]).includes(code);

export function createGatewayMetrics(metrics: Metrics): GatewayMetrics {
  for (const code of REFUSALS) metrics.count('proofline_http_refused_total', { code }, 0);
  return {
    answered({ route, status, seconds }) {
      metrics.count('proofline_http_requests_total', { route, status: `${Math.floor(status / 100)}xx` });
      if (seconds !== null) metrics.observe('proofline_http_request_seconds', { route }, seconds);
    },
    refused(code) {
      if (isRefusal(code)) metrics.count('proofline_http_refused_total', { code });
    },
    waits: (open) => metrics.set('proofline_http_waits', {}, open),
    readers: (open) => metrics.set('proofline_http_readers', {}, open),
  };
}
