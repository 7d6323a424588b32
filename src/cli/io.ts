/** What a command reads and writes: handed in, so that tests need no process. */
export interface CliIo {
  /** Writes to standard output: the command's answer, and nothing else. */
  out(text: string): void;
  /** Writes to standard error: progress, warnings and errors. */
  err(text: string): void;
  /** All of standard input as text, at most `maxBytes`; rejects with PL_INPUT_INVALID beyond. */
  stdin(maxBytes: number): Promise<string>;
  /** Whether a person watches, so that colour and progress make sense. */
  readonly interactive: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGINT and SIGTERM, and when nobody reads standard output any more. */
  readonly signal: AbortSignal;
  /** Calls back on every SIGHUP until the function that it answers with is called. */
  readonly onHangUp?: (callback: () => void) => () => void;
}
