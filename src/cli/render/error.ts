import { isProoflineError } from '../../contracts/errors.js';
import { errorToJson } from '../../line/error-json.js';
import { exitCodeOf, type ExitCode } from '../exit-codes.js';
import type { CliIo } from '../io.js';
import { paintFor } from './page.js';
import { safeLines } from './safe-text.js';

/** Whether a person watches who wants colours. */
export function coloursFor(io: CliIo): boolean {
  const { NO_COLOR: noColour = '' } = io.env;
  return io.interactive && noColour === '';
}

/** One clear message with what to do about it; with `json` as a JSON value on standard output. The exit code. */
export function reportError(io: CliIo, error: unknown, json: boolean): ExitCode {
  const described = errorToJson(error);
  if (json) io.out(`${JSON.stringify({ error: described })}\n`);
  else {
    const paint = paintFor({ colours: coloursFor(io) });
    const code = described.code === null ? '' : ` ${described.code}`;
    io.err(`${paint('bad', `error${code}:`)} ${safeLines(described.message).join('\n')}\n`);
    io.err(`  → ${described.solve}\n`);
  }
  if (io.env['PROOFLINE_DEBUG'] === '1') io.err(`${stackOf(error)}\n`);
  return isProoflineError(error) ? exitCodeOf(error.code) : 1;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Something that works, and that a person should know of. */
export function warn(io: CliIo, message: string): void {
  const paint = paintFor({ colours: coloursFor(io) });
  io.err(`${paint('unsure', 'warning:')} ${message}\n`);
}
