import { createRequire } from 'node:module';
import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
// First of all: it corrects what is loaded below.
import '../../src/bus/kafka/load-kafkajs.js';

const require = createRequire(import.meta.url);
const inside = (path: string): unknown => require(`kafkajs/src/${path}`);

interface TestedConnection {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  send(request: object): Promise<{ apiVersions: unknown[] }>;
}

const Connection = inside('network/connection') as new (options: object) => TestedConnection;
const socketFactory = inside('network/socketFactory') as () => unknown;
const { createLogger, LEVELS } = inside('loggers') as {
  createLogger: (options: object) => object;
  LEVELS: { NOTHING: number };
};
const { requests } = inside('protocol/requests') as {
  requests: { ApiVersions: { protocol: (of: { version: number }) => () => object } };
};

function sized(body: Buffer, size = body.length): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeInt32BE(size, 0);
  return Buffer.concat([prefix, body]);
}

/** An answer to ApiVersions v0: there is one request. */
function apiVersions(correlationId: number): Buffer {
  const body = Buffer.alloc(4 + 2 + 4 + 6);
  body.writeInt32BE(correlationId, 0);
  body.writeInt32BE(1, 6);
  body.writeInt16BE(18, 10);
  return sized(body);
}

describe('a connection that breaks within an answer', () => {
  let server: net.Server;
  let connection: TestedConnection;
  afterEach(async () => {
    await connection.disconnect();
    await new Promise((closed) => server.close(closed));
  });

  /** A broker that answers with these bytes and hangs up, and makes sense on the next connection. */
  async function connectTo(nonsense: Buffer): Promise<void> {
    let connections = 0;
    server = net.createServer((socket) => {
      const isFirst = ++connections === 1;
      socket.on('error', () => undefined);
      socket.on('data', (asked) => {
        if (isFirst) socket.end(nonsense);
        else socket.write(apiVersions(asked.readInt32BE(8)));
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as net.AddressInfo;
    connection = new Connection({
      ...{ host: '127.0.0.1', port, connectionTimeout: 5000, requestTimeout: 5000 },
      socketFactory: socketFactory(),
      logger: createLogger({ level: LEVELS.NOTHING, logCreator: () => () => undefined }),
    });
    await connection.connect();
  }

  const ask = (): Promise<{ apiVersions: unknown[] }> =>
    connection.send(requests.ApiVersions.protocol({ version: 0 })());

  test.each([
    ['half of a size', Buffer.from([0, 0])],
    ['a size and half of an answer', sized(Buffer.alloc(30), 100)],
    ['a size that is none', sized(Buffer.alloc(0), -7)],
    ['a size without an id', sized(Buffer.alloc(1))],
    ['two gigabytes to come', sized(Buffer.alloc(0), 2 ** 31 - 1)],
    ['an answer to nobody', sized(Buffer.alloc(8, 7))],
  ])('given %s, who asked is told, and the next connection begins anew', async (_, nonsense) => {
    await connectTo(nonsense);
    await expect(ask()).rejects.toMatchObject({
      name: expect.stringContaining('KafkaJSConnection') as string,
    });
    await connection.connect();
    expect((await ask()).apiVersions).toHaveLength(1);
  });
});
