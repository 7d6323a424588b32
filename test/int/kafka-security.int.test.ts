import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { kafkaConnectionOf, type KafkaSettings } from '../../src/bus/kafka/connection.js';
import { openKafkaBus, openKafkaReader } from '../../src/bus/kafka/kafka-bus.js';
import type { Bus } from '../../src/bus/bus.js';
import { consume, copyTo, newRecords, readAll, textsOf } from '../support/bus.js';
import { makeAuthority, makeCertificate, textOf, type Authority } from '../support/certificates.js';
import { TEST_TIMES } from '../support/kafka-bus.js';
import { kafkaTool } from '../support/kafka-tool.js';
import { refusal } from '../support/refusal.js';
import { kafkaMissingLocally, startKafkaLocally } from '../support/services/kafka-local.js';
import { works } from '../support/services/processes.js';
import type { Service } from '../support/services/service.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const IN = 'raw-hits.v1';
const OUT = 'postprocessed.v1';
const USER = 'line';
const PASSWORD = 'its "secret" =,;';
const missing =
  (await kafkaMissingLocally()) ?? (works('openssl', ['version']) ? null : 'openssl is not on the PATH');
const leftOut = missing === null ? '' : ` (left out: ${missing})`;

describe.skipIf(missing !== null)(`a broker that wants TLS, certificates and passwords${leftOut}`, () => {
  let kafka: Service;
  let authority: Authority;
  let client: Authority;
  let stranger: Authority;
  let failed = false;
  const opened: Bus[] = [];

  beforeAll(async () => {
    const folder = tempFolder();
    authority = makeAuthority(folder, 'authority');
    stranger = makeAuthority(folder, 'stranger');
    const broker = makeCertificate(folder, 'broker', authority, ['IP:127.0.0.1', 'DNS:localhost']);
    client = makeCertificate(folder, 'client', authority, ['DNS:client']);
    kafka = await startKafkaLocally({ extra: brokerSettings(broker) });
    await addScramUsers(folder);
  }, 120_000);
  afterEach(async (context) => {
    failed ||= context.task.result?.state === 'fail';
    for (const bus of opened.splice(0)) await bus.close();
  });
  afterAll(async () => {
    await kafka.stop({ keepLogs: failed });
    removeTempFolders();
  });

  function brokerSettings(broker: Authority): Record<string, string> {
    const quoted = PASSWORD.replaceAll('"', String.raw`\\"`);
    const users = `username="admin" password="admin" user_admin="admin" user_${USER}="${quoted}"`;
    const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule';
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    return {
      'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.certificate.chain': textOf(broker.cert),
      'ssl.keystore.key': textOf(broker.key),
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': textOf(authority.cert),
      'listener.name.plaintext.ssl.client.auth': 'required',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.plaintext.plain.sasl.jaas.config': `${plain} required ${users};`,
      'listener.name.plaintext.scram-sha-256.sasl.jaas.config': scram,
      'listener.name.plaintext.scram-sha-512.sasl.jaas.config': scram,
    };
  }

  async function addScramUsers(folder: string): Promise<void> {
    const [config, keystore] = [join(folder, 'admin.properties'), join(folder, 'keystore.pem')];
    writeFileSync(keystore, `${textOf(client.key)}\n${textOf(client.cert)}\n`);
    writeFileSync(
      config,
      `security.protocol=SASL_SSL
ssl.truststore.type=PEM
ssl.truststore.location=${authority.cert}
ssl.keystore.type=PEM
ssl.keystore.location=${keystore}
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="admin";
`,
    );
    // The tool takes one a call.
    for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512'])
      await kafkaTool('kafka.admin.ConfigCommand', [
        ...['--bootstrap-server', `127.0.0.1:${kafka.port}`, '--command-config', config, '--alter'],
        ...['--entity-type', 'users', '--entity-name', USER],
        ...['--add-config', `${mechanism}=[password=scram]`],
      ]);
  }

  const settings = (more: Partial<KafkaSettings> = {}): KafkaSettings => ({
    brokers: [`127.0.0.1:${kafka.port}`],
    ssl: true,
    sslCa: authority.cert,
    sslCert: client.cert,
    sslKey: client.key,
    sasl: { mechanism: 'plain', username: USER, password: PASSWORD },
    ...more,
  });

  async function open(prefix: string, more: Partial<KafkaSettings> = {}): Promise<Bus> {
    const connection = kafkaConnectionOf(settings(more));
    const options = { prefix, partitions: 1, replicationFactor: 1, times: TEST_TIMES };
    const bus = await openKafkaBus({ ...connection, ...options });
    opened.push(bus);
    return bus;
  }

  test.each<[string, string]>([
    ['plain', PASSWORD],
    ['scram-sha-256', 'scram'],
    ['SCRAM-SHA-512', 'scram'],
  ])('%s: a lane works through it, in transactions', async (mechanism, password) => {
    const bus = await open(`${mechanism}.`, { sasl: { mechanism, username: USER, password } });
    await bus.append(newRecords(IN, 0, 5));
    const group = consume(bus, { group: 'g', topics: [IN], work: copyTo(OUT) });
    await waitUntil('all are copied', async () => (await bus.committed('g', IN, 0)) === (await end(bus)));
    await group.consumption.stop();
    expect(group.errors).toEqual([]);
    expect(textsOf(await readAll(bus, OUT, 0))).toEqual(textsOf(await readAll(bus, IN, 0)));
  });

  async function end(bus: Bus): Promise<number> {
    return (await readAll(bus, IN, 0)).at(-1)!.offset + 1;
  }

  const wrong: [string, () => Partial<KafkaSettings>, string][] = [
    [
      'a wrong password',
      () => ({ sasl: { mechanism: 'plain', username: USER, password: 'wrong' } }),
      'Invalid username or password',
    ],
    [
      'a wrong password, with SCRAM',
      () => ({ sasl: { mechanism: 'scram-sha-256', username: USER, password: 'wrong' } }),
      'invalid credentials',
    ],
    [
      'nobody',
      () => ({ sasl: { mechanism: 'scram-sha-512', username: 'nobody', password: 'x' } }),
      'credentials',
    ],
    ['an authority that signed nothing', () => ({ sslCa: stranger.cert }), 'certificate'],
    ['no certificate', () => ({ sslCert: null, sslKey: null }), 'alert'],
    ['the certificate of a stranger', () => ({ sslCert: stranger.cert, sslKey: stranger.key }), 'alert'],
    ['no authority', () => ({ sslCa: null }), 'certificate'],
  ];
  test.each(wrong)('given %s, the start says so and ends', async (_, more, problem) => {
    await expect(open('wrong.', more())).rejects.toThrow(refusal('PL_BUS_REFUSED', problem));
    const reader = openKafkaReader({ ...kafkaConnectionOf(settings(more())), prefix: 'wrong.' });
    await expect(reader).rejects.toThrow(refusal('PL_BUS_REFUSED', problem));
  });

  test.each<[string, Partial<KafkaSettings>]>([
    ['no TLS', { ssl: false, sslCa: null, sslCert: null, sslKey: null }],
    ['no user', { sasl: null }],
  ])('given %s, the start ends with an error that says where to look', async (_, more) => {
    const error: unknown = await open('wrong.', more).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ProoflineError' });
    expect((error as { solve: string }).solve).toContain('TLS');
  });

  test('given TLS with what speaks none, the start ends with an error', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.end('no TLS here');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await expect(open('wrong.', { brokers: [`127.0.0.1:${port}`] })).rejects.toThrow(
      refusal('PL_BUS_REFUSED', 'SSL routines: wrong version number'),
    );
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
});
