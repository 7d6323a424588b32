import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.js';
import type { CliIo } from './io.js';

/** Options that every command has. */
export interface GlobalOptions {
  /** The data folder. */
  readonly data: string;
  /** Machine-readable output: one JSON value, or one a line where the command streams. */
  readonly json: boolean;
}

/** What a command's action gets besides its own arguments. */
export interface CommandContext {
  readonly io: CliIo;
  readonly global: () => GlobalOptions;
  /** Sets the process's exit code; throwing a ProoflineError sets the one of its code. */
  readonly exit: (code: ExitCode) => void;
}

/** Adds one command to the program. The commands are listed, each once, in program.ts. */
export type AddCommand = (program: Command, context: CommandContext) => void;
