import type { Socket } from 'node:net';

/** A connection of kafkajs 2.2.4: what it holds of an answer that has not come whole. */
export interface ConnectionState {
  chunks: Buffer[];
  bytesBuffered: number;
  bytesNeeded: number;
  authHandlers: object | null;
  socket: Socket | undefined;
  isConnected(): boolean;
}

export interface ConnectionPrototype extends ConnectionState {
  connect: (this: ConnectionState) => Promise<unknown>;
  disconnect: (this: ConnectionState) => Promise<unknown>;
  processData: (this: ConnectionState, data: Buffer) => unknown;
}

const SIZE_BYTES = 4;
/** An answer is its correlation id at least; a fetch asks for 8 MiB, and a batch that is larger comes whole. */
const MIN_ANSWER_BYTES = 4;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/**
 * kafkajs keeps half an answer of a connection that broke, and takes the first bytes of the next connection for its
 * end: it then throws where nobody catches, which ends the process, or answers nothing any more. And an old socket
 * that is heard late cuts off the new one.
 */
export function correctConnection(prototype: ConnectionPrototype): void {
  const { connect, disconnect, processData } = prototype;

  prototype.connect = function () {
    if (!this.isConnected()) {
      this.chunks = [];
      this.bytesBuffered = 0;
      this.bytesNeeded = SIZE_BYTES;
      this.authHandlers = null;
    }
    return connect.call(this);
  };

  prototype.disconnect = async function () {
    const { socket } = this;
    await disconnect.call(this);
    for (const event of ['data', 'end']) socket?.removeAllListeners(event);
  };

  prototype.processData = function (data) {
    try {
      refuseSize(this, data);
      return processData.call(this, data);
    } catch (error) {
      this.socket?.destroy(error as Error);
      return undefined;
    }
  };
}

/** Looks at the size of an answer as soon as it is there: everything is kept until it has come whole. */
function refuseSize(
  { chunks, bytesBuffered, bytesNeeded, authHandlers }: ConnectionState,
  data: Buffer,
): void {
  // Mechanisms of SASL may speak without sizes.
  if (authHandlers !== null || bytesNeeded !== SIZE_BYTES || bytesBuffered + data.length < SIZE_BYTES) return;
  const start = bytesBuffered === 0 ? data : Buffer.concat([...chunks, data.subarray(0, SIZE_BYTES)]);
  const size = start.readInt32BE(0);
  if (size < MIN_ANSWER_BYTES || size > MAX_ANSWER_BYTES)
    throw new Error(`a broker announces an answer of ${size} bytes`);
}
