import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256 } from '../../src/contracts/digest.js';
import { writeAgentView } from '../../src/evidence/agent-view.js';
import type { AgentView } from '../../src/contracts/generated.js';

/** A request as a gateway of a test saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The body, read as JSON; null without one. */
  readonly body: Record<string, unknown> | null;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void;

/** An HTTP server that answers requests one after the other as it is told; the last answer stays. */
export interface ScriptedGateway {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  answer(...answers: readonly Answer[]): void;
}

const opened = new Set<Server>();

export async function openScriptedGateway(): Promise<ScriptedGateway> {
  const requests: SeenRequest[] = [];
  let script: Answer[] = [];
  const server = createServer((request, response) => {
    void seen(request).then((each) => {
      requests.push(each);
      const answer = script.length > 1 ? script.shift() : script[0];
      answer?.(response, each);
    });
  });
  opened.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (...answers) => void (script = [...answers]),
  };
}

/** For `afterEach`. */
export async function closeScriptedGateways(): Promise<void> {
  for (const server of opened) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  opened.clear();
}

async function seen(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function problem(
  status: number,
  code: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    const body = { type: 'about:blank', title: code, status, detail: `because of ${code}`, code };
    response.end(
      JSON.stringify({ ...body, retryable: status >= 500 || status === 429, solution: 'do', ...more }),
    );
  };
}

export const pending = json(202, { state: 'PENDING' }, { 'retry-after': '1' });

/** The connection is cut before there is an answer. */
export const cut: Answer = (response) => response.destroy();

/** Never answers. */
export const silent: Answer = () => undefined;

export function viewText(toolCallId: string, fields: Partial<AgentView> = {}): string {
  return writeAgentView({
    evidenceStatus: 'NO_EVIDENCE',
    toolCallId,
    query: '网关',
    evidence: [],
    returnedCount: 0,
    relevanceLevel: null,
    truncated: false,
    ...fields,
  });
}

/** The agent view of the lookup that was asked. */
export function view(headers: Readonly<Record<string, string>> = {}): Answer {
  return (response, { body, url }) => {
    const named = body?.['tool_call_id'];
    const asked = typeof named === 'string' ? named : url.split('?')[0]!.split('/').at(-1)!;
    const text = viewText(asked);
    response.writeHead(200, {
      'content-type': 'application/json',
      'proofline-agent-view-sha256': sha256(text),
      'proofline-gain': 'NONE',
      'proofline-repeat': 'false',
      'proofline-event-id': 'e'.repeat(32),
      'proofline-expires-at': '2026-01-02T03:04:05.000Z',
      ...headers,
    });
    response.end(text);
  };
}

/** Server-sent events, and then the end of the stream; or not, when it `stays`. */
export function events(
  sent: readonly { readonly id?: string; readonly event?: string; readonly data: unknown }[],
  { stays = false } = {},
): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    for (const { id, event, data } of sent) {
      if (id !== undefined) response.write(`id: ${id}\n`);
      if (event !== undefined) response.write(`event: ${event}\n`);
      response.write(`data: ${JSON.stringify(data)}\n\n`);
    }
    if (!stays) response.end();
  };
}
