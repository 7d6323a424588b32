import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { BoundedCalls } from './bounded-calls.js';

export interface StdioOptions {
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
  readonly calls: BoundedCalls;
  /** Aborted when the process is to end. */
  readonly signal: AbortSignal;
}

/** The largest message; a client that sends a longer one is cut off, because where it ends cannot be known. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** How long calls at hand may still be answered after the client has sent its last word. */
const GRACE_MS = 30_000;

/** Serves one client over a pair of streams. Resolves when it is gone, cut off, or the signal says so. */
export async function serveStdio(
  server: McpServer,
  { stdin, stdout, calls, signal }: StdioOptions,
): Promise<void> {
  // Every message that the stream cannot take at once listens for its drain.
  stdout.setMaxListeners(0);
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    stdin.once('end', () => void calmly(calls).then(resolve));
    stdin.once('close', () => void calmly(calls).then(resolve));
    stdin.once('error', () => resolve());
    stdout.once('error', () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
  await ended;
  await server.close();
}

/** Messages that came with the end of the stream are still to be looked at, and then to be answered. */
async function calmly(calls: BoundedCalls): Promise<void> {
  await pause(0);
  const late = new AbortController();
  await Promise.race([calls.idle(), pause(GRACE_MS, undefined, { signal: late.signal, ref: false })]);
  late.abort();
  await pause(0);
}
