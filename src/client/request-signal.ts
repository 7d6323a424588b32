/** The end of one request: because the caller wants no more, or because it took too long. */
export interface RequestSignal {
  readonly signal: AbortSignal;
  /** The answer is there; from now on it may take for ever. */
  readonly begun: () => void;
  /** Lets go of the caller's signal, and of the connection. MUST be called when the request is over. */
  readonly release: () => void;
}

/**
 * Follows the caller's signal for one request only. `AbortSignal.any` would do, but keeps something of every request
 * for as long as the caller's signal lives.
 * @param timeoutMs when the answer must be there
 */
export function requestSignal(caller: AbortSignal | undefined, timeoutMs: number): RequestSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(
    () => controller.abort(new Error(`nothing within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  if (caller?.aborted === true) stop();
  else caller?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    begun: () => clearTimeout(timer),
    release() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
      controller.abort();
    },
  };
}
