/** What an error of `fetch` means. Only its code is looked at: its text may hold the address and the token. */
export interface NetworkFault {
  /** True where nobody is reached at all, so that every other lookup would fare the same. */
  readonly down: boolean;
  readonly problem: string;
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'its name is not in the DNS',
  EAI_AGAIN: 'the DNS does not answer',
  EAI_FAIL: 'the DNS fails',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no network to it',
  ENETDOWN: 'the network is down',
  EADDRNOTAVAIL: 'there is no free local port',
};

const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|CRL_|INVALID_CA$)/;

export function networkFault(error: unknown): NetworkFault {
  const codes = codesOf(error, 4);
  for (const code of codes) {
    const unreachable = UNREACHABLE[code];
    if (unreachable !== undefined) return { down: true, problem: `${unreachable} (${code})` };
    if (TLS.test(code)) return { down: true, problem: `TLS fails (${code})` };
  }
  return { down: false, problem: `the connection broke${codes[0] === undefined ? '' : ` (${codes[0]})`}` };
}

/** The codes of an error, of its causes, and of the errors that it gathers (one for each address tried). */
function codesOf(error: unknown, depth: number): readonly string[] {
  if (!(error instanceof Error) || depth === 0) return [];
  const { code, cause, errors } = error as Error & { code?: unknown; errors?: unknown };
  const own = typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? [code] : [];
  const nested = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return [...own, ...nested.flatMap((inner) => codesOf(inner, depth - 1))];
}
