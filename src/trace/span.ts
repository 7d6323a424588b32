/** A span of a run's trace, before it has the form of any protocol. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

export interface TraceSpan {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Null of the run's own span. */
  readonly parentSpanId: string | null;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly attributes: Attributes;
  /** At the end of the span. */
  readonly events: readonly SpanEvent[];
  readonly failed: boolean;
}

/** The fields that are there: a convention names what is known and leaves out what is not. */
export function known(fields: Readonly<Record<string, AttributeValue | null>>): Attributes {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, AttributeValue] => field[1] !== null),
  );
}
