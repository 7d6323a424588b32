import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lookupRequested, type Lookup } from '../../producers/lookups.js';
import type { Limits, ProjectedEvidence } from '../../src/contracts/generated.js';
import { stopRequiredText } from '../../src/evidence/fixed-texts.js';
import { makeKafkaLine, type KafkaTestLine } from '../support/kafka-line.js';
import { endStations, removeBundle } from '../support/kafka-line-process.js';
import { kafkaLineMissing } from '../support/kafka-line-suite.js';
import { startKafka, type KafkaService } from '../support/services/kafka.js';
import { startPostgres, type PostgresService } from '../support/services/postgres.js';
import { startRedis, type RedisService } from '../support/services/redis.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const missing = await kafkaLineMissing();
const SLOW = 180_000;
/** Longer than a session whose process was killed lasts, and the joining of another. */
const TAKEN_OVER_MS = 60_000;

describe.skipIf(missing !== null)(
  `the harness of a line in Kafka${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let services: { kafka: KafkaService; redis: RedisService; postgres: PostgresService };
    let line: KafkaTestLine;
    beforeAll(async () => {
      const [kafka, redis, postgres] = await Promise.all([startKafka(), startRedis(), startPostgres()]);
      services = { kafka, redis, postgres };
      line = await makeKafkaLine(services, { partitions: 1 });
    }, 180_000);
    afterEach(endStations);
    afterAll(async () => {
      await line.close();
      await Promise.all(Object.values(services).map((each) => each.stop()));
      await removeBundle();
      removeTempFolders();
    });

    async function ask(lookup: Pick<Lookup, 'runId' | 'toolCallId'>, limits: Partial<Limits> = {}) {
      const all = { deadline: null, maxLookups: null, maxTokens: null, maxAttempts: null, ...limits };
      const query = `problem of ${lookup.toolCallId}`;
      const message = lookupRequested({ ...lookup, query, limits: all }, Date.now());
      await line.bus.append([line.record('lookup-requested.v1', message)]);
      return message;
    }

    async function answerOf(runId: string, toolCallId: string): Promise<ProjectedEvidence> {
      return waitUntil(
        `${toolCallId} is answered`,
        async () =>
          (await line.messages('projected.v1')).find(
            (each) => each.runId === runId && each.toolCallId === toolCallId,
          ),
        TAKEN_OVER_MS,
      );
    }

    const givenUp = async (runId: string) =>
      (await line.messages('draft-submitted.v1')).filter(
        (draft) => draft.runId === runId && draft.draftId === 'given-up',
      );

    const isGivenUp = (runId: string) =>
      waitUntil(`${runId} is given up`, async () => (await givenUp(runId)).length > 0, TAKEN_OVER_MS);

    test(
      'is killed, and another process takes over: who must stop stays stopped, and each run is given up once',
      async () => {
        const one = await line.run();
        // Its budget is spent with one lookup.
        await ask({ runId: 'stopped', toolCallId: 'call-1' }, { maxLookups: 1 });
        // Its deadline has passed when it begins: it is given up before the process is killed.
        await ask({ runId: 'early', toolCallId: 'call-1' }, { deadline: Date.now() });
        // Its deadline passes when the process is gone, or nearly.
        await ask({ runId: 'late', toolCallId: 'call-1' }, { deadline: Date.now() + 8000 });
        await waitUntil('the run must stop', async () =>
          (await line.messages('run-state.v1')).some(
            (state) => state.runId === 'stopped' && state.stopRequired !== null,
          ),
        );
        await isGivenUp('early');
        await waitUntil('the third run is known', async () =>
          (await line.messages('run-state.v1')).some((state) => state.runId === 'late'),
        );
        one.kill('SIGKILL');
        await one.exited;

        const other = await line.run();
        await ask({ runId: 'stopped', toolCallId: 'call-2' });
        expect(await answerOf('stopped', 'call-2')).toMatchObject({
          state: 'REFUSED',
          failure: { code: 'PL_STOP_REQUIRED', message: stopRequiredText.en },
        });
        await isGivenUp('late');
        // The same lane has looked at all that was due when it gives this one up.
        await ask({ runId: 'last', toolCallId: 'call-1' }, { deadline: Date.now() });
        await isGivenUp('last');
        await line.rested();

        for (const runId of ['early', 'late', 'last']) {
          expect(await givenUp(runId), runId).toHaveLength(1);
          const outcomes = (await line.messages('verified.v1')).filter((each) => each.runId === runId);
          expect(outcomes, runId).toMatchObject([{ outcome: 'FALLBACK', draftId: 'given-up' }]);
        }
        expect(await givenUp('stopped')).toEqual([]);
        expect(await line.messages('dead-letter.v1')).toEqual([]);
        expect((await line.messages('ledger.v1')).map(({ toolCallId }) => toolCallId)).not.toContain(
          'call-2',
        );
        expect(other.incidents()).toEqual([]);
        await other.leave();
      },
      SLOW,
    );
  },
);
