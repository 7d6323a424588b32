import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that answers as py-rag does, or as a test tells it to. */
export interface PyRagService {
  readonly url: string;
  answer(respond: (response: ServerResponse) => void): void;
  close(): Promise<void>;
}

export async function startPyRag(): Promise<PyRagService> {
  let respond: (response: ServerResponse) => void = (response) => response.writeHead(500).end();
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`,
    answer: (next) => void (respond = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
