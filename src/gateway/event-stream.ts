import type { ServerResponse } from 'node:http';

/** Server-sent events to one reader. One that stops reading is cut off: what it does not take is not kept for it. */
export interface EventStream {
  /** Never throws; after the end it does nothing. */
  send(event: { readonly id: string; readonly event: string; readonly data: object }): void;
  /** Ends it in order. Idempotent. */
  end(): void;
  readonly ended: Promise<void>;
}

const KEEP_ALIVE_MS = 15_000;
/** Bytes that may wait for a reader. */
const MAX_WAITING = 256 * 1024;

export function openEventStream(response: ServerResponse, { keepAliveMs = KEEP_ALIVE_MS } = {}): EventStream {
  let isOpen = true;
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      isOpen = false;
      clearInterval(timer);
      resolve();
    });
  });
  response.on('error', () => undefined);
  let stuck = false;
  const timer = setInterval(() => {
    // Two turns without taking anything: it reads no more.
    if (stuck && response.writableNeedDrain) response.destroy();
    stuck = response.writableNeedDrain;
    write(': still here\n\n');
  }, keepAliveMs);

  function write(text: string): void {
    if (!isOpen) return;
    response.write(text);
    if (response.writableLength > MAX_WAITING) response.destroy();
  }

  return {
    send: ({ id, event, data }) => write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end() {
      if (isOpen) response.end();
    },
    ended,
  };
}
