/**
 * Starts the real services that the integration tests run against, for trying things by hand: prints their addresses
 * and keeps them until Ctrl-C. What they hold is gone with them.
 */
import { kafkaMissing, startKafka } from '../test/support/services/kafka.js';

// A Ctrl-C while they start must not leave anything behind either.
const ended = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
});
const alive = setInterval(() => undefined, 1000);

const missing = await kafkaMissing();
if (missing !== null) {
  process.stderr.write(`Kafka cannot be started here: ${missing}\n`);
  process.exit(3);
}
const kafka = await startKafka({ fullJit: true });
process.stdout.write(`PROOFLINE_KAFKA_BROKERS=${kafka.address}\n`);
process.stdout.write(`Kafka's log is ${kafka.folder}/kafka.log. Ctrl-C ends everything.\n`);
await ended;
await kafka.stop();
clearInterval(alive);
