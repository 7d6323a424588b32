import { describe, expect, it } from 'vitest';
import { ProoflineError } from '../../src/contracts/errors.js';
import type { TopicName } from '../../src/contracts/topics.js';
import type { Check } from '../../src/doctor/check.js';
import { checkBrokers, checkBrokerSettings, checkTransactions } from '../../src/doctor/kafka-brokers.js';
import { checkCopies } from '../../src/doctor/kafka-copies.js';
import { checkDates, checkOffsets, checkOpenTransactions } from '../../src/doctor/kafka-logs.js';
import { checkRights } from '../../src/doctor/kafka-rights.js';
import type { KafkaSight, LogSeen, TopicSeen } from '../../src/doctor/kafka-sight.js';
import { checkTopics } from '../../src/doctor/kafka-topics.js';
import { kafkaSight, logsSeen, topicSeen } from '../support/kafka-sight.js';

const NOW = 1_700_000_000_000;
const notOk = (checks: readonly Check[]): Check[] => checks.filter(({ status }) => status !== 'ok');

describe('given brokers', () => {
  it('when all are new enough, says so', async () => {
    expect(await checkBrokers(kafkaSight())).toMatchObject([{ status: 'ok' }]);
  });

  it('when one is older than Kafka 2.5, then it blocks and is named', async () => {
    const old = { nodeId: 7, address: 'old:9092', initProducerId: 1, settings: null };
    const brokers = async () => [...(await kafkaSight().brokers()), old];
    const checks = await checkBrokers(kafkaSight({ brokers }));
    expect(checks).toMatchObject([{ status: 'fail', finding: 'older than Kafka 2.5: old:9092 (7)' }]);
  });

  it.each([
    ['offsets.retention.minutes', '10080', /10080, but drafts are kept for 43200 minutes/],
    ['replica.fetch.max.bytes', '1048576', /1048576, but a batch may have \d+ bytes/],
  ])('when %s is %s, then that is told', async (name, value, finding) => {
    const brokers = brokersWith({ [name]: value });
    expect(notOk(await checkBrokerSettings(kafkaSight({ brokers })))).toMatchObject([
      { status: 'warn', finding: expect.stringMatching(finding) as string },
    ]);
  });

  it('when their settings may not be seen, then that is told, and nothing blocks', async () => {
    const brokers = async () => (await kafkaSight().brokers()).map((each) => ({ ...each, settings: null }));
    expect(await checkBrokerSettings(kafkaSight({ brokers }))).toMatchObject([{ status: 'warn' }]);
  });

  it('when they refuse a transaction, then it blocks', async () => {
    const tryTransaction = rejecting('PL_BUS_REFUSED', 'not authorized');
    expect(await checkTransactions(kafkaSight({ tryTransaction }), 'p.')).toMatchObject([
      { status: 'fail', finding: 'the brokers refuse a transaction of p.doctor: not authorized' },
    ]);
  });

  it('when there is no coordinator yet, then it is down and not wrong', async () => {
    const tryTransaction = rejecting('PL_BUS_DOWN', 'no coordinator');
    await expect(checkTransactions(kafkaSight({ tryTransaction }), 'p.')).rejects.toMatchObject({
      code: 'PL_BUS_DOWN',
    });
  });

  it('when a coordinator never comes, since its topic wants more brokers, then it blocks', async () => {
    const sight = kafkaSight({
      brokers: brokersWith({ 'transaction.state.log.replication.factor': '5' }),
      tryTransaction: rejecting('PL_BUS_DOWN', 'no coordinator'),
      internalReplicas: () => Promise.resolve(null),
    });
    const checks = await checkTransactions(sight, 'p.');
    expect(checks).toMatchObject([{ status: 'fail' }]);
    expect(checks[0]!.finding).toContain('__transaction_state');
    expect(checks[0]!.finding).toContain('is 5, and there are 3 of them');
  });
});

describe('given topics', () => {
  const look = (change: Partial<Record<TopicName, TopicSeen>>, partitions: number | null = null) =>
    checkTopics(kafkaSight({ topic: (name) => Promise.resolve(change[name] ?? topicSeen(name)) }), {
      prefix: 'p.',
      partitions,
    });

  it('when all are there, says how many partitions they have', async () => {
    expect(await look({}, 2)).toMatchObject([
      { status: 'ok', finding: 'all 16 are there, of 2 partitions each' },
    ]);
  });

  it.each<[string, Partial<Record<TopicName, TopicSeen>>, string]>([
    ['some are missing', { 'verdict.v1': { kind: 'missing' } }, 'missing: p.verdict.v1'],
    ['some are hidden', { 'ledger.v1': { kind: 'refused' } }, 'this user may not see: p.ledger.v1'],
    [
      'their numbers differ',
      { 'verified.v1': topicSeen('verified.v1', { partitions: 3 }) },
      'most have 2 partitions, but p.verified.v1 has 3',
    ],
    [
      'one is cleaned otherwise',
      { 'ledger.v1': topicSeen('ledger.v1', { settings: { 'cleanup.policy': 'delete' } }) },
      'p.ledger.v1 has cleanup.policy=delete, but needs compact',
    ],
    [
      'one is kept too shortly',
      { 'draft-submitted.v1': topicSeen('draft-submitted.v1', { settings: { 'retention.ms': '1000' } }) },
      'p.draft-submitted.v1 has retention.ms=1000, but needs at least 2592000000',
    ],
    [
      'one takes only small records',
      { 'raw-hits.v1': topicSeen('raw-hits.v1', { settings: { 'max.message.bytes': '1048588' } }) },
      'p.raw-hits.v1 has max.message.bytes=1048588, but needs at least 4259840',
    ],
    [
      'settings are hidden',
      { 'raw-hits.v1': { ...topicSeen('raw-hits.v1'), settings: null } },
      'this user may not see the settings of: p.raw-hits.v1',
    ],
    [
      'more replicas must be in sync than there are',
      { 'ledger.v1': topicSeen('ledger.v1', { replicas: 1 }) },
      'p.ledger.v1 has min.insync.replicas=2, and replicas: 1',
    ],
  ])('when %s, then it blocks', async (_what, change, finding) => {
    expect(await look(change)).toMatchObject([{ status: 'fail', finding }]);
  });

  it('when PROOFLINE_PARTITIONS is another number, then it blocks', async () => {
    expect(await look({}, 12)).toMatchObject([
      { status: 'fail', finding: 'they have 2 partitions, but PROOFLINE_PARTITIONS is 12' },
    ]);
  });
});

describe('given replicas', () => {
  const look = (change: Parameters<typeof topicSeen>[1]) =>
    checkCopies(
      kafkaSight({ topic: (name) => Promise.resolve(topicSeen(name, name === 'ledger.v1' ? change : {})) }),
      'p.',
    );

  it('when there are enough, says so', async () => {
    expect(await look({})).toMatchObject([{ status: 'ok' }]);
  });

  const lax = { 'min.insync.replicas': '1' };
  it.each([
    ['one replica', { replicas: 1, settings: lax }, 'warn', 'p.ledger.v1 has one replica'],
    ['min.insync.replicas 1', { settings: lax }, 'warn', 'p.ledger.v1 has replicas that nobody waits for'],
    ['a replica that is behind', { inSync: 2 }, 'warn', 'p.ledger.v1 has replicas that are behind'],
    ['too few in sync', { inSync: 1 }, 'fail', 'p.ledger.v1 has fewer replicas in sync than'],
  ])('when one has %s, then that is told', async (_what, change, status, finding) => {
    expect(await look(change)).toMatchObject([
      { status, finding: expect.stringContaining(finding) as string },
    ]);
  });

  it('when all are alike, names none of them', async () => {
    const topic: KafkaSight['topic'] = (name) =>
      Promise.resolve(topicSeen(name, { replicas: 1, settings: lax }));
    const [check] = await checkCopies(kafkaSight({ topic }), 'p.');
    expect(check!.finding).toContain('all topics have one replica');
  });
});

describe('given logs', () => {
  const open: LogSeen = { topic: 'raw-hits.v1', partition: 1, low: 0, stable: 5, end: 9 };
  const looking = (change: Partial<KafkaSight>) => ({
    sight: kafkaSight(change),
    now: () => NOW,
    secondLookMs: 1,
  });

  it('when nothing is open, says so', async () => {
    expect(await checkOpenTransactions(looking({}))).toMatchObject([{ status: 'ok' }]);
  });

  it('when transactions come and go, then all is well', async () => {
    const looks = [[open], [{ ...open, stable: 9, end: 12 }]];
    const logs = () => Promise.resolve(looks.shift() ?? []);
    expect(await checkOpenTransactions(looking({ logs }))).toMatchObject([{ status: 'ok' }]);
  });

  it.each([
    [31_000, 'fail', 'at least 31 s'],
    [12_000, 'warn', 'at least 12 s'],
    [-99_000, 'warn', 'at least 0 s'],
  ])('when one that began %i ms ago stays open, then it is %s', async (ago, status, words) => {
    const logs = () => Promise.resolve([open]);
    const checks = await checkOpenTransactions(
      looking({ logs, writtenAt: () => Promise.resolve(NOW - ago) }),
    );
    expect(checks).toMatchObject([{ name: 'open', status }]);
    expect(checks[0]!.finding).toContain(`raw-hits.v1/1 is open for ${words}: 4 offsets from 5 on`);
  });

  it.each([
    ['before what is kept', 2],
    ['behind the end', 10],
    ['at −2, as some clients leave it', -2],
  ])('when a station goes on %s, then it blocks', async (_what, offset) => {
    const log: LogSeen = { topic: 'raw-hits.v1', partition: 0, low: 3, stable: 9, end: 9 };
    const place = { topic: log.topic, partition: 0, offset };
    const committed = (group: string) => Promise.resolve(group === 'postprocess' ? [place] : []);
    const checks = await checkOffsets(looking({ logs: () => Promise.resolve([log]), committed }));
    expect(checks).toMatchObject([
      {
        status: 'fail',
        finding: `postprocess is to read raw-hits.v1/0 from ${offset}, but the log holds 3 to 9`,
      },
    ]);
  });

  it('when an offset is lost in a topic where the station keeps its own position, then all is well', async () => {
    const log: LogSeen = { topic: 'run-state.v1', partition: 0, low: 3, stable: 9, end: 9 };
    const place = { topic: log.topic, partition: 0, offset: 1 };
    const asked: string[] = [];
    const committed = (group: string, logs: readonly LogSeen[]) => {
      asked.push(...logs.map(({ topic }) => `${group} ${topic}`));
      return Promise.resolve(logs.length > 0 ? [place] : []);
    };
    const checks = await checkOffsets(looking({ logs: () => Promise.resolve([log]), committed }));
    expect(checks).toMatchObject([{ status: 'ok' }]);
    expect(asked).toEqual([]);
  });

  it('when the offsets of a group may not be seen, then it blocks', async () => {
    const committed = (group: string) => Promise.resolve(group === 'guard' ? null : []);
    expect(await checkOffsets(looking({ committed }))).toMatchObject([
      { status: 'fail', finding: expect.stringContaining('guard') as string },
    ]);
  });

  it('when nothing was ever committed, then all is well', async () => {
    const logs = () => Promise.resolve(logsSeen());
    expect(await checkOffsets(looking({ logs }))).toMatchObject([{ status: 'ok' }]);
  });

  it('when records are from the future, then that is told', async () => {
    const datedFrom = (_names: unknown, instant: number) => Promise.resolve(instant > NOW ? 2 : 99);
    expect(await checkDates(looking({ datedFrom }))).toMatchObject({
      status: 'warn',
      finding: expect.stringMatching(/^2 partitions/) as string,
    });
  });
});

describe('given rights', () => {
  it('when a station may not read or write, then it blocks, and topics that no station writes are not asked about', async () => {
    const asked: TopicName[] = [];
    const sight = kafkaSight({
      mayRead: (name) => Promise.resolve(name !== 'raw-hits.v1'),
      mayWrite(name) {
        asked.push(name);
        return Promise.resolve(name !== 'ledger.v1');
      },
    });
    expect(await checkRights(sight)).toMatchObject([
      { status: 'fail', finding: 'this user may not read raw-hits.v1' },
      { status: 'fail', finding: 'this user may not write ledger.v1' },
    ]);
    expect(asked).not.toContain('lookup-requested.v1');
    expect(asked).not.toContain('review-decision.v1');
  });
});

function brokersWith(change: Readonly<Record<string, string>>): KafkaSight['brokers'] {
  return async () =>
    (await kafkaSight().brokers()).map((each) => ({
      ...each,
      settings: new Map([...(each.settings ?? []), ...Object.entries(change)]),
    }));
}

function rejecting(code: 'PL_BUS_REFUSED' | 'PL_BUS_DOWN', problem: string): () => Promise<never> {
  return () => Promise.reject(new ProoflineError(code, { problem }));
}
