/** Timing for people: a figure is worth something beside a baseline of the same run, and asserts nothing. */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it is to be read against: the same bytes through the bare thing. */
  readonly baseline?: { readonly name: string; readonly value: number };
}

/** Runs `work` over and over for about `ms`, after a warm-up of a fifth of that; operations a second. */
export function operationsPerSecond(ms: number, work: (i: number) => unknown): number {
  loop(ms / 5, work);
  return loop(ms, work);
}

function loop(ms: number, work: (i: number) => unknown): number {
  const start = performance.now();
  let done = 0;
  while (performance.now() - start < ms) {
    for (let i = 0; i < 20; i++) sink = work(done + i);
    done += 20;
  }
  return (done * 1000) / (performance.now() - start);
}

/** Keeps results alive, so that the work cannot be optimised away. */
export let sink: unknown;

/** The p-th percentile (0 to 100) of the values. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? NaN;
}

export function formatFigure({ name, value, unit, baseline }: Figure): string {
  const beside = baseline === undefined ? '' : `   (${baseline.name}: ${rounded(baseline.value)} ${unit})`;
  return `${name.padEnd(58)} ${rounded(value).padStart(10)} ${unit}${beside}`;
}

function rounded(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value < 10 ? 2 : 1);
}
