import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BusReader, StoredRecord } from '../../src/bus/bus.js';
import { reviewDecision } from '../../producers/decisions.js';
import type {
  DraftSubmitted,
  RepairRequested,
  RunOutcome,
  RunState,
  VerifiedDraft,
} from '../../src/contracts/generated.js';
import { GIVEN_UP_DRAFT_ID } from '../../src/contracts/ids.js';
import type { TopicMessages, TopicName } from '../../src/contracts/topics.js';
import { listHeld } from '../../src/line/held-drafts.js';
import { stationNames } from '../../src/line/station-names.js';
import { plannedAnswer } from '../support/kafka-line-plan.js';
import { openTestLine, type TestLine } from '../support/line.js';
import { auditProblems, checkSoakTopics, type CheckedSoakTopics } from '../support/soak/final-check.js';
import { begun, soakRuns, type SoakRun } from '../support/soak/runs.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const RUNS = 24;
/** Share of what would be published that a person sees first. */
const SAMPLE = 0.3;
/** Lookups that a run asks at most besides those of its plan. */
const MOST_BEYOND = 5;

/** What a reader makes of the records that lie on a partition of a topic. */
type Change = (records: readonly StoredRecord[]) => readonly StoredRecord[];

describe('the check at the end of a soak', () => {
  let line: TestLine;
  /** A draft that waited for a person. */
  let heldOnce: RunOutcome['held'] = null;

  beforeAll(async () => {
    line = await soakedLine();
    heldOnce = (await line.messages('run-outcome.v1')).find(({ held }) => held !== null)!.held;
  }, 60_000);
  afterAll(async () => {
    await line.close();
    removeTempFolders();
  });

  const check = (topic?: TopicName, change?: Change): Promise<CheckedSoakTopics> =>
    checkSoakTopics({ reader: changed(line.bus, topic, change), codec: line.codec, keyring: line.keyring });
  const findings = async (topic: TopicName, change: Change): Promise<readonly string[]> =>
    (await check(topic, change)).findings;

  test('given a line that nothing happened to, it finds nothing, and counts what there is', async () => {
    const { findings, counts, verdicts } = await check();
    expect(findings).toEqual([]);
    const { deadLetters, ...some } = counts;
    expect(deadLetters).toBe(0);
    for (const [what, count] of Object.entries(some))
      if (what !== 'replaced') expect(count, what).toBeGreaterThan(0);
    expect(verdicts).toMatchObject({ 'REJECTED DOCUMENT_NOT_SHOWN': expect.any(Number) as number });
  });

  test('given a verdict that is not there, it finds it', async () => {
    expect(await findings('verdict.v1', dropFirst)).toContainEqual(
      expect.stringContaining('0 verdicts on 1 hand-ins'),
    );
  });

  test('given a verdict that is there twice, it finds it', async () => {
    expect(await findings('verdict.v1', doubleFirst)).toContainEqual(
      expect.stringContaining('2 verdicts on 1 hand-ins'),
    );
  });

  test("given another draft's verdict in its place, it finds it", async () => {
    const found = await findings('verdict.v1', ([first, second, ...rest]) => [
      { ...second!, offset: first!.offset },
      second!,
      ...rest,
    ]);
    expect(found.length).toBeGreaterThan(1);
  });

  test('given a projection that is there twice, it finds it', async () => {
    expect(await findings('projected.v1', doubleFirst)).toContainEqual(
      expect.stringContaining('2 first answers, not 1'),
    );
  });

  test.each(['raw-hits.v1', 'postprocessed.v1', 'projected.v1', 'reviewed.v1'] as const)(
    'given that %s lacks a record, it finds it',
    async (topic) => {
      expect(await findings(topic, dropFirst)).not.toEqual([]);
    },
  );

  test('given a lookup whose terminal entry is not there, it finds it', async () => {
    const withoutLast = (records: readonly StoredRecord[]) => records.slice(0, -1);
    expect(await findings('ledger.v1', withoutLast)).toContainEqual(
      expect.stringContaining('0 terminal entries, not 1'),
    );
  });

  /** What is said of the line where a message of the topic is another. */
  const findingsOf = <T extends TopicName>(topic: T, edit: Edit<T>): Promise<readonly string[]> =>
    findings(topic, edited(line, topic, edit));

  test.each<[what: string, topic: TopicName, change: Change, finding: string]>([
    [
      'a repair request that is not there',
      'repair-requested.v1',
      dropFirst,
      '0 repair requests for the REPAIR',
    ],
    [
      'a repair request that is there twice',
      'repair-requested.v1',
      doubleFirst,
      '2 repair requests for the REPAIR',
    ],
    ['an outcome that is not there', 'verified.v1', dropFirst, ', and 0 outcomes'],
    ['an outcome that is there twice', 'verified.v1', doubleFirst, ', and 2 outcomes'],
    ['a review that is there twice', 'reviewed.v1', doubleFirst, 'was decided about twice'],
    ['a decision that is not there', 'review-decision.v1', dropFirst, 'which is not there'],
    ['runs whose state is not there', 'run-outcome.v1', () => [], 'review knows nothing of it'],
    ['runs that nobody counts', 'run-state.v1', () => [], 'the harness knows nothing of it'],
    ['outcomes from long before the deadline', 'verified.v1', longAgo, 'had its outcome for long'],
    [
      'runs given up long before the deadline',
      'draft-submitted.v1',
      longAgo,
      'it was given up before its deadline',
    ],
  ])('given %s, it finds it', async (_, topic, change, finding) => {
    expect(await findings(topic, change)).toContainEqual(expect.stringContaining(finding));
  });

  test.each<[what: string, change: Partial<RepairRequested>, finding: string]>([
    ['leave more attempts than there are', { attemptsLeft: 3 }, 'leaves 3 attempts'],
    ['follow from nothing', { causedBy: 'x' }, 'and no REPAIR was decided'],
    ['are about another draft', { draftId: 'draft-9' }, 'is about draft-9'],
  ])('given repair requests that %s, it finds it', async (_, change, finding) => {
    const found = await findingsOf('repair-requested.v1', (repair) => ({ ...repair, ...change }));
    expect(found).toContainEqual(expect.stringContaining(finding));
  });

  test.each<[what: string, change: Partial<VerifiedDraft>, finding: string]>([
    ['replace what never was', { replaces: 'x' }, 'replaces x, not null'],
    ['follow from nothing', { causedBy: 'x' }, 'a VERIFIED is out, and no PUBLISH was decided'],
    ['fall back instead', { outcome: 'FALLBACK' }, 'a FALLBACK is out, and no FALLBACK was decided'],
  ])('given outcomes that %s, it finds it', async (_, change, finding) => {
    const found = await findingsOf('verified.v1', (verified) => ({ ...verified, ...change }));
    expect(found).toContainEqual(expect.stringContaining(finding));
  });

  test('given two drafts of a run that are both verified, it finds it', async () => {
    const verified = (await line.messages('verified.v1')).filter(({ outcome }) => outcome === 'VERIFIED');
    const [one] = verified;
    const found = await findingsOf('verified.v1', (each) => ({ ...each, runId: one!.runId }));
    const other = await findingsOf('verified.v1', (each) => ({ ...each, runId: verified.at(-1)!.runId }));
    expect([...found, ...other]).toContainEqual(
      expect.stringMatching(/its outcomes are .*VERIFIED,VERIFIED/),
    );
  });

  test.each<[what: string, change: (state: RunOutcome) => Partial<RunOutcome>, finding: string]>([
    ['more attempts', ({ attempts }) => ({ attempts: attempts + 1 }), 'review has counted'],
    ['another outcome', () => ({ outcomeEventId: 'x' }), 'review believes that its outcome is'],
    ['a draft that is held', () => ({ held: heldOnce }), 'review holds'],
  ])('given that review believes in %s, it finds it', async (_, change, finding) => {
    const found = await findingsOf('run-outcome.v1', (state) => ({ ...state, ...change(state) }));
    expect(found).toContainEqual(expect.stringContaining(finding));
  });

  test.each<[what: string, change: (state: RunState) => Partial<RunState>, finding: string]>([
    ['more lookups', ({ lookups }) => ({ lookups: lookups + 1 }), 'the harness says of lookups'],
    ['fewer tokens', ({ tokens }) => ({ tokens: tokens - 1 }), 'the harness says of tokens'],
    ['other gains', () => ({ gainHistory: [] }), 'the harness says of gains'],
    ['another deadline', () => ({ deadline: 7 }), 'the harness says of deadline 7'],
    ['no limit', () => ({ maxLookups: null }), 'the harness says of max_lookups null, not 2'],
    ['more drafts', () => ({ lastAttempt: 9 }), 'the harness says of its last attempt 9'],
    [
      'an outcome that is none',
      ({ hasOutcome }) => ({ hasOutcome: !hasOutcome }),
      'the harness says of an outcome',
    ],
    ['a held draft', ({ isHeld }) => ({ isHeld: !isHeld }), 'the harness says of a held draft'],
    ['no need to stop', () => ({ stopRequired: null }), 'it may go on, in spite of MAX_LOOKUPS'],
    ['no need to stop', () => ({ stopRequired: null }), 'it may go on, in spite of NO_GAIN'],
    ['refusing who may go on', () => ({ stopRequired: null }), 'lookups were refused, and it may go on'],
    [
      'a stop without a reason',
      () => ({ stopRequired: noTokens }),
      'it must stop for MAX_TOKENS, which is not so',
    ],
    ['giving nobody up', () => ({ givenUp: null }), 'the harness believes that it gave up at null'],
    [
      'a deadline that is long past',
      () => ({ deadline: 7, hasOutcome: false, isHeld: false }),
      'it is past its deadline, and was not given up',
    ],
  ])('given that the harness believes in %s, it finds it', async (_, change, finding) => {
    const found = await findingsOf('run-state.v1', (state) => ({ ...state, ...change(state) }));
    expect(found).toContainEqual(expect.stringContaining(finding));
  });

  test('given a run that is given up twice, or at another time than its deadline, it finds it', async () => {
    const isGivenUp = ({ value }: StoredRecord): boolean =>
      value !== null && line.codec.decode('draft-submitted.v1', value).draftId === GIVEN_UP_DRAFT_ID;
    const twice = await findings('draft-submitted.v1', (records) => {
      const last = records.at(-1)!.offset;
      return [...records, ...records.filter(isGivenUp).map((each, i) => ({ ...each, offset: last + 1 + i }))];
    });
    expect(twice).toContainEqual(expect.stringContaining('it was given up 2 times'));
    const moved = await findingsOf('draft-submitted.v1', (draft) => ({ ...draft, occurredAt: 7 }));
    expect(moved).toContainEqual(expect.stringContaining('it was given up at 7, not'));
  });

  test('given a lookup that was accepted and is said to be refused, it finds it', async () => {
    const failure = { code: 'PL_STOP_REQUIRED', message: '', retryable: false };
    const found = await findingsOf('projected.v1', (each) => ({ ...each, state: 'REFUSED', failure }));
    expect(found).toContainEqual(expect.stringContaining('1 terminal entries, not 0'));
  });

  test('given an audit that has, lacks or doubles an event, it finds each', () => {
    const wanted = new Set(['a', 'b']);
    expect(auditProblems('event', ['b', 'a'], wanted)).toEqual([]);
    expect(auditProblems('event', ['a', 'a', 'c'], wanted)).toEqual([
      'the audit has the event a twice',
      'the audit has the event c, and the topics do not',
      'the audit lacks the event b',
    ]);
  });
});

/** An embedded line that has done the runs of a soak, step by step. */
async function soakedLine(): Promise<TestLine> {
  const made = openTestLine({
    stations: stationNames,
    review: { sample: SAMPLE },
    search: {
      name: 'planned',
      search: ({ query }) => Promise.resolve(plannedAnswer(query).outcome),
      close: () => Promise.resolve(),
    },
  });
  const now = Date.now();
  const runs = soakRuns(RUNS, now).map((run) => begun(run, now));
  const say = async <T extends TopicName>(topic: T, messages: readonly TopicMessages[T][]): Promise<void> => {
    await made.bus.append(messages.map((each) => made.record(topic, each)));
    await made.idle();
  };
  await say(
    'lookup-requested.v1',
    runs.flatMap(({ lookups }) => lookups),
  );
  await say(
    'lookup-requested.v1',
    runs.flatMap(({ again }) => again),
  );
  for (const i of Array.from({ length: MOST_BEYOND }).keys())
    await say(
      'lookup-requested.v1',
      runs.flatMap(({ beyond }) => beyond[i] ?? []),
    );
  const talking = runs.filter(({ silent }) => !silent);
  await say(
    'draft-submitted.v1',
    talking.map(({ draft }) => draft),
  );
  for (const i of [0, 1]) {
    await decideAll(made, runs, say);
    await say('draft-submitted.v1', await wanted(made, talking, i));
  }
  await decideAll(made, runs, say);
  const silent = runs.length - talking.length;
  await waitUntil('silent runs are given up', async () => {
    const drafts = await made.messages('draft-submitted.v1');
    return drafts.filter(({ draftId }) => draftId === GIVEN_UP_DRAFT_ID).length === silent;
  });
  await made.idle();
  return made;
}

type Say = <T extends TopicName>(topic: T, messages: readonly TopicMessages[T][]) => Promise<void>;

/** Somebody decides about every draft that is held. */
async function decideAll(line: TestLine, runs: readonly SoakRun[], say: Say): Promise<void> {
  const { drafts } = await listHeld(line.bus, line.codec);
  const decisions = drafts.map(({ runId, draftId, verdictEventId }) => {
    const decision = runs.find((run) => run.runId === runId)!.person;
    return reviewDecision({ runId, draftId, verdictEventId, decision, by: 'me', reason: 'seen' }, Date.now());
  });
  await say('review-decision.v1', decisions);
}

/** The next drafts of those who are asked for a better one than their last. */
async function wanted(line: TestLine, runs: readonly SoakRun[], i: number): Promise<DraftSubmitted[]> {
  const repairs = await line.messages('repair-requested.v1');
  const asked = new Set(repairs.filter(({ attempt }) => attempt === i + 1).map(({ runId }) => runId));
  return runs.flatMap(({ runId, mended }) => (asked.has(runId) ? mended[i]! : []));
}

const dropFirst: Change = (records) => records.slice(1);
/** Under another offset, as a station that does its work twice leaves it. */
const doubleFirst: Change = (records) => {
  const last = records.at(-1)!;
  return [...records, { ...records[0]!, offset: last.offset + 1 }];
};

const longAgo: Change = (records) => records.map((record) => ({ ...record, timestamp: 7 }));

const noTokens = { reason: 'MAX_TOKENS', since: 0 };

type Edit<T extends TopicName> = (message: TopicMessages[T]) => TopicMessages[T];

function edited<T extends TopicName>({ codec }: TestLine, topic: T, edit: Edit<T>): Change {
  return (records) =>
    records.map((record) => {
      const value = record.value && codec.encode(topic, edit(codec.decode(topic, record.value)));
      return { ...record, value };
    });
}

/** Partition 0 of the topic as the change makes it; all else as it is. */
function changed(bus: BusReader, topic?: TopicName, change: Change = (records) => records): BusReader {
  return {
    ...bus,
    partitions: bus.partitions,
    epoch: bus.epoch,
    async read(name, partition, from, limit) {
      if (name !== topic || partition !== 0) return bus.read(name, partition, from, limit);
      const all = change(await bus.read(name, partition, 0, 100_000));
      return all.filter(({ offset }) => offset >= from).slice(0, limit);
    },
  };
}
