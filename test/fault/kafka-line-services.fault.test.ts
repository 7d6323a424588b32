import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { StationProcess } from '../support/kafka-line-process.js';
import { describeKafkaLine, kafkaLineMissing } from '../support/kafka-line-suite.js';

const SLOW = 300_000;
/** How long the broker, and all the others, are gone at the longest. */
const GONE_MS = Number(process.env['PROOFLINE_GONE_MS'] ?? 8000);
const withRegistry = { withRegistry: true };

describeKafkaLine(
  'a line in Kafka whose services fail',
  withRegistry,
  (suite) => {
    test(
      'given that the broker is killed, comes back, and is then gone for longer, all is answered, once',
      async () => {
        const { kafka } = suite;
        const line = await suite.line();
        const [one, other] = await Promise.all([line.run(), line.run()]);
        const agents = suite.agents(line, { atOnce: 10, everyMs: 20 });
        await agents.more(40);
        await kafka.restart();
        await agents.more(40);
        await kafka.kill();
        const late = await line.start();
        await late.printed('waits PL_BUS_DOWN');
        await pause(GONE_MS);
        await kafka.restart();
        await late.printed('up');
        await agents.more(40);
        await suite.expectAsUndisturbed(line, agents);
        for (const each of [one, other, late]) expectOnlyWaited(each);
        expect([...one.incidents(), ...other.incidents()]).toContain('PL_BUS_DOWN');
      },
      SLOW + 3 * GONE_MS,
    );

    test(
      'given that PostgreSQL, Redis and the registry are gone at once, lookups and drafts wait, and all is answered, once',
      async () => {
        const { postgres, redis } = suite;
        const registry = suite.registry!;
        const line = await suite.line();
        const process = await line.run();
        const agents = suite.agents(line, { atOnce: 10, everyMs: 20 });
        await agents.more(40);
        // A registry that keeps its schemas in memory must not be ended: this one just never answers.
        await Promise.all([postgres.kill(), redis.kill(), registry.signal('SIGSTOP')]);
        const late = await line.start();
        await late.printed('waits PL_REGISTRY_DOWN');
        await pause(GONE_MS);
        await Promise.all([postgres.restart(), redis.restart(), registry.signal('SIGCONT')]);
        await late.printed('up');
        await agents.more(40);
        await suite.expectAsUndisturbed(line, agents);
        for (const each of [process, late]) expectOnlyWaited(each);
      },
      SLOW + 3 * GONE_MS,
    );
  },
  await kafkaLineMissing(withRegistry),
);

/** It runs, and has accused no record of anything. */
function expectOnlyWaited(process: StationProcess): void {
  expect(process.ended()).toBe(false);
  expect(process.incidents()).not.toContain('PL_INVARIANT');
}
