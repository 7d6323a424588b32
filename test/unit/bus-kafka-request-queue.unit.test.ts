import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  RequestQueue,
  type Answered,
  type PushedRequest,
  type QueueOptions,
} from '../../src/bus/kafka/wire/request-queue.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Asked {
  readonly sent: number[];
  readonly answered: number[];
  readonly failed: Error[];
}

function createQueue(options: Partial<QueueOptions> = {}): RequestQueue {
  return new RequestQueue({
    ...{ maxInFlightRequests: null, requestTimeout: 1000, enforceRequestTimeout: true },
    ...{ clientId: 'c', broker: 'b:1', isConnected: () => true, ...options },
  });
}

function push(queue: RequestQueue, id: number, asked: Asked, more: Partial<PushedRequest> = {}): void {
  queue.push({
    entry: {
      ...{ apiKey: 26, apiName: 'EndTxn', apiVersion: 1, correlationId: id },
      resolve: ({ correlationId }: Answered) => void asked.answered.push(correlationId),
      reject: (error) => void asked.failed.push(error as Error),
    },
    expectResponse: true,
    sendRequest: () => void asked.sent.push(id),
    ...more,
  });
}

const nothing = (): Asked => ({ sent: [], answered: [], failed: [] });
const answer = (queue: RequestQueue, id: number): void =>
  queue.fulfillRequest({ correlationId: id, payload: Buffer.alloc(0), size: 0 });

test('answers go to who asked, in any order, and no timer is set for them', () => {
  const [queue, asked] = [createQueue(), nothing()];
  for (const id of [1, 2, 3]) push(queue, id, asked);
  for (const id of [3, 1]) answer(queue, id);
  expect(asked).toEqual({ sent: [1, 2, 3], answered: [3, 1], failed: [] });
  expect(vi.getTimerCount()).toBe(0);
});

test('one that is not answered in time fails, and what is answered later is nobody’s', () => {
  const [queue, asked] = [createQueue(), nothing()];
  queue.scheduleRequestTimeoutCheck();
  push(queue, 1, asked);
  push(queue, 2, asked, { requestTimeout: 5000 });
  vi.advanceTimersByTime(1200);
  expect(asked.failed.map(({ message }) => message)).toEqual([
    'Request EndTxn(key: 26, version: 1) timed out',
  ]);
  answer(queue, 1);
  expect(asked.answered).toEqual([]);
  vi.advanceTimersByTime(4000);
  expect(asked.failed).toHaveLength(2);
  queue.destroy();
});

test('all connections share one timer, and none is left when they are gone', () => {
  const queues = [createQueue(), createQueue(), createQueue({ isConnected: () => false })];
  for (const each of queues) each.scheduleRequestTimeoutCheck();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(200);
  for (const each of queues.slice(0, 2)) each.destroy();
  expect(vi.getTimerCount()).toBe(0);
});

test('no more are under way than may be, and what waits goes out in order', () => {
  const [queue, asked] = [createQueue({ maxInFlightRequests: 1 }), nothing()];
  for (const id of [1, 2, 3]) push(queue, id, asked);
  expect(asked.sent).toEqual([1]);
  answer(queue, 1);
  expect(asked.sent).toEqual([1, 2]);
  answer(queue, 2);
  expect(asked.sent).toEqual([1, 2, 3]);
});

test('while the broker throttles nothing is sent, and then all of it', () => {
  const [queue, asked] = [createQueue(), nothing()];
  queue.maybeThrottle(300);
  for (const id of [1, 2]) push(queue, id, asked);
  vi.advanceTimersByTime(290);
  expect(asked.sent).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(asked.sent).toEqual([1, 2]);
  queue.maybeThrottle(0);
  push(queue, 3, asked);
  expect(asked.sent).toEqual([1, 2, 3]);
});

test('what needs no answer has it at once', () => {
  const [queue, asked] = [createQueue(), nothing()];
  push(queue, 1, asked, { expectResponse: false });
  expect(asked).toEqual({ sent: [1], answered: [1], failed: [] });
});

test('when the connection breaks all fail, and who waits for the end is told', async () => {
  const [queue, asked] = [createQueue({ maxInFlightRequests: 1 }), nothing()];
  for (const id of [1, 2]) push(queue, id, asked);
  const ended = queue.waitForPendingRequests();
  queue.rejectAll(new Error('broken'));
  await ended;
  expect(asked.failed.map(({ message }) => message)).toEqual(['broken', 'broken']);
  await queue.waitForPendingRequests();
});

test('given a pause that ends between two looks, what waits is sent all the same', () => {
  const [queue, asked] = [createQueue(), nothing()];
  queue.maybeThrottle(50);
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(49).mockReturnValue(51);
  push(queue, 1, asked);
  vi.restoreAllMocks();
  vi.advanceTimersByTime(100);
  expect(asked.sent).toEqual([1]);
});

test('given a broker that asks for weeks of silence, a minute is kept, and who waits longer is told', () => {
  const [queue, asked] = [createQueue(), nothing()];
  queue.scheduleRequestTimeoutCheck();
  queue.maybeThrottle(2 ** 31 - 1);
  push(queue, 1, asked);
  vi.advanceTimersByTime(59_000);
  expect(asked.sent).toEqual([]);
  vi.advanceTimersByTime(2000);
  expect(asked.sent).toEqual([1]);
  queue.destroy();
});

test('given that nothing may be sent for long, what waits is given up', () => {
  const [queue, asked] = [createQueue({ maxInFlightRequests: 1 }), nothing()];
  queue.scheduleRequestTimeoutCheck();
  push(queue, 1, asked, { requestTimeout: 200_000 });
  push(queue, 2, asked);
  vi.advanceTimersByTime(60_500);
  expect(asked.failed).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(asked.failed).toHaveLength(1);
  expect([asked.sent, queue.pending]).toEqual([[1], []]);
  queue.destroy();
});
