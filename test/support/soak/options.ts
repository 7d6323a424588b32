import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly minutes: number;
  /** New lookups a second; those that are asked again come on top. */
  readonly rate: number;
  readonly partitions: number;
  /** Processes, each with all stations. */
  readonly processes: number;
  readonly seed: number;
  readonly json: boolean;
}

export type SoakArguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'soak'; readonly options: SoakOptions };

export const SOAK_HELP = `Lookups and drafts at a steady rate on a line in Kafka, some of them past their run's budget or deadline, to be
mended, or held for a person, while processes and services are killed, paused and emptied; then the topics alone must show that nothing was lost and nothing doubled.

  npm run soak -- --minutes 20

  --minutes N      how long lookups are asked, 0.25 to 1440 (default 5); the last 30 s are left in peace
  --rate N         new lookups a second, 1 to 200 (default 20); one in eight more is asked again
  --partitions N   of every topic, 1 to 64 (default 4)
  --processes N    processes with all stations, of the same groups, 1 to 8 (default 2)
  --seed N         what happens when; the same seed plans the same (default: random, and printed)
  --json           the report as one JSON object on standard output
  --help           this text

Everything runs on this machine: Kafka, Redis, a schema registry and PostgreSQL are started for it and ended with
it. Progress goes to standard error every 10 s. Exit code 0: nothing was found. 1: findings, listed. 2: the
options are wrong. 3: the services cannot be had here. 130: interrupted.
`;

const RANGES = {
  minutes: { least: 0.25, most: 1440, whole: false, otherwise: 5 },
  rate: { least: 1, most: 200, whole: false, otherwise: 20 },
  partitions: { least: 1, most: 64, whole: true, otherwise: 4 },
  processes: { least: 1, most: 8, whole: true, otherwise: 2 },
  seed: { least: 0, most: 2 ** 32 - 1, whole: true, otherwise: null },
} as const;
type NumberName = keyof typeof RANGES;

/** @param randomSeed taken where none is given */
export function soakArguments(args: readonly string[], randomSeed: number): SoakArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string' },
        rate: { type: 'string' },
        partitions: { type: 'string' },
        processes: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return { kind: 'help' };
    const number = (name: NumberName): number => numberOf(name, values[name], randomSeed);
    const options: SoakOptions = {
      minutes: number('minutes'),
      rate: number('rate'),
      partitions: number('partitions'),
      processes: number('processes'),
      seed: number('seed'),
      json: values.json,
    };
    return { kind: 'soak', options };
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}

function numberOf(name: NumberName, text: string | undefined, randomSeed: number): number {
  const { least, most, whole, otherwise } = RANGES[name];
  if (text === undefined) return otherwise ?? randomSeed;
  const value = text.trim() === '' ? NaN : Number(text);
  if (!(value >= least && value <= most) || (whole && !Number.isInteger(value)))
    throw new Error(`--${name} must be ${whole ? 'a whole number' : 'a number'} from ${least} to ${most}.`);
  return value;
}
