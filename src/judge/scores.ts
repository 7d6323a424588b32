/** A score as it is believed, and what was wrong with it as it came. */
export interface Score {
  readonly value: number | null;
  readonly note: string | null;
}

/** What other judges write for "there is none". */
const SENTINEL = -1;

/**
 * A score from 0 to 1. A number beyond is clamped, and that is noted. What is missing is null; so is what is no number,
 * and so is -1: neither may become a 0 that somebody reads as "not at all".
 */
export function readScore(name: string, value: unknown): Score {
  if (value === undefined || value === null) return { value: null, note: null };
  if (typeof value !== 'number' || !Number.isFinite(value))
    return { value: null, note: `${name} is no number` };
  if (value === SENTINEL) return { value: null, note: `${name} is -1, which says nothing` };
  const clamped = Math.min(Math.max(value, 0), 1);
  // -0 is a number that no two formats write alike.
  return {
    value: clamped === 0 ? 0 : clamped,
    note: clamped === value ? null : `${name} was beyond 0 to 1, and was clamped`,
  };
}
