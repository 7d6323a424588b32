import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { crashMoments, type CrashPlan } from '../support/kafka-line-crash.js';
import type { KafkaTestLine } from '../support/kafka-line.js';
import { describeKafkaLine, kafkaLineMissing } from '../support/kafka-line-suite.js';
import { seeded } from '../support/line-kill-plan.js';

const SLOW = 300_000;
const SEED = Number(process.env['PROOFLINE_KILL_SEED'] ?? 20_260_504);
/** Kills at any moment, besides those at the worst ones. */
const KILLS = Number(process.env['PROOFLINE_KAFKA_KILLS'] ?? 6);
const LONGEST_LIFE_MS = 60_000;
const REBALANCE_MS = 2000;
const REBALANCES = Number(process.env['PROOFLINE_REBALANCES'] ?? 8);

describeKafkaLine(
  'processes of a line in Kafka',
  {},
  (suite) => {
    test(
      'are killed between produce and commit, in every station, and at any moment: nothing is lost, nothing is doubled',
      async () => {
        const line = await suite.line();
        const agents = suite.agents(line, { atOnce: 6, everyMs: 300 });
        const random = seeded(SEED);
        const deaths: (CrashPlan | null)[] = STATIONS.flatMap((station) =>
          crashMoments.map((moment) => {
            return { station, moment, after: Math.floor(random() * 2), signal: 'SIGKILL' as const };
          }),
        );
        for (let i = 0; i < KILLS; i++) deaths.splice(Math.floor(random() * deaths.length), 0, null);
        const total = deaths.length;
        // Two at a time, so that there is always somebody to take over.
        await Promise.all([dieInTurn(line, deaths, random), dieInTurn(line, deaths, random)]);
        await line.run();
        const lookups = await suite.expectAsUndisturbed(line, agents);
        console.log(`${total} processes killed, ${lookups} lookups, each answered once`);
      },
      SLOW,
    );

    test(
      'stop for longer than their session in the middle of a step, and go on: who took over is not disturbed',
      async () => {
        const line = await suite.line();
        await line.run();
        const agents = suite.agents(line, { atOnce: 6, everyMs: 100 });
        const stops = [
          ['retrieve', 'sent'],
          ['project', 'offsets'],
          ['guard', 'committed'],
        ] as const;
        for (const [station, moment] of stops) {
          const zombie = await line.start({ crash: { station, moment, after: 1, signal: 'SIGSTOP' } });
          await zombie.printed('crash');
          // More than could be under way: they go on only once somebody else has its partitions.
          await agents.more(50);
          zombie.kill('SIGCONT');
          await agents.more(20);
          expect(zombie.incidents()).not.toContain('PL_INVARIANT');
          await zombie.leave();
        }
        await suite.expectAsUndisturbed(line, agents);
      },
      SLOW,
    );

    test(
      'join and leave every two seconds: lookups go on, and nothing is lost or doubled',
      async () => {
        const line = await suite.line();
        await line.run();
        const agents = suite.agents(line, { atOnce: 6, everyMs: 50 });
        await agents.more(10);
        for (let i = 0; i < REBALANCES / 2; i++) {
          const began = performance.now();
          const guest = await line.run();
          await pause(Math.max(0, REBALANCE_MS - (performance.now() - began)));
          await guest.leave();
          await pause(REBALANCE_MS);
        }
        await agents.more(40);
        await suite.expectAsUndisturbed(line, agents);
      },
      SLOW,
    );
  },
  await kafkaLineMissing(),
);

/** What has effects in Kafka or in the audit. */
const STATIONS = ['retrieve', 'postprocess', 'project', 'guard', 'review', 'harness', 'audit-sink'];

/** Starts one process after the other, each of which dies as the next of the list says. */
async function dieInTurn(
  line: KafkaTestLine,
  deaths: (CrashPlan | null)[],
  random: () => number,
): Promise<void> {
  for (let crash = deaths.shift(); crash !== undefined; crash = deaths.shift()) {
    const process = await line.start(crash === null ? {} : { crash });
    await process.printed('up');
    if (crash === null) {
      await pause(random() * 3000);
      process.kill('SIGKILL');
    }
    const died = await Promise.race([process.exited, pause(LONGEST_LIFE_MS, 'alive')]);
    const name = crash === null ? 'any moment' : `${crash.station} ${crash.moment}`;
    expect(died, `it was to be killed: ${name}`).toBe(null);
  }
}
