import type { ServerResponse } from 'node:http';

/** Server-sent events to one reader. One that stops reading is cut off: what it does not take is not kept for it. */
export interface EventStream {
  /** Never throws; after the end it does nothing. */
  send(event: { readonly id: string; readonly event: string; readonly data: object }): void;
  /** Resolves when the reader has room for more, or is gone: for what is there to be sent all at once. */
  taken(): Promise<void>;
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
    const onClose = (): void => {
      isOpen = false;
      clearInterval(timer);
      resolve();
    };
    // A reader that went away before this closes no more.
    if (response.destroyed) setImmediate(onClose);
    else response.once('close', onClose);
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
    async taken() {
      if (!isOpen || !response.writableNeedDrain) return;
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), ended]);
    },
    end() {
      if (isOpen) response.end();
    },
    ended,
  };
}
