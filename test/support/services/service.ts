/** A real service, for one test file. The same whether it runs as a process or in a container. */
export interface Service {
  readonly host: string;
  readonly port: number;
  /** Its folder, with its log `NAME.log`. */
  readonly folder: string;
  /** Ends it at once, as a crash does. What it wrote to its disk stays. */
  kill(): Promise<void>;
  /** Starts it (again), on the same port, with what it had on its disk; ready when this resolves. */
  restart(): Promise<void>;
  /** SIGSTOP pauses it and SIGCONT lets it go on. Other signals go to its main process. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Ends it for certain and removes its folder; `keepLogs` leaves the folder for whoever looks into a failure. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  readonly keepLogs?: boolean;
}
