import { isProoflineError } from '../../contracts/errors.js';

/** One thing that was looked at. `fail` blocks the line, `warn` is worth knowing. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly finding: string;
  /** What to do about it; null where all is well. */
  readonly fix: string | null;
}

export function ok(name: string, finding: string): Check {
  return { name, status: 'ok', finding, fix: null };
}

export function warning(name: string, finding: string, fix: string): Check {
  return { name, status: 'warn', finding, fix };
}

export function failure(name: string, finding: string, fix: string): Check {
  return { name, status: 'fail', finding, fix };
}

/** What the looking came to. An error of it is a finding too: its own code says how to solve it. */
export async function looking(
  name: string,
  look: () => Check | readonly Check[] | Promise<Check | readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    const found = await look();
    return 'name' in found ? [found] : found;
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    const fix = isProoflineError(error) ? error.solve : 'PROOFLINE_DEBUG=1 proofline doctor shows more.';
    return [failure(name, finding, fix)];
  }
}
