import type { Socket } from 'node:net';
import { BytesReader } from './bytes-reader.js';
import { createBytesWriter, type BytesWriter } from './bytes-writer.js';
import type { Answered, PushedRequest } from './request-queue.js';

/** A connection of kafkajs 2.2.4, as far as it is used here. */
export interface Connection {
  readonly clientId: string;
  readonly sasl: object | null;
  readonly socket: Socket;
  readonly requestQueue: { push(request: PushedRequest): void; maybeThrottle(ms: number): void };
  isConnected(): boolean;
  isAuthenticated(): boolean;
  authenticate(): Promise<void>;
  nextCorrelationId(): number;
  /** @throws KafkaJSConnectionError */
  failIfNotConnected(): void;
}

/** A broker of kafkajs 2.2.4: fetches have a connection of their own, since they wait at the broker. */
export interface AskedBroker {
  readonly versions: Readonly<Record<number, { readonly maxVersion: number } | undefined>> | null;
  readonly connectionPool: { getConnection(index: number): Promise<Connection> };
  disconnect(): Promise<void>;
}

/** What a request says, and what its answer means. */
export interface Question<T> {
  readonly apiKey: number;
  readonly apiName: string;
  readonly apiVersion: number;
  /** Bytes that the body is expected to take. */
  readonly capacity?: number;
  /** Milliseconds; the connection's own where that is longer. */
  readonly timeoutMs?: number;
  readonly write: (body: BytesWriter) => void;
  readonly read: (answer: BytesReader) => Answer<T>;
}

export interface Answer<T> {
  readonly value: T;
  /** How long the broker wants to be left alone. */
  readonly throttleMs: number;
}

const ANY = 0;
const FETCHING = 1;
const FETCH_KEY = 1;
const HEADER_BYTES = 64;

/**
 * Asks a broker. kafkajs encodes every field into buffers of
 * its own and goes through nine promises a request; and it writes to the socket request by request, which costs more
 * than all the rest.
 */
export async function ask<T>(broker: AskedBroker, question: Question<T>): Promise<T> {
  try {
    const connection = await broker.connectionPool.getConnection(
      question.apiKey === FETCH_KEY ? FETCHING : ANY,
    );
    if (connection.sasl !== null && !connection.isAuthenticated()) await connection.authenticate();
    const { payload } = await push(connection, question);
    const { value, throttleMs } = question.read(new BytesReader(payload ?? Buffer.alloc(0)));
    connection.requestQueue.maybeThrottle(throttleMs);
    return value;
  } catch (error) {
    // As kafkajs does: it is connected to anew.
    if (error instanceof Error && error.name === 'KafkaJSConnectionClosedError') await broker.disconnect();
    throw error;
  }
}

function push(connection: Connection, question: Question<unknown>): Promise<Answered> {
  connection.failIfNotConnected();
  const { apiKey, apiName, apiVersion, timeoutMs = null } = question;
  const correlationId = connection.nextCorrelationId();
  const bytes = encode(question, correlationId, connection.clientId);
  return new Promise((resolve, reject) => {
    connection.requestQueue.push({
      entry: { apiKey, apiName, apiVersion, correlationId, resolve, reject },
      expectResponse: true,
      requestTimeout: timeoutMs,
      sendRequest: () => writeTogether(connection.socket, bytes),
    });
  });
}

function encode(
  { apiKey, apiVersion, capacity, write }: Question<unknown>,
  id: number,
  clientId: string,
): Buffer {
  const writer = createBytesWriter(HEADER_BYTES + clientId.length + (capacity ?? 256));
  writer.int32(0);
  writer.int16(apiKey);
  writer.int16(apiVersion);
  writer.int32(id);
  writer.string(clientId);
  write(writer);
  writer.int32At(0, writer.size - 4);
  return writer.done();
}

/** What is asked at the same moment goes out in one write. */
function writeTogether(socket: Socket, bytes: Buffer): void {
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(() => socket.uncork());
  }
  socket.write(bytes);
}
