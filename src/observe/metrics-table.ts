/**
 * The one table of metrics. Registration, docs/metrics.md and a test come from it. Labels take only values from
 * closed lists and small numbers: nothing that a record brings makes a new series.
 */

interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  readonly buckets?: readonly number[];
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const RECORDS = [1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

export const metricTable = {
  proofline_build_info: { type: 'gauge', labels: ['version'], help: 'Always 1; the version that runs.' },
  proofline_ready: { type: 'gauge', labels: [], help: '1 while /readyz answers 200.' },
  proofline_bus_up: {
    type: 'gauge',
    labels: [],
    help: '1 when the bus answered this scrape in time. At 0 there is no lag: an old number would pass for a good one.',
  },
  proofline_ledger_view_up: {
    type: 'gauge',
    labels: [],
    help: '1 when the ledger view answered this scrape in time. At 0 it has no position.',
  },
  proofline_station_lag_records: {
    type: 'gauge',
    labels: ['station', 'topic', 'partition'],
    help: 'Records of the input that the station has not committed. Every process that runs the station tells all partitions: take the max. On Kafka markers of transactions count, so an idle one may show a few.',
  },
  proofline_station_lanes: {
    type: 'gauge',
    labels: ['station'],
    help: 'Partitions that this process works on.',
  },
  proofline_records_in_total: {
    type: 'counter',
    labels: ['station'],
    help: 'Records that the station is done with.',
  },
  proofline_records_out_total: {
    type: 'counter',
    labels: ['station', 'topic'],
    help: 'Records that its committed batches wrote. Those that retrieve writes ahead of a batch are not counted.',
  },
  proofline_batch_records: {
    type: 'histogram',
    labels: ['station'],
    help: 'Records of a committed batch; its count is the number of batches.',
    buckets: RECORDS,
  },
  proofline_stage_seconds: {
    type: 'histogram',
    labels: ['station', 'stage'],
    help: 'How long a batch took to prepare (decode, and all reading and asking), decide (rules and encoding) and commit.',
    buckets: SECONDS,
  },
  proofline_steps_total: {
    type: 'counter',
    labels: ['station', 'outcome'],
    help: 'Atomic steps of batches: committed; or failed, and what became of it shows when the lane has started over.',
  },
  proofline_lanes_started_over_total: {
    type: 'counter',
    labels: ['station', 'code'],
    help: 'Errors that threw a lane away with all that it remembered; it read its committed offsets and began again.',
  },
  proofline_waits_total: {
    type: 'counter',
    labels: ['station', 'code'],
    help: 'Times that a batch was put off: what it needs is not there yet.',
  },
  proofline_waiting_seconds: {
    type: 'gauge',
    labels: ['station', 'partition', 'code'],
    help: 'How long the partition has been waiting; no series while it goes on.',
  },
  proofline_dead_letters_total: {
    type: 'counter',
    labels: ['station', 'code'],
    help: 'Records that were given up, whole, with the reason.',
  },
  proofline_incidents_total: {
    type: 'counter',
    labels: ['station', 'code'],
    help: 'What a person should look into; the log has the first of each kind, every minute.',
  },
  proofline_records_passed_over_total: {
    type: 'counter',
    labels: ['station', 'code'],
    help: 'Records that the station could not work on and that another one gives up.',
  },
  proofline_lookups_total: {
    type: 'counter',
    labels: ['outcome', 'grade'],
    help: 'Lookups that project answered: EVIDENCE_FOUND, NO_EVIDENCE, FAILED, REPEAT, REFUSED or ALREADY_ANSWERED, by the grade of the evidence shown.',
  },
  proofline_lookup_failures_total: {
    type: 'counter',
    labels: ['code'],
    help: 'Lookups that ended FAILED or REFUSED, by the code that the agent was given.',
  },
  proofline_verdicts_total: { type: 'counter', labels: ['status'], help: 'Verdicts of the guard.' },
  proofline_violations_total: {
    type: 'counter',
    labels: ['code'],
    help: 'Violations in those verdicts; of a verdict with more than 1,000 the first 1,000.',
  },
  proofline_decisions_total: {
    type: 'counter',
    labels: ['decision'],
    help: 'What review decided about verdicts.',
  },
  proofline_runs_stopped_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Runs that may ask no more: MAX_LOOKUPS, MAX_TOKENS, NO_GAIN or DEADLINE. A lookup that is refused for it is in proofline_lookup_failures_total.',
  },
  proofline_runs_given_up_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Runs whose deadline passed without an outcome: DEADLINE, or BUDGET where they had been stopped for it.',
  },
  proofline_judgements_total: {
    type: 'counter',
    labels: ['outcome', 'source'],
    help: 'What the judge said of drafts: JUDGED, NO_CLAIMS, ABSTAINED or FAILED; ASKED of the model, remembered (CACHE), or told without it (RULES).',
  },
  proofline_judge_failures_total: {
    type: 'counter',
    labels: ['code'],
    help: 'Judgements that FAILED, by code; PL_JUDGE_BUDGET where the hour’s calls or tokens were spent.',
  },
  proofline_judge_seconds: {
    type: 'histogram',
    labels: [],
    help: 'How long drafts waited for what was asked of the model, with all attempts.',
    buckets: SECONDS,
  },
  proofline_ledger_view_position: {
    type: 'gauge',
    labels: ['partition'],
    help: 'First offset of the ledger that the view has not applied; no series where it has nothing to be believed.',
  },
  proofline_ledger_view_lag_records: {
    type: 'gauge',
    labels: ['partition'],
    help: 'Records of the ledger that the view has not applied. Drafts wait for them.',
  },
  proofline_ledger_taken_back_total: {
    type: 'counter',
    labels: [],
    help: 'Records that would have replaced frozen evidence. Must stay 0: alarm on anything else.',
  },
  proofline_kafka_transactions_total: {
    type: 'counter',
    labels: ['group', 'outcome'],
    help: 'Transactions of lanes on Kafka: committed or aborted.',
  },
  proofline_kafka_fenced_total: {
    type: 'counter',
    labels: ['group'],
    help: 'Lanes that found that somebody else has taken their partition over.',
  },
  proofline_kafka_rejoins_total: {
    type: 'counter',
    labels: ['group'],
    help: 'Times that this process joined the group, the first one included.',
  },
  proofline_http_requests_total: {
    type: 'counter',
    labels: ['route', 'status'],
    help: 'Requests that the gateway answered, by the pattern of the path and the class of the status. Who went away first is not counted.',
  },
  proofline_http_request_seconds: {
    type: 'histogram',
    labels: ['route'],
    help: 'How long those answers took, waiting for the line included; streams of events are left out.',
    buckets: SECONDS,
  },
  proofline_http_refused_total: {
    type: 'counter',
    labels: ['code'],
    help: 'Requests that were not let in, or not now: by token, name, rate, places, or because there is no line.',
  },
  proofline_http_waits: {
    type: 'gauge',
    labels: [],
    help: 'Requests that wait for an answer of the line.',
  },
  proofline_http_readers: { type: 'gauge', labels: [], help: 'Streams of events that are open.' },
  proofline_spans_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Spans that the collector was given (exported) or did not take (failed).',
  },
  process_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Memory of the process.' },
  process_cpu_seconds_total: {
    type: 'counter',
    labels: [],
    help: 'Processor time of the process, user and system.',
  },
  process_start_time_seconds: { type: 'gauge', labels: [], help: 'When the process began, since 1970.' },
  nodejs_heap_used_bytes: { type: 'gauge', labels: [], help: 'Heap in use.' },
  nodejs_eventloop_lag_seconds: {
    type: 'gauge',
    labels: ['stat'],
    help: 'How much later than asked the event loop came round since the last scrape: mean, p99 and max.',
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof metricTable;

type OfType<T extends MetricRow['type']> = {
  [N in MetricName]: (typeof metricTable)[N]['type'] extends T ? N : never;
}[MetricName];

export type CounterName = OfType<'counter'>;
export type GaugeName = OfType<'gauge'>;
export type HistogramName = OfType<'histogram'>;

/** The labels of a metric, each with a value. */
export type LabelsOf<N extends MetricName> = Readonly<
  Record<(typeof metricTable)[N]['labels'][number], string>
>;
