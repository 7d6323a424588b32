import type { Config } from '../config/config.js';
import type { DoorClient, LineClient } from '../line/line-client.js';
import type { Required } from '../line/local-line.js';
import type { CommandContext } from './command.js';
import type { CliIo } from './io.js';
import { warn } from './render/error.js';

/** The data folder where --data does not say. */
export function defaultData(env: CliIo['env']): string {
  return env['PROOFLINE_DATA'] || './.proofline';
}

/** The configuration of a command: the environment and --data. Warnings go to the person. */
export async function configOf({ io, global }: CommandContext): Promise<Config> {
  const { readConfig } = await import('../config/config.js');
  const { config, warnings } = readConfig(io.env, { data: global().data });
  for (const warning of warnings) warn(io, warning);
  return config;
}

/**
 * Does something at the doors of the line: the one in Kafka where brokers are named, else that of the data folder.
 * An interrupted command rejects with the signal's reason.
 */
export async function atDoors<T>(
  context: CommandContext,
  requires: Required,
  work: (client: DoorClient) => Promise<T>,
): Promise<T> {
  const config = await configOf(context);
  if (config.kafka === null) return withLine(context, requires, work);
  const { openKafkaClient } = await import('../line/kafka-client.js');
  return untilDone(context, await openKafkaClient(config), work);
}

/**
 * Does something with the line of the data folder: the one that runs, else one in this process that ends with the
 * work. An interrupted command rejects with the signal's reason.
 */
export async function withLine<T>(
  context: CommandContext,
  requires: Required,
  work: (client: LineClient) => Promise<T>,
): Promise<T> {
  const config = await configOf(context);
  const { connectLine } = await import('../line/connect-line.js');
  return untilDone(context, await connectLine({ config, requires }), work);
}

async function untilDone<C extends { close(): Promise<void> }, T>(
  { io }: CommandContext,
  client: C,
  work: (client: C) => Promise<T>,
): Promise<T> {
  try {
    return await Promise.race([work(client), aborted(io.signal)]);
  } finally {
    await client.close();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
