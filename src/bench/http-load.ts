import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Callers of an HTTP server, in a process of their own: what they cost is not the server's. Started by `http.ts`. */

export interface Load {
  readonly port: number;
  readonly paths: readonly string[];
  /** One a path. */
  readonly bodies: readonly string[];
  /** Callers at a time; each has a connection. */
  readonly concurrency: number;
  /** Milliseconds between an answer and the caller's next request. */
  readonly thinkMs: number;
}

export interface Loaded {
  /** Milliseconds of each request. */
  readonly times: readonly number[];
  readonly seconds: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
}

async function run({ port, paths, bodies, concurrency, thinkMs }: Load): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < paths.length) {
      const i = next++;
      const start = performance.now();
      const status = await post(agent, port, paths[i] ?? '', bodies[i] ?? '');
      times.push(performance.now() - start);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (thinkMs > 0) await pause(thinkMs);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, caller));
  agent.destroy();
  return { times, seconds: (performance.now() - start) / 1000, statuses };
}

/** The status; 0 where the connection broke. */
function post(agent: Agent, port: number, path: string, body: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const asked = httpRequest(
      { agent, host: '127.0.0.1', port, path, method: 'POST', headers },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', () => resolve(0));
      },
    );
    asked.on('error', () => resolve(0));
    asked.end(body);
  });
}

process.on('message', (load: Load) => {
  void run(load).then((loaded) => process.send?.(loaded));
});
