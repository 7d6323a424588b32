import type { CliIo } from '../../src/cli/io.js';
import { runCli } from '../../src/cli/program.js';
import type { ExitCode } from '../../src/cli/exit-codes.js';
import { ProoflineError } from '../../src/contracts/errors.js';

export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly interactive?: boolean;
  readonly signal?: AbortSignal;
}

/** What a command wrote, and how it ended. */
export interface CliRun {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** A command that runs, and what it has written so far. */
export interface RunningCli {
  readonly out: () => string;
  readonly err: () => string;
  /** As SIGHUP does. */
  readonly hangUp: () => void;
  readonly ended: Promise<CliRun>;
}

/** Begins the command line in this process. */
export function startCli(argv: readonly string[], options: CliOptions = {}): RunningCli {
  let out = '';
  let err = '';
  const hangUps = new Set<() => void>();
  const io: CliIo = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    stdin: (maxBytes) => stdinOf(options.stdin ?? '', maxBytes),
    interactive: options.interactive ?? false,
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
    onHangUp(callback) {
      hangUps.add(callback);
      return () => void hangUps.delete(callback);
    },
  };
  return {
    out: () => out,
    err: () => err,
    hangUp: () => hangUps.forEach((callback) => callback()),
    ended: runCli(argv, io).then((code) => ({ code, out, err })),
  };
}

/** Runs the command line to its end. */
export function cli(argv: readonly string[], options?: CliOptions): Promise<CliRun> {
  return startCli(argv, options).ended;
}

function stdinOf(text: string, maxBytes: number): Promise<string> {
  if (Buffer.byteLength(text) <= maxBytes) return Promise.resolve(text);
  return Promise.reject(new ProoflineError('PL_INPUT_INVALID', { problem: 'standard input is too large' }));
}
