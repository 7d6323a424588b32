import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A request as the server got it. */
export interface PyRagRequest {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** Answers one request. */
export type Play = (response: ServerResponse, request: PyRagRequest) => void;

/** A real HTTP server that plays py-rag: well, or badly. */
export interface PyRagServer {
  readonly url: string;
  readonly requests: readonly PyRagRequest[];
  /** What requests get from now on: one play each, the last one for all that follow. */
  play(...plays: readonly Play[]): void;
  /** Stops listening and cuts every connection; the address then refuses. */
  close(): Promise<void>;
}

export async function startPyRagServer(...plays: readonly Play[]): Promise<PyRagServer> {
  const requests: PyRagRequest[] = [];
  let script = [...plays];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      requests.push(request);
      const play = script.length > 1 ? script.shift() : script[0];
      (play ?? playStatus(500))(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/search`,
    requests,
    play(...next) {
      script = [...next];
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<PyRagRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { method: incoming.method ?? '', headers: incoming.headers, body: jsonOf(Buffer.concat(chunks)) };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

export function playJson(body: unknown, status = 200, headers: Record<string, string> = {}): Play {
  return (response) => {
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
  };
}

/** Exactly these bytes. */
export function playBytes(body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Play {
  return (response) => {
    response.writeHead(200, headers).end(body);
  };
}

export function playStatus(status: number, headers: Record<string, string> = {}): Play {
  return playJson({ detail: 'not today' }, status, headers);
}

export function playHtml(): Play {
  return playBytes('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html; charset=utf-8' });
}

/** Takes the request and says nothing. */
export function playSilence(): Play {
  return () => undefined;
}

/** An answer that begins well and goes on byte by byte. */
export function playSlowly(everyMs = 20): Play {
  return (response) => {
    response.writeHead(200, JSON_TYPE).write('{"hits":[');
    const timer = setInterval(() => response.write(' '), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** An answer without an end, as fast as it is read. */
export function playEndlessly(): Play {
  return (response) => {
    response.writeHead(200, JSON_TYPE);
    const block = Buffer.alloc(64 * 1024, ' ');
    const pump = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', pump);
    pump();
  };
}

/** Little to send, much to unpack. */
export function playBomb(unpackedBytes = 64 * 1024 * 1024): Play {
  return playBytes(gzipSync(Buffer.alloc(unpackedBytes, ' ')), { ...JSON_TYPE, 'content-encoding': 'gzip' });
}

/** Promises more bytes than it sends, then closes. */
export function playHalf(): Play {
  return (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
    response.write('{"hits":[', () => response.socket?.end());
  };
}

/** Cuts the connection without a word. */
export function playReset(): Play {
  return (response) => {
    response.socket?.resetAndDestroy();
  };
}

/** A hit as py-rag sends it. */
export function pyRagHit(documentId: string, chunk: number, excerpt: string): Record<string, unknown> {
  return {
    evidence_key: `${documentId}#chunk-${chunk}`,
    document_id: documentId,
    source: `${documentId}.md`,
    title: 'Gateway',
    breadcrumb: 'Gateway > Steps',
    excerpt,
    quality_score: 0.9,
    relevance_level: 'PRECISE',
  };
}

/** An answer of API v1. Without hits it is `no_evidence`. */
export function pyRagAnswer(query: string, hits: readonly unknown[]): Record<string, unknown> {
  const found = hits.length > 0;
  return {
    query,
    mode: 'hybrid',
    hits,
    relevance_level: found ? 'PRECISE' : null,
    evidence_status: found ? 'supported' : 'no_evidence',
    retrieval_trace: {
      mode: 'hybrid',
      filters: {},
      recall_count: hits.length,
      rerank_model: 'test-reranker',
      no_evidence_basis: found ? null : 'no_candidates',
    },
  };
}
