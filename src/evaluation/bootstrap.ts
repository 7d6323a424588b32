/** How far a mean over questions may be from the one over all questions like them. */

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** The same seed gives the same interval, on every machine. */
  readonly seed: number;
  /** How often the sample is drawn again. */
  readonly resamples: number;
  /** Share of the resampled means that the interval holds. */
  readonly level: number;
}

export const BOOTSTRAP: BootstrapOptions = { seed: 1, resamples: 1000, level: 0.95 };

/**
 * Percentile intervals of the means of several measures over the same sample: rows are drawn with replacement, as many
 * as there are, so that the measures of one row stay together; of the means that this gives, the middle `level` is the
 * interval. Null for an empty sample.
 * @param columns One list a measure, all equally long: its value in each row.
 */
export function bootstrapMeans(
  columns: readonly (readonly number[])[],
  { seed, resamples, level }: BootstrapOptions = BOOTSTRAP,
): readonly (Interval | null)[] {
  const rows = columns[0]?.length ?? 0;
  if (rows === 0) return columns.map(() => null);
  const means = columns.map(() => new Float64Array(resamples));
  const random = mulberry32(seed);
  const draws = new Uint32Array(rows);
  for (let i = 0; i < resamples; i++) {
    for (let row = 0; row < rows; row++) draws[row] = Math.floor(random() * rows);
    columns.forEach((column, c) => {
      let total = 0;
      for (const row of draws) total += column[row] ?? 0;
      (means[c] ?? [])[i] = total / rows;
    });
  }
  return means.map((values) => percentiles(values.sort(), level));
}

function percentiles(sorted: Float64Array, level: number): Interval {
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
}

/** A small generator of numbers in [0, 1) from a seed: 32 bits of state, exact in integer arithmetic. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
