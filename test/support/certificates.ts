import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** PEM files of one who signs certificates. */
export interface Authority {
  readonly cert: string;
  readonly key: string;
}

const DAYS = '2';

/** Makes an authority, as NAME.pem and NAME.key in the folder. */
export function makeAuthority(folder: string, name: string): Authority {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const subject = ['-subj', `/CN=${name}`, '-days', DAYS];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject);
  return { cert, key };
}

/** Has the authority sign a certificate for the addresses, as `IP:127.0.0.1`. The key is PKCS#8. */
export function makeCertificate(
  folder: string,
  name: string,
  authority: Authority,
  addresses: readonly string[],
): Authority {
  const file = (ending: string): string => join(folder, `${name}.${ending}`);
  openssl(
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-keyout', file('key'), '-out', file('csr')],
    ...['-subj', `/CN=${name}`],
  );
  writeFileSync(file('ext'), `subjectAltName=${addresses.join(',')}\n`);
  openssl(
    ...['x509', '-req', '-in', file('csr'), '-out', file('pem'), '-days', DAYS, '-extfile', file('ext')],
    ...['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial'],
  );
  return { cert: file('pem'), key: file('key') };
}

export const textOf = (file: string): string => readFileSync(file, 'utf8').trim();

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
