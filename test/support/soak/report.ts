import type { DoneEvent } from './chaos.js';
import type { FinalCheck } from './final-check.js';
import type { Life } from './fleet.js';
import type { Latencies, Latency } from './latencies.js';
import type { LoadCounts } from './load.js';
import type { SoakOptions } from './options.js';
import { clock, megabytes } from './progress.js';

export interface SoakReport extends Pick<FinalCheck, 'counts' | 'verdicts' | 'audited' | 'compared'> {
  readonly options: SoakOptions;
  /** Empty when all is well. */
  readonly findings: readonly string[];
  readonly load: LoadCounts;
  /** Questions asked once more, by the code that said so. */
  readonly retriedFor: Readonly<Record<string, number>>;
  readonly lookups: Latencies;
  readonly drafts: Latencies;
  /** Begin and end in milliseconds after the load began. */
  readonly chaos: readonly DoneEvent[];
  readonly drainMs: number;
  readonly restarts: number;
  readonly fences: number;
  readonly incidents: Readonly<Record<string, number>>;
  readonly lives: readonly Life[];
}

const LISTED = 50;

export function renderReport(report: SoakReport): string {
  const { options, load, counts, findings } = report;
  const { minutes, rate, partitions, processes, seed } = options;
  const found = findings.slice(0, LISTED).map((finding) => `  ${finding}`);
  const more = findings.length - found.length;
  return [
    `soak of ${minutes} minutes, ${rate} lookups/s, ${partitions} partitions, ${processes} processes, seed ${seed}`,
    `load     ${load.runs} runs, ${load.asked} asked, ${load.answered} answered, ${load.retried} asked once more (${countsOf(report.retriedFor)})`,
    `topics   ${counts.lookups} lookups, ${counts.repeats} repeats, ${counts.drafts} drafts, ${counts.deadLetters} dead letters`,
    `reviews  ${counts.held} held, ${counts.decided} decided by people, ${counts.repairs} repairs, ${counts.replaced} fallbacks replaced`,
    `runs     ${counts.stopped} must stop, ${counts.refused} lookups refused for it, ${counts.givenUp} given up`,
    `verdicts ${countsOf(report.verdicts)}`,
    `audit    ${report.audited} invocations; ledger view ${report.compared} entries`,
    ...latencyLines('lookup', report.lookups),
    ...latencyLines('draft', report.drafts),
    `drain    ${(report.drainMs / 1000).toFixed(1)} s`,
    `stations ${report.restarts} restarts, ${report.fences} fences; incidents ${countsOf(report.incidents)}`,
    ...report.lives.map(lifeLine),
    `chaos    ${report.chaos.length} events`,
    ...report.chaos.map(
      ({ from, to, kind, target }) => `  ${clock(from)} to ${clock(to)} ${kind} (${target})`,
    ),
    findings.length === 0 ? 'nothing was found' : `${findings.length} findings`,
    ...found,
    ...(more > 0 ? [`  and ${more} more`] : []),
    '',
  ].join('\n');
}

function countsOf(counts: Readonly<Record<string, number>>): string {
  const each = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return each.length === 0 ? 'none' : each.join(', ');
}

function latencyLines(what: string, { calm, disturbed }: Latencies): string[] {
  const line = (when: string, { count, p50, p99, most }: Latency): string =>
    `${what.padEnd(8)} ${when}: ${count}, p50 ${p50 ?? '-'} ms, p99 ${p99 ?? '-'} ms, most ${most ?? '-'} ms`;
  return [line('calm', calm), line('disturbed', disturbed)];
}

function lifeLine({ place, seconds, end, first, last, most }: Life): string {
  const size = (bytes: number | null): string => (bytes === null ? '-' : megabytes(bytes));
  return `  process ${place}: ${seconds} s, ${end}; RSS ${size(first)} to ${size(last)} MB, most ${size(most)} MB`;
}
