import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Who may speak to the server over HTTP. A page in a browser can reach what listens on this machine under a name of
 * its own (DNS rebinding), so Host and Origin must be names that were meant; a server that others can reach asks for
 * a token.
 */
export interface HttpAccess {
  /** Null lets everybody in whom Host and Origin let in. */
  readonly token: string | null;
  /** Host names without port, besides those of this machine, an IPv6 address in brackets; null for any name. */
  readonly hosts: readonly string[] | null;
  /** Origins besides those of this machine, as browsers send them: `https://app.example`. */
  readonly origins: readonly string[];
}

export interface Denial {
  readonly status: 401 | 403;
  readonly message: string;
}

/** Null where the request may pass. */
export function denial(headers: IncomingHttpHeaders, access: HttpAccess): Denial | null {
  if (!isMeantHost(headers.host, access.hosts)) return { status: 403, message: 'Host is not allowed' };
  if (headers.origin !== undefined && !isMeantOrigin(headers.origin, access))
    return { status: 403, message: 'Origin is not allowed' };
  if (access.token !== null && !isBearer(headers.authorization, access.token))
    return { status: 401, message: 'A bearer token is needed' };
  return null;
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True where nobody but this machine can connect. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function isMeantHost(host: string | undefined, hosts: HttpAccess['hosts']): boolean {
  if (hosts === null) return true;
  const name = host === undefined ? undefined : hostnameOf(`http://${host}`);
  return name !== undefined && (LOOPBACK_NAMES.has(name) || hosts.includes(name));
}

function isMeantOrigin(origin: string, { origins, hosts }: HttpAccess): boolean {
  if (origins.includes(origin)) return true;
  const name = /^https?:\/\//.test(origin) ? hostnameOf(origin) : undefined;
  return name !== undefined && (LOOPBACK_NAMES.has(name) || hosts?.includes(name) === true);
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** In constant time: digests are of one length, whatever the tokens are. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
