import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { startAgents, type AgentOptions, type Agents } from './kafka-line-agents.js';
import { differences, type Events } from './kafka-line-compare.js';
import { makeKafkaLine, newKeys, type KafkaTestLine } from './kafka-line.js';
import { endStations, removeBundle } from './kafka-line-process.js';
import { planOf, type PlannedRun } from './line-kill-plan.js';
import { kafkaMissing, startKafka, type KafkaService } from './services/kafka.js';
import { postgresMissing, startPostgres, type PostgresService } from './services/postgres.js';
import { redisMissing, startRedis, type RedisService } from './services/redis.js';
import { registryMissing, startRegistry, type RegistryService } from './services/registry.js';
import { removeTempFolders } from './temp-folder.js';

/** What the tests of one file share: services, keys, a plan, and what an undisturbed line makes of it. */
export interface KafkaLineSuite {
  readonly kafka: KafkaService;
  readonly redis: RedisService;
  readonly postgres: PostgresService;
  readonly registry: RegistryService | null;
  readonly plan: readonly PlannedRun[];
  /** A line of its own, closed after the test. */
  line(): Promise<KafkaTestLine>;
  /** Agents of the plan, stopped after the test. */
  agents(line: KafkaTestLine, options?: AgentOptions): Agents;
  /**
   * Lets the agents end and the line come to rest: the topics are in order, and what they and the audit have is, event
   * by event, what an undisturbed line has of the same plan. Answers with how many lookups there were.
   */
  expectAsUndisturbed(line: KafkaTestLine, agents: Agents): Promise<number>;
}

/** Runs are begun as long as a fault lasts; so many are more than any needs. */
const MOST_RUNS = 2000;

export function describeKafkaLine(
  name: string,
  { withRegistry = false }: { readonly withRegistry?: boolean },
  tests: (suite: KafkaLineSuite) => void,
  missing: string | null,
): void {
  describe.skipIf(missing !== null)(`${name}${missing === null ? '' : ` (left out: ${missing})`}`, () => {
    const suite = createSuite(withRegistry);
    let failed = false;
    beforeAll(() => suite.begin(), 180_000);
    afterEach((context) => {
      failed ||= context.task.result?.state === 'fail';
      return suite.tidy();
    }, 60_000);
    afterAll(() => suite.end(failed));
    tests(suite.shared);
  });
}

/** Why a line in Kafka cannot be had on this machine; null where it can. */
export async function kafkaLineMissing({ withRegistry = false } = {}): Promise<string | null> {
  const reasons = [kafkaMissing, redisMissing, postgresMissing, ...(withRegistry ? [registryMissing] : [])];
  for (const reason of reasons) {
    const found = await reason();
    if (found !== null) return found;
  }
  return null;
}

interface Services {
  readonly kafka: KafkaService;
  readonly redis: RedisService;
  readonly postgres: PostgresService;
  readonly registry: RegistryService | null;
}

function createSuite(withRegistry: boolean): {
  readonly shared: KafkaLineSuite;
  begin(): Promise<void>;
  tidy(): Promise<void>;
  end(keepLogs: boolean): Promise<void>;
} {
  const plan = planOf(MOST_RUNS, Date.now());
  const open: { agents: Agents[]; lines: KafkaTestLine[] } = { agents: [], lines: [] };
  let services: Services | null = null;
  let keys = '';
  let baseline: { readonly runs: number; readonly events: Events } | null = null;
  const started = (): Services => {
    if (services === null) throw new Error('the services are not started yet');
    return services;
  };

  const shared: KafkaLineSuite = {
    get kafka() {
      return started().kafka;
    },
    get redis() {
      return started().redis;
    },
    get postgres() {
      return started().postgres;
    },
    get registry() {
      return started().registry;
    },
    plan,
    async line() {
      const { registry, ...others } = started();
      const addresses = registry === null ? others : { ...others, registry };
      const line = await makeKafkaLine(addresses, { keys });
      open.lines.push(line);
      return line;
    },
    agents(line, options) {
      const agents = startAgents(line, plan, options);
      open.agents.push(agents);
      return agents;
    },
    async expectAsUndisturbed(line, agents) {
      const begun = await agents.finish();
      await line.rested();
      const { problems, counts, events } = await line.check();
      expect(problems).toEqual([]);
      expect(differences(events, await undisturbed(begun))).toEqual([]);
      const audited = await line.audited();
      const notes = [...events].filter(([, { topic }]) => topic === 'tool-invocation.v1').map(([id]) => id);
      expect(audited.events.toSorted()).toEqual(notes.toSorted());
      expect(audited.lookups).toHaveLength(counts.lookups);
      return counts.lookups;
    },
  };

  /** All events of these first runs of the plan, of a line that nothing happens to. */
  async function undisturbed(runs: readonly PlannedRun[]): Promise<Events> {
    if (baseline !== null && baseline.runs >= runs.length) return baseline.events;
    const line = await shared.line();
    const process = await line.run();
    const agents = startAgents(line, runs);
    open.agents.push(agents);
    await agents.more(runs.reduce((sum, { lookups }) => sum + lookups.length, 0));
    await agents.finish();
    await line.rested();
    const { problems, events } = await line.check();
    expect(problems).toEqual([]);
    await process.leave();
    baseline = { runs: runs.length, events };
    return events;
  }

  return {
    shared,
    async begin() {
      const [kafka, redis, postgres, registry] = await Promise.all([
        startKafka(),
        startRedis(),
        startPostgres(),
        withRegistry ? startRegistry() : null,
      ]);
      services = { kafka, redis, postgres, registry };
      keys = newKeys();
    },
    async tidy() {
      await Promise.all(open.agents.splice(0).map((agents) => agents.stop()));
      await endStations();
      for (const line of open.lines.splice(0)) await line.close();
    },
    async end(keepLogs) {
      await removeBundle();
      const { registry, ...others } = started();
      const all = [...Object.values(others), ...(registry === null ? [] : [registry])];
      await Promise.all(all.map((service) => service.stop({ keepLogs })));
      removeTempFolders();
    },
  };
}
