import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProoflineError } from '../contracts/errors.js';
import type { Grant, Scope, TokenBook } from './tokens.js';

/** Who may do what. Without tokens everybody may, which the listening address makes a matter of this machine. */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** One of them is needed; none: the route is open to everybody. */
    readonly scopes?: readonly Scope[];
  }
  interface FastifyRequest {
    /** Null where no token was asked for. */
    grant: Grant | null;
  }
}

/** Names of this machine for itself. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True for an address that nobody else can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

export interface AccessRules {
  /** Null lets everybody in. */
  readonly tokens: TokenBook | null;
  /** Names that the gateway answers under; null for any. */
  readonly hosts: ReadonlySet<string> | null;
  readonly origins: ReadonlySet<string>;
}

/** A page that is open in a browser here could reach an open gateway under a name of its own: names are checked. */
export function allowedHosts(
  configured: readonly string[] | null,
  hasTokens: boolean,
): ReadonlySet<string> | null {
  if (configured !== null) return new Set([...LOOPBACK, ...configured]);
  return hasTokens ? null : LOOPBACK;
}

/** @throws ProoflineError PL_HOST_REFUSED */
export function checkHost({ hosts }: AccessRules, request: FastifyRequest): void {
  if (hosts === null || hosts.has(hostName(request.headers.host ?? ''))) return;
  throw new ProoflineError('PL_HOST_REFUSED', { header: 'Host' });
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, '');
}

/**
 * Pages of other origins are kept out, also where their requests need no preflight; allowed ones may read the answers.
 * @throws ProoflineError PL_HOST_REFUSED
 */
export function checkOrigin({ origins }: AccessRules, request: FastifyRequest, reply: FastifyReply): void {
  const { origin, host = '' } = request.headers;
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return;
  if (!origins.has(origin)) throw new ProoflineError('PL_HOST_REFUSED', { header: 'Origin' });
  void reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', EXPOSED)
    .header('vary', 'origin');
}

const EXPOSED = [
  'location',
  'retry-after',
  'proofline-tool-call-id',
  'proofline-event-id',
  'proofline-agent-view-sha256',
  'proofline-gain',
  'proofline-repeat',
  'proofline-expires-at',
].join(', ');

/** The answer to a browser that asks before it sends what a page wants. */
export function answerPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', methods)
    .header(
      'access-control-allow-headers',
      'authorization, content-type, idempotency-key, last-event-id, traceparent',
    )
    .header('access-control-max-age', '600')
    .send();
}

/** Null where nobody is asked, or the token is none. @throws ProoflineError PL_TOKENS_UNUSABLE */
export function grantOf({ tokens }: AccessRules, { headers }: FastifyRequest): Grant | null {
  const token = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(headers.authorization ?? '')?.[1];
  return tokens === null || token === undefined ? null : tokens.grantOf(token);
}

/** @throws ProoflineError PL_UNAUTHENTICATED, PL_FORBIDDEN */
export function checkGrant(rules: AccessRules, request: FastifyRequest): void {
  checkGrantOf(rules, request, request.grant);
}

/** How often it is looked whether who was let in still would be, in milliseconds. */
const LOOK_MS = 1000;

/** Calls back once when the token of a request that goes on is none any more. Answers with what ends the watch. */
export function watchGrant(rules: AccessRules, request: FastifyRequest, onLost: () => void): () => void {
  if (rules.tokens === null) return () => undefined;
  const timer = setInterval(() => {
    if (isStillLetIn(rules, request)) return;
    clearInterval(timer);
    onLost();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function isStillLetIn(rules: AccessRules, request: FastifyRequest): boolean {
  try {
    checkGrantOf(rules, request, grantOf(rules, request));
    return true;
  } catch {
    return false;
  }
}

function checkGrantOf({ tokens }: AccessRules, request: FastifyRequest, grant: Grant | null): void {
  const { scopes = [] } = request.routeOptions.config;
  if (tokens === null || scopes.length === 0) return;
  if (grant === null) throw new ProoflineError('PL_UNAUTHENTICATED');
  if (!scopes.some((scope) => grant.scopes.has(scope)))
    throw new ProoflineError('PL_FORBIDDEN', { problem: `it needs the scope ${scopes.join(' or ')}` });
  const { run_id: runId } = request.params as { readonly run_id?: string };
  if (runId !== undefined && !grant.coversRun(runId))
    throw new ProoflineError('PL_FORBIDDEN', { problem: 'it is for other runs' });
}

/** Whose limits a request counts against. */
export function callerOf({ grant, ip }: FastifyRequest): string {
  return grant === null ? `ip ${ip}` : `token ${grant.id}`;
}
