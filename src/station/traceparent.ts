/** The header that carries the trace of a record: W3C Trace Context. */
export const TRACEPARENT = 'traceparent';

export interface TraceParent {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** Id of the span that the record follows from: 16 hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** One byte; its lowest bit says that the trace is kept. */
  readonly flags: number;
}

const LENGTH = 55;
/** Not version ff, and neither trace nor parent all zeros. */
const SHAPE = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Headers come from anybody: what is not exactly a traceparent is nobody's, and is not passed on. */
export function isTraceparent(text: string | undefined): text is string {
  return text?.length === LENGTH && SHAPE.test(text);
}

/** Null where it is none. */
export function parseTraceparent(text: string | undefined): TraceParent | null {
  if (!isTraceparent(text)) return null;
  const [, traceId = '', spanId = '', flags = ''] = text.split('-');
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}
