import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DraftSubmitted, LookupRequested } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { stationNames, type StationName } from '../../src/line/station-names.js';
import { cli } from '../support/cli-run.js';
import { deleteBefore, makeAnew } from '../support/kafka-line-admin.js';
import {
  ANSWERED_MS,
  answersTo,
  append,
  ask,
  draftOn,
  goesOn,
  handIn,
  judged,
  runsOf,
} from '../support/kafka-line-asking.js';
import type { StationProcess } from '../support/kafka-line-process.js';
import { describeKafkaLine, kafkaLineMissing } from '../support/kafka-line-suite.js';
import type { KafkaTestLine } from '../support/kafka-line.js';
import { waitUntil } from '../support/wait.js';

const SLOW = 180_000;
/** How long it is watched that something does not happen. */
const WATCHED_MS = 3000;
/** After so long, a lane looks whether its log is still the one that it began with. */
const OUT_OF_SIGHT_MS = 2600;

describeKafkaLine(
  'the logs of a line in Kafka',
  {},
  (suite) => {
    test(
      "given retrieve's transaction hanging open on the ledger while a true draft arrives, the guard waits, and the draft passes when the broker ends it",
      async () => {
        const line = await suite.line();
        await line.run(...except('retrieve', 'postprocess'));
        const postprocess = await line.run('postprocess');
        const crash = { station: 'retrieve', moment: 'offsets', after: null, signal: 'SIGSTOP' } as const;
        const retrieve = await line.start({ stations: ['retrieve'], crash });
        await goesOn(line, ['run-0'], except());
        await postprocess.leave();
        const [first, hanging] = [ask('run-1', 'call-0'), ask('run-1', 'call-1')];
        await append(line, [first]);
        await waitUntil('it is retrieved', async () => (await line.messages('raw-hits.v1')).length === 2);
        retrieve.kill('SIGHUP');
        await retrieve.printed('armed');
        await append(line, [hanging]);
        await retrieve.printed('crash');
        await line.run('postprocess');
        await answersTo(line, [first]);
        await handIn(line, [draftOn([first])]);
        const partition = partitionOf('run-1', line.partitions);
        const { end } = await line.bus.bounds('ledger.v1', partition);
        expect(await line.bus.decidedTo('ledger.v1', partition), 'it does not hang').toBeLessThan(end - 1);
        await waitUntil('it is judged', async () => (await judged(line, 'run-1')).length > 0, ANSWERED_MS);
        expect(await judged(line, 'run-1')).toEqual(['PASSED']);
        retrieve.kill('SIGCONT');
        await answersTo(line, [hanging]);
        await line.rested(...except());
        expect((await line.check({ harness: false })).problems).toEqual([]);
      },
      SLOW,
    );

    test(
      'given a ledger view that is far behind while true drafts arrive, none is judged before it has caught up, and all pass',
      async () => {
        const line = await suite.line();
        await line.run(...except('ledger-view'));
        const view = await line.run('ledger-view');
        await goesOn(line, ['run-0', 'run-1', 'run-2', 'run-3', 'run-4'], except());
        await view.leave();
        const runs = Array.from({ length: 60 }, (_, i) => `late-${i}`);
        const asked = runs.map((runId) => [ask(runId, 'call-0'), ask(runId, 'call-1')]);
        await append(line, asked.flat());
        await answersTo(line, asked.flat());
        await handIn(line, asked.map(draftOn));
        await pause(WATCHED_MS);
        expect(await judged(line, 'late-')).toEqual([]);
        await line.run('ledger-view');
        await waitUntil(
          'all are judged',
          async () => (await judged(line, 'late-')).length === 60,
          ANSWERED_MS,
        );
        expect(new Set(await judged(line, 'late-'))).toEqual(new Set(['PASSED']));
        await line.rested(...except());
        expect((await line.check({ harness: false })).problems).toEqual([]);
      },
      SLOW,
    );

    test(
      'given a ledger view that is killed before it has committed what it applied, the next one commits it, though nothing more comes',
      async () => {
        const line = await suite.line();
        await line.run(...except('ledger-view'));
        const view = await line.run('ledger-view');
        await goesOn(line, runsOf(line, 'old', 1).flat(), except());
        const lookups = runsOf(line, 'new', 1).map(([runId]) => ask(runId!));
        await append(line, lookups);
        await answersTo(line, lookups);
        await handIn(line, draftsOn(lookups));
        // It commits about once a second, and is asked for what the drafts cite at once.
        await waitUntil('they pass', async () => (await judged(line, 'new-')).length === lookups.length);
        view.kill('SIGKILL');
        await line.run('ledger-view');
        await line.rested(...except());
      },
      SLOW,
    );

    test(
      'given that drafts were deleted before the guard had read them, that partition stops and says so, the others go on, and an offset that is set mends it',
      async () => {
        const line = await suite.line();
        await line.run(...except('guard'));
        const guard = await line.run('guard');
        const runs = runsOf(line, 'run', 2);
        await goesOn(line, runs.flat(), except());
        await guard.leave();
        const [lost, ...others] = runsOf(line, 'later', 2).map((each) => each.map((runId) => ask(runId)));
        await append(line, [lost!, ...others].flat());
        await answersTo(line, [lost!, ...others].flat());
        const topic = 'draft-submitted.v1';
        await handIn(line, draftsOn(lost!));
        const { end } = await line.bus.bounds(topic, 0);
        await deleteBefore(line, topic, 0, end);
        await handIn(line, draftsOn(others.flat()));

        const stopped = await line.run('guard');
        await waitUntil(
          'the others are judged',
          async () => (await judged(line, 'later-')).length === 4,
          ANSWERED_MS,
        );
        await saysSo(stopped);
        const last = ask(runsOf(line, 'last', 1)[0]![0]!);
        await append(line, [last]);
        await answersTo(line, [last]);
        await handIn(line, draftsOn([last]));
        await pause(WATCHED_MS);
        expect(await judged(line, 'last-')).toEqual([]);

        const set = ['offsets', 'set', 'guard', topic, '0', 'beginning', '--apply'];
        expect((await cli(set, { env: line.env })).err).toContain('PL_GROUP_ACTIVE');
        await stopped.leave();
        expect(await cli(set, { env: line.env })).toMatchObject({ code: 0 });
        await line.run('guard');
        await waitUntil('it goes on', async () => (await judged(line, 'last-')).length === 1, ANSWERED_MS);
        await line.rested(...except());
        const verdicts = await line.messages('verdict.v1');
        expect(verdicts.map(({ runId }) => runId).toSorted()).toEqual(
          [...runs.flat(), ...[...others.flat(), last].map(({ runId }) => runId)].toSorted(),
        );
      },
      SLOW,
    );

    test(
      'given that run-state is made anew under retrieve, it reads anew what there is, and goes on by itself',
      async () => {
        const line = await suite.line();
        await line.run(...except('retrieve'));
        const harness = await line.run('harness');
        await line.run('retrieve');
        const runs = runsOf(line, 'run', 1).flat();
        await goesOn(line, runs, except());
        const states = async () => (await line.messages('run-state.v1')).length;
        await waitUntil('they are counted', async () => (await states()) >= runs.length, ANSWERED_MS);
        await goesOn(line, runsOf(line, 'next', 1).flat(), except());
        const committed = (p: number) => line.bus.committed('retrieve', 'run-state.v1', p);
        const known = await Promise.all(Array.from({ length: line.partitions }, (_, p) => committed(p)));
        expect(Math.min(...known.map((offset) => offset ?? 0))).toBeGreaterThan(0);
        await harness.leave();
        await makeAnew(line, 'run-state.v1', []);
        await goesOn(line, runsOf(line, 'later', 1).flat(), except());
      },
      SLOW,
    );

    test.each([
      ['lookup-requested.v1', 'retrieve', 'shorter', 1],
      ['lookup-requested.v1', 'retrieve', 'longer', 30],
      ['draft-submitted.v1', 'guard', 'longer', 30],
    ] as const)(
      'given that %s is made anew under %s, and is %s then, it says so and skips nothing; an offset that is set mends it',
      async (topic, station, _, count) => {
        const line = await suite.line();
        await line.run(...except(station));
        const process = await line.run(station);
        await goesOn(line, runsOf(line, 'old', 3).flat(), except());
        const runs = runsOf(line, 'new', count).flat();
        const lookups = runs.map((runId) => ask(runId));
        if (station === 'guard') {
          await append(line, lookups);
          await answersTo(line, lookups);
          await line.rested(...except());
        }
        const records = lookups.map((lookup) =>
          station === 'guard'
            ? line.record('draft-submitted.v1', draftOn([lookup]))
            : line.record('lookup-requested.v1', lookup),
        );
        await makeAnew(line, topic, records);
        await saysSo(process);
        await pause(WATCHED_MS);
        expect(await answersOf(line, station, 'new-')).toEqual([]);
        await process.leave();
        for (let p = 0; p < line.partitions; p++) {
          const set = ['offsets', 'set', station, topic, String(p), 'beginning', '--apply'];
          expect(await cli(set, { env: line.env })).toMatchObject({ code: 0 });
        }
        await line.run(station);
        await waitUntil(
          'all is answered',
          async () => (await answersOf(line, station, 'new-')).length >= runs.length,
          ANSWERED_MS,
        );
        await line.rested(...except());
        expect((await answersOf(line, station, 'new-')).toSorted()).toEqual(runs.toSorted());
        expect(await answersOf(line, station, 'old-')).toHaveLength(3 * line.partitions);
        expect(await line.messages('dead-letter.v1')).toEqual([]);
      },
      SLOW,
    );

    test(
      'given that lookup-requested is made anew while its lanes look away, and is longer then, they say so and skip nothing',
      async () => {
        const line = await suite.line();
        await line.run(...except('retrieve'));
        const retrieve = await line.run('retrieve');
        await goesOn(line, runsOf(line, 'old', 3).flat(), except());
        const runs = runsOf(line, 'new', 30).flat();
        const records = runs.map((runId) => line.record('lookup-requested.v1', ask(runId)));
        retrieve.kill('SIGSTOP');
        const stoppedAt = performance.now();
        await makeAnew(line, 'lookup-requested.v1', records);
        await waitUntil('it was out of sight', () => performance.now() - stoppedAt > OUT_OF_SIGHT_MS);
        retrieve.kill('SIGCONT');
        await saysSo(retrieve);
        await pause(WATCHED_MS);
        expect(await answersOf(line, 'retrieve', 'new-')).toEqual([]);
      },
      SLOW,
    );
  },
  await kafkaLineMissing(),
);

/** The harness reads what they read, and would say the same of it. */
function except(...left: readonly StationName[]): StationName[] {
  return stationNames.filter((name) => name !== 'harness' && !left.includes(name));
}

/** Of each lookup a draft of its own. */
function draftsOn(lookups: readonly LookupRequested[]): DraftSubmitted[] {
  return lookups.map((lookup) => draftOn([lookup]));
}

/** The runs that the station's output has, as often as it has them. */
async function answersOf(line: KafkaTestLine, station: StationName, name: string): Promise<string[]> {
  const messages =
    station === 'guard' ? await line.messages('verdict.v1') : await line.messages('projected.v1');
  return messages.map(({ runId }) => runId).filter((runId) => runId.startsWith(name));
}

function saysSo(process: StationProcess): Promise<boolean> {
  return waitUntil('it says so', () => process.incidents().includes('PL_OFFSET_LOST'), ANSWERED_MS);
}
