import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lookupRequested } from '../../producers/lookups.js';
import type { Bus } from '../../src/bus/bus.js';
import { createCodec } from '../../src/contracts/codec.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { listDeadLetters } from '../../src/line/dead-letters.js';
import { offsetRows, planOffset } from '../../src/line/offsets.js';
import { replayDeadLetter, type ReplayRequest } from '../../src/line/replay.js';
import { deadLetterRecord, REPLAY_HEADER } from '../../src/station/dead-letter.js';
import { encodeRecord, type Emitter } from '../../src/station/envelope.js';
import { newRecords, readAll } from '../support/bus.js';
import { makeKafkaBus, type KafkaBusUnderTest } from '../support/kafka-bus.js';
import { refusal } from '../support/refusal.js';
import { kafkaMissing, startKafka, type KafkaService } from '../support/services/kafka.js';

const missing = await kafkaMissing();
const codec = createCodec();
const PARTITIONS = 3;
const RIGHT = partitionOf('run-1', PARTITIONS);
const WRONG = (RIGHT + 1) % PARTITIONS;

describe.skipIf(missing !== null)(
  `an operator's hand on a real broker${missing === null ? '' : ` (left out: ${missing})`}`,
  () => {
    let kafka: KafkaService;
    let made: KafkaBusUnderTest;

    beforeAll(async () => {
      kafka = await startKafka();
    }, 120_000);
    afterEach(() => made.dispose());
    afterAll(() => kafka.stop());

    function emitterOf(bus: Bus): Emitter {
      return { station: 'retrieve', codec, partitions: bus.partitions, prefix: made.prefix, now: Date.now };
    }

    /** A lookup that lay on the wrong partition, and its dead letter. */
    async function givenDeadLetter(): Promise<{ bus: Bus; request: ReplayRequest; value: Buffer }> {
      made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS });
      const { bus } = made;
      const message = lookupRequested(
        { runId: 'run-1', toolCallId: 'call-1', query: 'gateway timeout' },
        1000,
      );
      const lookup = { ...encodeRecord(emitterOf(bus), 'lookup-requested.v1', message), partition: WRONG };
      const stray = { ...lookup, offset: 7, timestamp: 1000 };
      const reason = { code: 'PL_PARTITION_WRONG' as const, params: {} };
      await bus.append([deadLetterRecord(emitterOf(bus), stray, message, reason)]);
      const { letters } = await listDeadLetters(bus, codec);
      const { letter, at } = letters[0]!;
      const request = {
        deadLetterEventId: letter.eventId,
        partition: at.partition,
        offset: at.offset,
        by: 'me',
      };
      return { bus, request, value: lookup.value! };
    }

    test('given a dead letter, its replay writes the very bytes where they belong, with a marker', async () => {
      const { bus, request, value } = await givenDeadLetter();
      const replayed = await replayDeadLetter({ bus, codec, emitter: emitterOf(bus) }, request);
      expect(replayed).toMatchObject({ topic: 'lookup-requested.v1', partition: RIGHT });
      const [record] = await readAll(bus, 'lookup-requested.v1', RIGHT);
      expect(record?.value?.equals(value)).toBe(true);
      expect(record?.headers[REPLAY_HEADER]).toBe(request.deadLetterEventId);
      const again = replayDeadLetter({ bus, codec, emitter: emitterOf(bus) }, request);
      await expect(again).rejects.toEqual(refusal('PL_REPLAY_REFUSED', 'before'));
      const { letters } = await listDeadLetters(bus, codec);
      expect(letters[0]?.replay?.done.replayedBy).toBe('me');
    });

    test('given two processes that replay it at once, it is written once', async () => {
      const { bus, request } = await givenDeadLetter();
      const other = await made.openAnother();
      const replays = [bus, other, bus, other].map((each) =>
        replayDeadLetter({ bus: each, codec, emitter: emitterOf(each) }, request),
      );
      const results = await Promise.allSettled(replays);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readAll(bus, 'lookup-requested.v1', RIGHT)).toHaveLength(1);
    });

    test('given an offset to be moved, what it skips or repeats is said before', async () => {
      made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS });
      const { bus } = made;
      await bus.append(newRecords('draft-submitted.v1', 1, 4));
      const target = { station: 'guard', topic: 'draft-submitted.v1', partition: 1 } as const;
      const { end } = await bus.bounds('draft-submitted.v1', 1);
      expect(await planOffset(bus, { ...target, to: 'end' })).toMatchObject({
        from: null,
        to: end,
        skipped: end,
      });
      await bus.setOffset('guard', 'draft-submitted.v1', 1, 2);
      expect(await planOffset(bus, { ...target, to: 'beginning' })).toMatchObject({
        from: 2,
        to: 0,
        again: 2,
      });
      const rows = await offsetRows(bus, ['guard']);
      expect(rows.map(({ next }) => next)).toEqual([null, 2, null]);
      await expect(planOffset(bus, { ...target, to: end + 1 })).rejects.toEqual(
        refusal('PL_INPUT_INVALID', 'not in there'),
      );
      const view = { ...target, station: 'ledger-view', topic: 'ledger.v1', to: 0 } as const;
      await expect(planOffset(bus, view)).rejects.toEqual(refusal('PL_INPUT_INVALID', 'its own position'));
    });

    test('given the states of runs, which retrieve reads from where it is, no offset is set in them', async () => {
      made = await makeKafkaBus(kafka.address, { partitions: PARTITIONS });
      const states = { station: 'retrieve', topic: 'run-state.v1', partition: 1, to: 'end' } as const;
      await expect(planOffset(made.bus, states)).rejects.toEqual(
        refusal('PL_INPUT_INVALID', 'retrieve keeps its own position in run-state.v1'),
      );
      const lookups = { ...states, topic: 'lookup-requested.v1' };
      expect(await planOffset(made.bus, lookups)).toMatchObject({ from: null, to: 0 });
    });
  },
);
