import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { kafkaConnectionOf, type KafkaSettings } from '../../src/bus/kafka/connection.js';
import { busError } from '../../src/bus/kafka/refused.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { makeAuthority } from '../support/certificates.js';
import { refusal } from '../support/refusal.js';
import { works } from '../support/services/processes.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(removeTempFolders);

const plain: KafkaSettings = {
  brokers: ['kafka-1:9092', '10.0.0.1:9093', '[::1]:9094'],
  ...{ ssl: false, sslCa: null, sslCert: null, sslKey: null, sasl: null },
};

function problemsOf(more: Partial<KafkaSettings>): string {
  try {
    kafkaConnectionOf({ ...plain, ...more });
  } catch (error) {
    expect(error).toEqual(refusal('PL_CONFIG_INVALID'));
    return (error as Error).message;
  }
  throw new Error('nothing is wrong with it');
}

describe('how the brokers are reached', () => {
  test('without more it is the brokers alone', () => {
    expect(kafkaConnectionOf(plain)).toEqual({ brokers: plain.brokers });
  });

  test('TLS without files trusts whom Node trusts', () => {
    expect(kafkaConnectionOf({ ...plain, ssl: true })).toMatchObject({ ssl: {} });
  });

  test.each(['plain', 'SCRAM-SHA-256', 'scram-sha-512'])('a user is told with %s', (mechanism) => {
    const sasl = { mechanism, username: 'u', password: 'p' };
    expect(kafkaConnectionOf({ ...plain, sasl })).toMatchObject({
      sasl: { ...sasl, mechanism: mechanism.toLowerCase() },
    });
  });

  test.each<[string, Partial<KafkaSettings>, string]>([
    ['no broker', { brokers: [] }, 'there is no broker'],
    ['a broker without a port', { brokers: ['kafka'] }, '"kafka" is not host:port'],
    ['an address with a password', { brokers: ['u:p@kafka:9092'] }, 'is not host:port'],
    [
      'a mechanism that is not spoken',
      { sasl: { mechanism: 'gssapi', username: 'u', password: 'p' } },
      'the mechanism is "gssapi"; it may be plain, scram-sha-256, scram-sha-512',
    ],
    ['no password', { sasl: { mechanism: 'plain', username: 'u', password: '' } }, 'without a password'],
    ['files, but no TLS', { sslCa: '/ca.pem' }, 'TLS is off'],
    ['a file that is not there', { ssl: true, sslCa: '/no/ca.pem' }, '/no/ca.pem cannot be read: ENOENT'],
    ['a folder', { ssl: true, sslCa: '/' }, '/ cannot be read: EISDIR'],
  ])('given %s, it says so', (_, more, problem) => {
    expect(problemsOf(more)).toContain(problem);
  });

  test('given several that are wrong, it names all, and no password', () => {
    const message = problemsOf({
      ...{ brokers: ['x'], ssl: true, sslCa: '/no/ca.pem' },
      sasl: { mechanism: 'none', username: 'u', password: 'secret' },
    });
    for (const problem of ['"x"', '/no/ca.pem', '"none"']) expect(message).toContain(problem);
    expect(message).not.toContain('secret');
  });

  describe.skipIf(!works('openssl', ['version']))('with certificates', () => {
    test('it reads them', () => {
      const { cert, key } = makeAuthority(tempFolder(), 'one');
      const { ssl } = kafkaConnectionOf({ ...plain, ssl: true, sslCa: cert, sslCert: cert, sslKey: key });
      expect(Object.keys(ssl as object)).toEqual(['ca', 'cert', 'key']);
    });

    test('given a key of another certificate, none, text, or a broken one, it says which', () => {
      const folder = tempFolder();
      const [one, other] = [makeAuthority(folder, 'one'), makeAuthority(folder, 'other')];
      const text = join(folder, 'text');
      const broken = join(folder, 'broken');
      writeFileSync(text, 'no PEM');
      writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n');
      const tls = (more: Partial<KafkaSettings>): string => problemsOf({ ssl: true, ...more });
      expect(tls({ sslCert: one.cert, sslKey: other.key })).toContain(`${one.cert} with ${other.key}`);
      expect(tls({ sslCert: one.cert })).toContain('one of them is missing');
      expect(tls({ sslCa: text })).toContain(`${text} holds nothing in PEM`);
      expect(tls({ sslCa: broken })).toContain(`${broken} cannot be used`);
      expect(tls({ sslCert: one.key, sslKey: one.key })).toContain('it holds no certificate');
      expect(tls({ sslCert: one.cert, sslKey: one.cert })).toContain(`${one.cert} cannot be used`);
    });
  });
});

describe('what an error of the broker means', () => {
  const coded = (code: string): Error => Object.assign(new Error('x'), { code });
  test.each<[string, Error]>([
    ['a certificate that is not trusted', coded('SELF_SIGNED_CERT_IN_CHAIN')],
    ['one that is over', coded('CERT_HAS_EXPIRED')],
    ['one of another host', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['an alert', coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')],
    ['a wrong password', Object.assign(new Error('x'), { name: 'KafkaJSSASLAuthenticationError' })],
    ['no right to', Object.assign(new Error('x'), { type: 'TOPIC_AUTHORIZATION_FAILED' })],
  ])('%s, also as a cause: waiting does not help', (_, error) => {
    for (const each of [error, new Error('outer', { cause: error })])
      expect(busError(each)).toMatchObject({ code: 'PL_BUS_REFUSED', retryable: false });
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND'])('%s may pass', (code) => {
    expect(busError(coded(code))).toMatchObject({ code: 'PL_BUS_DOWN', retryable: true });
  });

  test('our own stay as they are', () => {
    const own = new ProoflineError('PL_PARTITIONS_CHANGED');
    expect(busError(own)).toBe(own);
  });
});
