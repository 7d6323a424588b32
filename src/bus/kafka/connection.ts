import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';
import { ProoflineError } from '../../contracts/errors.js';
import type { KafkaConnection } from './client.js';

/** How the brokers are reached, as it is configured. Paths are absolute. */
export interface KafkaSettings {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  readonly ssl: boolean;
  /** PEM: who may sign the brokers' certificates; null trusts whom Node trusts. */
  readonly sslCa: string | null;
  /** PEM: the client's certificate and its key, for brokers that ask for one. */
  readonly sslCert: string | null;
  readonly sslKey: string | null;
  readonly sasl: {
    /** One of `mechanisms`, in any case. */
    readonly mechanism: string;
    readonly username: string;
    readonly password: string;
  } | null;
}

export const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/**
 * Reads what the settings name.
 * @throws ProoflineError PL_CONFIG_INVALID with everything that is wrong: files that cannot be read, that hold no
 * certificate or key, a key that is not the certificate's, a mechanism that is not spoken.
 */
export function kafkaConnectionOf(settings: KafkaSettings): KafkaConnection {
  const problems: string[] = [];
  const brokers = settings.brokers.map((each) => each.trim());
  if (brokers.length === 0) problems.push('there is no broker');
  for (const broker of brokers) {
    if (!BROKER.test(broker)) problems.push(`${JSON.stringify(broker)} is not host:port`);
  }
  const ssl = settings.ssl ? tlsOf(settings, problems) : undefined;
  if (!settings.ssl && [settings.sslCa, settings.sslCert, settings.sslKey].some((file) => file !== null))
    problems.push('files for TLS are given, but TLS is off');
  const sasl = settings.sasl === null ? undefined : saslOf(settings.sasl, problems);
  if (problems.length > 0)
    throw new ProoflineError('PL_CONFIG_INVALID', {
      problems: problems.map((each) => `\n  Kafka: ${each}`).join(''),
    });
  return { brokers, ...(ssl === undefined ? {} : { ssl }), ...(sasl === undefined ? {} : { sasl }) };
}

/** The host may be an IPv6 address in brackets. */
const BROKER = /^(?:[^\s:[\]/@]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/;

/** Texts of the files. */
type Pems = Partial<Readonly<Record<'ca' | 'cert' | 'key', string>>>;

function tlsOf({ sslCa, sslCert, sslKey }: KafkaSettings, problems: string[]): ConnectionOptions {
  if ((sslCert === null) !== (sslKey === null))
    problems.push('a certificate and its key go together: one of them is missing');
  const before = problems.length;
  const files = { ca: sslCa, cert: sslCert, key: sslKey };
  const read = Object.entries(files).flatMap(([name, file]) =>
    file === null ? [] : [[name, readPem(file, problems)] as const],
  );
  const pems: Pems = Object.fromEntries(read);
  if (problems.length === before) checkTls(pems, files, problems);
  return pems;
}

function readPem(file: string, problems: string[]): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (!text.includes('-----BEGIN ')) problems.push(`${file} holds nothing in PEM`);
    return text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`${file} cannot be read: ${code ?? String(error)}`);
    return '';
  }
}

/** One after the other, so that it is known which file is wrong. */
function checkTls(
  { ca = '', cert = '', key = '' }: Pems,
  files: Readonly<Record<'ca' | 'cert' | 'key', string | null>>,
  problems: string[],
): void {
  const checks: readonly (readonly [string | null, () => unknown])[] = [
    [files.ca, () => parseCertificates(ca)],
    [files.cert, () => parseCertificates(cert)],
    [files.key, () => createPrivateKey(key)],
    [
      files.cert === null ? null : `${files.cert} with ${files.key ?? ''}`,
      () => createSecureContext({ cert, key }),
    ],
  ];
  for (const [what, check] of checks) {
    if (what === null) continue;
    try {
      check();
    } catch (error) {
      problems.push(`${what} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
  }
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^]*?-----END [A-Z0-9 ]+-----/g;

/** TLS itself passes over what it cannot read. */
function parseCertificates(pem: string): X509Certificate[] {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error('it holds no certificate');
  return found.map((each) => new X509Certificate(each));
}

function saslOf(
  { mechanism, username, password }: NonNullable<KafkaSettings['sasl']>,
  problems: string[],
): SASLOptions | undefined {
  const known = mechanisms.find((each) => each === mechanism.toLowerCase());
  if (username === '' || password === '') problems.push('a user without a name, or without a password');
  if (known !== undefined) return { mechanism: known, username, password };
  problems.push(`the mechanism is ${JSON.stringify(mechanism)}; it may be ${mechanisms.join(', ')}`);
  return undefined;
}
