/** What one connection has asked, and what it has yet to ask. It stands in the place of kafkajs's own. */
export interface QueueOptions {
  readonly maxInFlightRequests: number | null;
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
  readonly clientId: string;
  readonly broker: string;
  readonly isConnected: () => boolean;
}

export interface QueueEntry {
  readonly apiKey: number;
  readonly apiName: string;
  readonly apiVersion: number;
  readonly correlationId: number;
  resolve(answer: Answered): void;
  reject(error: unknown): void;
}

export interface Answered {
  readonly correlationId: number;
  readonly size: number;
  readonly payload: Buffer | null;
  readonly entry: QueueEntry;
}

export interface PushedRequest {
  readonly entry: QueueEntry;
  readonly expectResponse: boolean;
  readonly requestTimeout?: number | null;
  readonly sendRequest: () => void;
}

export type TimeoutError = new (message: string, details: object) => Error;

interface Sent extends PushedRequest {
  readonly createdAt: number;
  sentAt: number;
}

const LOOK_MS = 100;
/** A broker may ask for a pause; one that asks for more is not believed. */
const MAX_THROTTLE_MS = 60_000;

/** Looks after the timeouts of all connections: a timer each would go off ten times a second a connection. */
class Watch {
  readonly #queues = new Set<RequestQueue>();
  #timer: NodeJS.Timeout | null = null;

  add(queue: RequestQueue): void {
    this.#queues.add(queue);
    this.#timer ??= setInterval(() => {
      const now = performance.now();
      for (const each of this.#queues) each.timeOut(now);
    }, LOOK_MS);
  }

  remove(queue: RequestQueue): void {
    this.#queues.delete(queue);
    if (this.#queues.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

const watch = new Watch();

/**
 * Sends requests and hands out their answers. kafkajs 2.2.4 sets a timer for each answer, in case that something
 * waits, makes a dozen closures a request, and looks through every connection ten times a second with a timer of
 * its own: more than a tenth of what a request costs. It emits no events: nobody listens.
 */
export class RequestQueue {
  static TimeoutError: TimeoutError = Error;

  readonly inflight = new Map<number, Sent>();
  pending: Sent[] = [];
  #throttledUntil = -1;
  #throttle: NodeJS.Timeout | null = null;
  #idle: (() => void)[] = [];

  constructor(readonly options: QueueOptions) {}

  scheduleRequestTimeoutCheck(): void {
    if (this.options.enforceRequestTimeout) watch.add(this);
  }

  /** The broker asks for a pause (KIP-219). */
  maybeThrottle(ms: number | null | undefined): void {
    if (typeof ms === 'number' && ms > 0)
      this.#throttledUntil = Math.max(
        this.#throttledUntil,
        performance.now() + Math.min(ms, MAX_THROTTLE_MS),
      );
  }

  push(pushed: PushedRequest): void {
    const request: Sent = { ...pushed, createdAt: performance.now(), sentAt: 0 };
    if (this.#maySend()) this.#send(request);
    else {
      this.pending.push(request);
      this.#sendLater();
    }
  }

  fulfillRequest(answer: { correlationId: number; payload: Buffer; size: number }): void {
    const request = this.inflight.get(answer.correlationId);
    this.inflight.delete(answer.correlationId);
    if (this.pending.length > 0) this.checkPendingRequests();
    // One that was given up may be answered yet.
    request?.entry.resolve({ ...answer, entry: request.entry });
    this.#tellIdle();
  }

  rejectAll(error: unknown): void {
    const all = [...this.inflight.values(), ...this.pending];
    this.inflight.clear();
    this.pending = [];
    for (const { entry } of all) entry.reject(error);
    this.#tellIdle();
  }

  waitForPendingRequests(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  destroy(): void {
    watch.remove(this);
    if (this.#throttle !== null) clearTimeout(this.#throttle);
    this.#throttle = null;
  }

  checkPendingRequests(): void {
    while (this.#maySend()) {
      const next = this.pending.shift();
      if (next === undefined) return;
      this.#send(next);
    }
    if (this.pending.length > 0) this.#sendLater();
  }

  timeOut(now: number): void {
    for (const request of this.inflight.values()) {
      const limit = Math.max(this.options.requestTimeout, request.requestTimeout ?? 0);
      if (now - request.sentAt > limit) this.#giveUp(request);
    }
    for (const request of this.pending.slice()) {
      const limit = Math.max(this.options.requestTimeout, request.requestTimeout ?? 0) + MAX_THROTTLE_MS;
      if (now - request.createdAt > limit) this.#giveUp(request);
    }
    if (!this.options.isConnected()) this.destroy();
  }

  #giveUp(request: Sent): void {
    const { entry, createdAt, sentAt } = request;
    const { apiName, apiKey, apiVersion, correlationId } = entry;
    const { broker, clientId } = this.options;
    this.inflight.delete(correlationId);
    this.pending = this.pending.filter((each) => each !== request);
    this.checkPendingRequests();
    entry.reject(
      new RequestQueue.TimeoutError(`Request ${apiName}(key: ${apiKey}, version: ${apiVersion}) timed out`, {
        ...{
          broker,
          clientId,
          correlationId,
          createdAt,
          sentAt,
          pendingDuration: Math.max(0, sentAt - createdAt),
        },
      }),
    );
    this.#tellIdle();
  }

  #maySend(): boolean {
    const { maxInFlightRequests: most } = this.options;
    if (most !== null && this.inflight.size >= most) return false;
    return this.#throttledUntil < 0 || this.#throttledUntil <= performance.now();
  }

  #send(request: Sent): void {
    const { entry, expectResponse } = request;
    request.sentAt = performance.now();
    if (expectResponse) this.inflight.set(entry.correlationId, request);
    request.sendRequest();
    if (!expectResponse) entry.resolve({ correlationId: entry.correlationId, size: 0, payload: null, entry });
  }

  /** What waits for an answer to make room is sent with it; what is throttled, when that is over. */
  #sendLater(): void {
    const ms = this.#throttledUntil - performance.now();
    // The pause may have ended since it was looked at: then nothing else would send what waits.
    if (this.#throttle !== null || (ms <= 0 && this.inflight.size > 0)) return;
    this.#throttle = setTimeout(
      () => {
        this.#throttle = null;
        this.checkPendingRequests();
      },
      Math.max(1, ms),
    );
  }

  #isIdle(): boolean {
    return this.inflight.size === 0 && this.pending.length === 0;
  }

  #tellIdle(): void {
    if (this.#idle.length === 0 || !this.#isIdle()) return;
    for (const tell of this.#idle.splice(0)) tell();
  }
}
