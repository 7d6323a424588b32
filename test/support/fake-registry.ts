import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry that says what a test wants: for all that a real one does only when it is ill. */
export interface FakeRegistry {
  readonly url: string;
  /** `METHOD path` of every request so far. */
  readonly requests: readonly string[];
  /** The answer from now on. */
  answerWith(answer: FakeAnswer): void;
  close(): Promise<void>;
}

export type FakeAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers with JSON, as registries do. */
export function json(status: number, body: unknown): FakeAnswer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' });
    response.end(JSON.stringify(body));
  };
}

/** Answers with the text, whatever was asked. */
export function text(status: number, body: string, type = 'text/html'): FakeAnswer {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
}

export const schemaAnswer = (schema: unknown): FakeAnswer => json(200, { schema: JSON.stringify(schema) });

const open = new Set<FakeRegistry>();

export async function startFakeRegistry(first: FakeAnswer): Promise<FakeRegistry> {
  let answer = first;
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    requests,
    answerWith: (next) => void (answer = next),
    async close() {
      open.delete(fake);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  open.add(fake);
  return fake;
}

/** For `afterEach`. */
export async function closeFakeRegistries(): Promise<void> {
  for (const fake of [...open]) await fake.close();
}
