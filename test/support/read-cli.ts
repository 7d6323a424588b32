import { Command, CommanderError } from 'commander';
import { isProoflineError } from '../../src/contracts/errors.js';
import type { AddCommand, CommandContext } from '../../src/cli/command.js';
import { addDlq } from '../../src/cli/commands/dlq.js';
import { addKeys } from '../../src/cli/commands/keys.js';
import { addLedger } from '../../src/cli/commands/ledger.js';
import { addSchemas } from '../../src/cli/commands/schemas.js';
import { addTail } from '../../src/cli/commands/tail.js';
import { addTopics } from '../../src/cli/commands/topics.js';
import { addTrail } from '../../src/cli/commands/trail.js';
import { exitCodeOf, type ExitCode } from '../../src/cli/exit-codes.js';

const commands: readonly AddCommand[] = [
  addTrail,
  addTail,
  addTopics,
  addSchemas,
  addDlq,
  addLedger,
  addKeys,
];

export interface CliRun {
  readonly out: string;
  readonly err: string;
  readonly exit: ExitCode;
  /** The code of the error that ended it. */
  readonly code: string | null;
}

export interface CliOptions {
  readonly json?: boolean;
  readonly interactive?: boolean;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Told of each piece of output as it comes. */
  readonly onOut?: (text: string) => void;
}

/** Runs one of the reading commands on a data folder, in this process. */
export async function readCli(
  folder: string,
  argv: readonly string[],
  options: CliOptions = {},
): Promise<CliRun> {
  let [out, err] = ['', ''];
  let exit: ExitCode = 0;
  const context: CommandContext = {
    io: {
      out: (text) => {
        out += text;
        options.onOut?.(text);
      },
      err: (text) => void (err += text),
      stdin: () => Promise.resolve(options.stdin ?? ''),
      interactive: options.interactive ?? false,
      env: { USER: 'tester', ...options.env },
      signal: options.signal ?? new AbortController().signal,
    },
    global: () => ({ data: folder, json: options.json ?? false }),
    exit: (code) => void (exit = code),
  };
  const program = new Command('proofline').exitOverride().configureOutput({
    writeOut: (text) => context.io.out(text),
    writeErr: (text) => context.io.err(text),
  });
  for (const add of commands) add(program, context);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return { out, err, exit: error.exitCode === 0 ? 0 : 2, code: null };
    if (!isProoflineError(error)) throw error;
    return { out, err: `${err}${error.message}`, exit: exitCodeOf(error.code), code: error.code };
  }
  return { out, err, exit, code: null };
}

/** The command's answer with --json: one value. */
export async function readCliJson<T = Record<string, unknown>>(
  folder: string,
  ...argv: readonly string[]
): Promise<T> {
  const { out, code, err } = await readCli(folder, argv, { json: true });
  if (code !== null) throw new Error(`${code}: ${err}`);
  return JSON.parse(out) as T;
}
