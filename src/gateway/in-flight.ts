import type { FastifyInstance } from 'fastify';

/** Requests that are not answered yet. */
export interface InFlight {
  /** Resolves when none is left, or after so many milliseconds. */
  none(timeoutMs: number): Promise<void>;
}

export function countRequests(app: FastifyInstance): InFlight {
  let count = 0;
  let onNone: (() => void) | null = null;
  app.addHook('onRequest', (_request, reply, done) => {
    count++;
    // Also of one that goes away, or that is streamed.
    reply.raw.once('close', () => {
      count--;
      if (count === 0) onNone?.();
    });
    done();
  });
  return {
    none(timeoutMs) {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        onNone = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
