/**
 * Stations of a line in Kafka, in a process that a test may end or stop: `kafka-line-child SPEC`, with the
 * configuration in PROOFLINE_*. Waits for what is down, prints `up`, then a JSON object for each incident, `fenced
 * GROUP PARTITION` for each lane that was taken from it, and `cpu MILLISECONDS` for each SIGUSR2. SIGTERM lets it leave.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { KafkaEvents } from '../../src/bus/kafka/events.js';
import type { MemberTimes } from '../../src/bus/kafka/group-member.js';
import { readConfig } from '../../src/config/config.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { openKafkaLine, type KafkaLine } from '../../src/line/kafka-line.js';
import { keepHeapSmall } from '../../src/line/small-heap.js';
import type { StationName } from '../../src/line/station-names.js';
import { createLog } from '../../src/observe/log.js';
import { createObservability } from '../../src/observe/observability.js';
import type { KnowledgeSearch } from '../../src/retrieval/knowledge-search.js';
import { crashAt, type CrashPlan } from './kafka-line-crash.js';
import { plannedAnswer } from './kafka-line-plan.js';

export interface ChildSpec {
  readonly stations: readonly StationName[];
  readonly times: Partial<MemberTimes>;
  readonly crash?: CrashPlan;
}

keepHeapSmall();
const spec = JSON.parse(process.argv[2] ?? '') as ChildSpec;
const { config } = readConfig(process.env);

const search: KnowledgeSearch = {
  name: 'planned',
  async search({ query }, { signal } = {}) {
    const { ms, outcome } = plannedAnswer(query);
    if (ms > 0) await pause(ms, undefined, signal === undefined ? {} : { signal });
    return outcome;
  },
  close: () => Promise.resolve(),
};

async function open(): Promise<KafkaLine> {
  const log = createLog('warn', (line) => void process.stdout.write(line));
  const observability = await createObservability({ log, env: {} });
  const kafkaEvents: KafkaEvents = {
    ...observability.kafkaEvents,
    fenced(group, partition) {
      console.log(`fenced ${group} ${partition}`);
      observability.kafkaEvents.fenced(group, partition);
    },
  };
  const observe = { ...observability, kafkaEvents };
  const { stations, times } = spec;
  for (;;) {
    try {
      return await openKafkaLine({ config, stations, search, observe, times });
    } catch (error) {
      if (!isProoflineError(error) || !error.retryable) throw error;
      console.log(`waits ${error.code}`);
      await pause(250);
    }
  }
}

if (spec.crash !== undefined) {
  const { station, moment } = spec.crash;
  crashAt(spec.crash, config.topicPrefix, () => console.log(`crash ${station} ${moment}`));
}
process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  console.log(`cpu ${Math.round((user + system) / 1000)}`);
});
const line = await open();
process.on('SIGTERM', () => void line.stop().then(() => process.exit(0)));
console.log('up');
