import { createServer } from 'node:net';
import { failure, ok, type Check } from './check.js';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where `up` is to listen: nobody does, or a process of ours does already. */
export async function checkHttpPort({ host, port }: Address): Promise<Check> {
  const where = `${host}:${port}`;
  const problem = await listenProblem({ host, port });
  if (problem === null) return ok('http', port === 0 ? 'any free port will do' : `${where} is free`);
  if (problem === 'EADDRINUSE' && (await isOurs({ host, port })))
    return ok('http', `a process of proofline listens at ${where}`);
  const finding =
    problem === 'EADDRINUSE'
      ? `another process listens at ${where}`
      : `nobody can listen at ${where}: ${problem}`;
  return failure('http', finding, 'Set PROOFLINE_HTTP_HOST and PROOFLINE_HTTP_PORT to what is free here.');
}

/** The operating system's word for why not; null where it works. */
function listenProblem({ host, port }: Address): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

const TIMEOUT_MS = 2000;

async function isOurs({ host, port }: Address): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/livez`;
  try {
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = (await response.text()).slice(0, 100);
    return text === '{"status":"alive"}' || text === '{"status":"failed"}';
  } catch {
    return false;
  }
}
