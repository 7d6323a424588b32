import { openKafkaBus } from '../../src/bus/kafka/kafka-bus.js';
import { consume, copyTo } from './bus.js';

/**
 * A process that copies one topic to another over Kafka until it is told to stop: `ADDRESS PREFIX PARTITIONS`.
 * Its session is short, so that a test can stop it for longer.
 */
const [address = '', prefix = '', partitions = '1'] = process.argv.slice(2);

const bus = await openKafkaBus({
  brokers: [address],
  prefix,
  partitions: Number(partitions),
  times: { sessionTimeoutMs: 2000, heartbeatMs: 200, rebalanceTimeoutMs: 3000 },
});
const group = consume(bus, {
  group: 'copy',
  topics: ['raw-hits.v1'],
  maxRecords: 20,
  opened(lane) {
    process.stdout.write(`open ${lane.partition}\n`);
    return {};
  },
  work: copyTo('postprocessed.v1'),
});
// What is closed keeps no process alive: it ends by itself.
process.once('SIGTERM', () => void group.consumption.stop().then(() => bus.close()));
process.stdout.write('ready\n');
