import { invalid } from './option-values.js';

const MINUTE_MS = 60_000;

const UNITS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 1_440 * MINUTE_MS,
  w: 10_080 * MINUTE_MS,
};

/** An age such as 90d, in milliseconds. @throws ProoflineError PL_INPUT_INVALID. */
export function ageOf(option: string, text: string): number {
  const [, count = '0', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const age = Number(count) * (UNITS[unit] ?? 0);
  if (age > 0) return age;
  throw invalid(
    `${option} is ${JSON.stringify(text)}; it must be a whole number from 1 on with its unit: 30m, 12h, 90d or 8w`,
  );
}
