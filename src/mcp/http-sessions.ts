import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** The sessions of the clients over HTTP; each has a server, and so a run, of its own. */
export interface HttpSessions {
  /** Passes the request on to its session; one without a session may begin one. False where no more fit. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Ends the sessions that nobody has used for so long. */
  endIdle(): Promise<void>;
  /** How many there are, those that are just beginning included. */
  readonly size: number;
  close(): Promise<void>;
}

export interface HttpSessionsOptions {
  readonly createServer: () => McpServer;
  readonly max: number;
  readonly idleMs: number;
}

/** Bytes of the largest body. */
const MAX_BODY_BYTES = 1024 * 1024;

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  /** Requests, and streams, that are open. */
  open: number;
  usedAt: number;
}

export function createHttpSessions({ createServer, max, idleMs }: HttpSessionsOptions): HttpSessions {
  const sessions = new Map<string, Session>();
  /** Those that have not said yet what they are. */
  const beginning = new Set<Session>();

  async function begin(): Promise<Session> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized(id) {
        beginning.delete(session);
        sessions.set(id, session);
      },
    });
    const session: Session = { transport, open: 0, usedAt: performance.now() };
    beginning.add(session);
    const server = createServer();
    server.server.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    return session;
  }

  async function pass(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
    session.open++;
    session.usedAt = performance.now();
    response.once('close', () => {
      session.open--;
      session.usedAt = performance.now();
    });
    await session.transport.handleRequest(request, response);
  }

  /** Whoever has nothing open, and was quiet for longest, gives way. */
  async function makeRoom(): Promise<boolean> {
    if (sessions.size + beginning.size < max) return true;
    const idle = [...sessions.values()].filter(({ open }) => open === 0);
    const quietest = idle.sort((a, b) => a.usedAt - b.usedAt)[0];
    await quietest?.transport.close();
    return quietest !== undefined;
  }

  return {
    async handle(request, response) {
      const id = request.headers['mcp-session-id'];
      if (id !== undefined) {
        const session = sessions.get(String(id));
        if (session === undefined) refuseSession(response);
        else await pass(session, request, response);
        return true;
      }
      if (!(await makeRoom())) return false;
      const session = await begin();
      try {
        await pass(session, request, response);
      } finally {
        // What began no session leaves nothing behind.
        if (beginning.delete(session)) await session.transport.close();
      }
      return true;
    },
    async endIdle() {
      const since = performance.now() - idleMs;
      const idle = [...sessions.values()].filter(({ open, usedAt }) => open === 0 && usedAt <= since);
      await Promise.all(idle.map(({ transport }) => transport.close()));
    },
    get size() {
      return sessions.size + beginning.size;
    },
    async close() {
      await Promise.all([...sessions.values(), ...beginning].map(({ transport }) => transport.close()));
    },
  };
}

function refuseSession(response: ServerResponse): void {
  sendRpcError(response, 404, -32001, 'Session not found');
}

/** An error of the transport, in the form that clients of the protocol read. */
export function sendRpcError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
