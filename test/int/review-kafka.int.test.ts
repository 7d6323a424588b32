import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { reviewDefaults, reviewStation } from '../../consumers/review.js';
import type { Bus, Consumption } from '../../src/bus/bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { decideHeld } from '../../src/line/decide-held.js';
import { heldOf, listHeld } from '../../src/line/held-drafts.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { createHealth } from '../../src/station/health.js';
import { runStation } from '../../src/station/run-station.js';
import { makeKafkaBus, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { refusal } from '../support/refusal.js';
import { verdict } from '../support/review-verdicts.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';
import { waitUntil } from '../support/wait.js';

const missing = await kafkaMissing();
const codec = createCodec();

describe.skipIf(missing !== null)(
  `people's decisions on a real broker${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let made: KafkaBusUnderTest;
    let running: Consumption | null = null;

    beforeAll(async () => {
      kafka = await startKafka();
    }, 120_000);
    afterEach(async () => {
      await running?.stop();
      await made.dispose();
    });
    afterAll(() => kafka.stop());

    const emitterOf = (bus: Bus, station: string): Emitter => ({
      station,
      codec,
      partitions: bus.partitions,
      prefix: made.prefix,
      now: Date.now,
    });

    /** Review on its own, over whatever verdicts there are; every draft that passed is held. */
    function review(bus: Bus): void {
      const env = {
        emitter: emitterOf(bus, 'review'),
        health: createHealth(Date.now),
        onIncident: () => undefined,
      };
      running = runStation(bus, env, reviewStation({ codec }, { ...reviewDefaults, sample: 1 }));
    }

    test('given a held draft, another process lists it, and its decision is answered, also after a restart', async () => {
      made = await makeKafkaBus(kafka.address, { partitions: 3 });
      const { bus } = made;
      const other = await made.openAnother();
      const guard = emitterOf(bus, 'guard');
      const runs = ['run-1', 'run-2'];
      await bus.append(
        runs.map((runId) =>
          encodeRecord(guard, 'verdict.v1', verdict({ runId, eventId: `verdict-of-${runId}` })),
        ),
      );
      review(bus);
      await waitUntil('both are held', async () => (await listHeld(other, codec)).drafts.length === 2);
      const ports = { bus: other, codec, emitter: emitterOf(other, 'door') };
      const about = { draftId: 'draft-1', by: 'alice', reason: 'I looked at it.' };
      const approved = await decideHeld(ports, { ...about, runId: 'run-1', decision: 'APPROVE' }, 60_000);
      expect(approved).toMatchObject({
        counted: true,
        reviewed: { decision: 'PUBLISH', person: { by: 'alice' } },
        verified: { outcome: 'VERIFIED', decided_by: 'PERSON', run_id: 'run-1' },
        repair: null,
      });
      expect(await heldOf(other, codec, 'run-1')).toBeNull();

      await running?.stop();
      review(bus);
      const turnedBack = await decideHeld(ports, { ...about, runId: 'run-2', decision: 'REJECT' }, 60_000);
      expect(turnedBack).toMatchObject({
        reviewed: { decision: 'REPAIR' },
        repair: { attempts_left: 2 },
        verified: null,
      });
      const again = decideHeld(ports, { ...about, runId: 'run-2', decision: 'APPROVE' }, 60_000);
      await expect(again).rejects.toThrow(refusal('PL_REVIEW_REFUSED', 'it is not held'));
    }, 180_000);
  },
);
