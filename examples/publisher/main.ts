import { parseArgs } from 'node:util';
import { createClient } from 'proofline/client';
import { openReportFolder } from './folder.js';
import { publishFromGateway, publishFromKafka } from './publisher.js';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'reports' },
    /** Reads from Kafka itself, at PROOFLINE_KAFKA_BROKERS, instead of from the gateway. */
    kafka: { type: 'boolean', default: false },
  },
});

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = await openReportFolder(values.out);
say(`reports are written to ${values.out}`);

if (values.kafka) {
  const { connectKafkaByEnvironment } = await import('proofline/kafka');
  const kafka = await connectKafkaByEnvironment(process.env);
  await publishFromKafka(kafka, folder, say, stop.signal);
  await kafka.close();
} else {
  const { PROOFLINE_URL: url = 'http://127.0.0.1:8080', PROOFLINE_TOKEN: token } = process.env;
  const client = createClient({ url, ...(token === undefined ? {} : { token }) });
  await publishFromGateway(client, folder, say, stop.signal);
}

// Connections to brokers may take a while to end by themselves.
process.stderr.write('stopped\n', () => process.exit(0));
