/** How long answers took, apart for those that something happened to meanwhile. */
export interface Latencies {
  readonly calm: Latency;
  readonly disturbed: Latency;
}

export interface Latency {
  readonly count: number;
  /** Milliseconds; null of none. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly most: number | null;
}

/** From when it was due to be asked until it was answered; milliseconds of one clock. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A line needs some time to come back; what is asked in it is not calm yet. */
const SETTLING_MS = 5000;

export function latenciesOf(answered: readonly Span[], events: readonly Span[]): Latencies {
  const isDisturbed = ({ from, to }: Span): boolean =>
    events.some((event) => from < event.to + SETTLING_MS && to > event.from);
  return {
    calm: latencyOf(answered.filter((span) => !isDisturbed(span))),
    disturbed: latencyOf(answered.filter(isDisturbed)),
  };
}

function latencyOf(spans: readonly Span[]): Latency {
  const sorted = spans.map(({ from, to }) => Math.round(to - from)).toSorted((a, b) => a - b);
  const at = (share: number): number | null => sorted[Math.floor(share * (sorted.length - 1))] ?? null;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}
