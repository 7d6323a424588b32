import type { Command } from 'commander';
import type { Limits } from '../contracts/generated.js';
import { inputInvalid, wholeNumber } from './input.js';

/** What a run may spend, as options of the commands that begin a run or hand in its reports. */

export interface LimitOptions {
  readonly deadline?: string;
  readonly maxLookups?: string;
  readonly maxTokens?: string;
  readonly maxAttempts?: string;
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--deadline <WHEN>', 'when the run must have an outcome: in 90s, 10m or 2h, or an RFC 3339 time')
    .option('--max-lookups <N>', 'lookups of the run that are answered')
    .option('--max-tokens <N>', 'tokens that its views and its model may take together')
    .option('--max-attempts <N>', 'reports that are judged before the run falls back');
}

/**
 * The limits that were typed; null where none was.
 * @param now epoch milliseconds, from which a deadline like `10m` counts
 * @throws ProoflineError PL_INPUT_INVALID
 */
export function limitsOf(options: LimitOptions, now: number): Limits | null {
  const { deadline, maxLookups, maxTokens, maxAttempts } = options;
  const count = (option: string, text: string | undefined): number | null =>
    text === undefined ? null : wholeNumber(option, text);
  const limits = {
    deadline: deadline === undefined ? null : deadlineOf(deadline, now),
    maxLookups: count('--max-lookups', maxLookups),
    maxTokens: count('--max-tokens', maxTokens),
    maxAttempts: count('--max-attempts', maxAttempts),
  };
  return Object.values(limits).every((limit) => limit === null) ? null : limits;
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

function deadlineOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return now + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const at = INSTANT.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  throw inputInvalid(
    `--deadline is ${JSON.stringify(text.slice(0, 60))}, and must be like 90s, 10m or 2h, or a time like 2027-01-31T12:00:00Z`,
  );
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
