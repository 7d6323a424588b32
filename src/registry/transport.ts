import type { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { isJsonObject } from '../contracts/json.js';

type Middleware = NonNullable<ConstructorParameters<typeof SchemaRegistry>[0]['middlewares']>[number];

/** A request as the registry's client hands it over. */
interface ClientRequest {
  method(): string;
  url(): string;
  headers(): Record<string, string>;
  body(): unknown;
  auth(): { readonly username?: string; readonly password?: string } | undefined;
}

/** A registry's own no, as it says it. */
export interface RegistryNo {
  readonly kind: 'no';
  readonly status: number;
  /** The registry's number, as 40403; it begins with the status. */
  readonly errorCode: number;
  readonly problem: string;
}

export type Answer =
  | { readonly kind: 'fine'; readonly body: Readonly<Record<string, unknown>> }
  | RegistryNo
  /** It is there, but cannot be used, whenever it is asked for. */
  | { readonly kind: 'unusable'; readonly problem: string }
  /** Nobody answered, or not as a registry does. */
  | { readonly kind: 'down'; readonly problem: string };

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_PROBLEM_CHARS = 300;
/** Timeout and too many requests: asked again, it may be answered. */
const LATER: ReadonlySet<number> = new Set([408, 429]);

/**
 * Answers the requests of the registry's client in the place of its own HTTP, which waits for ever, takes in
 * whatever comes, tells an error's text only, compiles schemas of any language, and ends the process over an error
 * whose body is null. `see` is told of every answer.
 */
export function createTransport(signal: AbortSignal, see: (answer: Answer) => void): Middleware {
  const response = async (_next: unknown, _renew: unknown, request: ClientRequest): Promise<object> => {
    const answer = await send(request, signal);
    see(answer);
    if (answer.kind === 'fine') return { data: () => answer.body };
    // The client looks at the status alone, for 404.
    const { problem, status = 0 } = answer as { problem: string; status?: number };
    throw Object.assign(new Error(problem), { status });
  };
  return (() => ({ response })) as unknown as Middleware;
}

async function send(request: ClientRequest, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(request.url(), {
      method: request.method().toUpperCase(),
      headers: { ...request.headers(), ...authorization(request) },
      body: (request.body() as string | undefined) ?? null,
      redirect: 'manual',
      signal,
    });
    const text = await readBounded(response);
    if (text === null) return { kind: 'unusable', problem: `the answer is over ${MAX_ANSWER_BYTES} bytes` };
    return response.ok ? judgeSuccess(bodyOf(text)) : judgeFailure(response.status, bodyOf(text));
  } catch (error) {
    return { kind: 'down', problem: networkProblem(error) };
  }
}

function authorization(request: ClientRequest): { authorization?: string } {
  const auth = request.auth();
  if (auth === undefined) return {};
  const user = Buffer.from(`${auth.username ?? ''}:${auth.password ?? ''}`, 'utf8');
  return { authorization: `Basic ${user.toString('base64')}` };
}

/** Null where there is too much of it. */
async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cuts the connection.
    if (bytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One of them is in every answer that is asked for here. */
const FIELDS = ['schema', 'id', 'compatibilityLevel', 'compatibility'];

function judgeSuccess(body: Readonly<Record<string, unknown>> | null): Answer {
  if (body === null || !FIELDS.some((field) => field in body))
    return { kind: 'down', problem: 'it answers, but not in JSON as a registry does' };
  const { schemaType = 'AVRO' } = body;
  if (schemaType !== 'AVRO')
    return { kind: 'unusable', problem: `it is of the type ${String(schemaType).slice(0, 40)}, not AVRO` };
  return { kind: 'fine', body };
}

function judgeFailure(status: number, body: Readonly<Record<string, unknown>> | null): Answer {
  const { error_code: errorCode, message } = body ?? {};
  const problem = typeof message === 'string' ? message.slice(0, MAX_PROBLEM_CHARS) : 'no reason given';
  // Only a registry numbers its errors: a proxy on the way that knows no such page does not.
  const isNo = typeof errorCode === 'number' && status >= 400 && status < 500 && !LATER.has(status);
  if (isNo) return { kind: 'no', status, errorCode, problem };
  return { kind: 'down', problem: `it answers ${status}: ${problem}` };
}

function bodyOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}

/** The cause says more than fetch's own "fetch failed". */
function networkProblem(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  return [message, cause?.code, cause?.message]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(': ')
    .slice(0, MAX_PROBLEM_CHARS);
}
