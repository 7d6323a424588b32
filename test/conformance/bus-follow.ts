import { describe, expect, test } from 'vitest';
import type { StoredRecord } from '../../src/bus/bus.js';
import { consume, newRecord, newRecords, readAll, textsOf } from '../support/bus.js';
import { waitUntil } from '../support/wait.js';
import { ALL_PARTITIONS, PARTITIONS, type Subject } from './bus-subject.js';

const TOPICS = ['verdict.v1', 'reviewed.v1'] as const;

export function followTests(subject: Subject): void {
  describe('following', () => {
    test('gives what is appended from now on, of all partitions and topics, each in order', async () => {
      const { bus } = subject();
      await bus.append(
        ALL_PARTITIONS.flatMap((p) => TOPICS.flatMap((topic) => newRecords(topic, p, 3, 'before'))),
      );
      const seen: StoredRecord[] = [];
      const following = bus.follow(TOPICS, (records) => seen.push(...records));
      for (let i = 0; i < 10; i++)
        await bus.append(
          ALL_PARTITIONS.flatMap((p) => TOPICS.flatMap((topic) => newRecords(topic, p, 3, `after-${i}`))),
        );
      await waitUntil('all has come', () => seen.length === 60 * PARTITIONS);
      await following.stop();
      for (const p of ALL_PARTITIONS) {
        for (const topic of TOPICS) {
          const mine = seen.filter((record) => record.topic === topic && record.partition === p);
          expect(mine).toEqual((await readAll(bus, topic, p)).slice(3));
        }
      }
    });

    test('sees what a step appends, commits nothing, and ends when it is stopped', async () => {
      const { bus } = subject();
      const seen: StoredRecord[] = [];
      const following = bus.follow(['verdict.v1'], (records) => seen.push(...records));
      const station = consume(bus, {
        group: 'station',
        topics: ['raw-hits.v1'],
        async opened(lane) {
          await lane.step({ records: [newRecord('verdict.v1', lane.partition, `from ${lane.partition}`)] });
          return {};
        },
      });
      await waitUntil('all has come', () => seen.length === PARTITIONS);
      expect(textsOf(seen).toSorted()).toEqual(ALL_PARTITIONS.map((p) => `from ${p}`));
      await Promise.all([following.stop(), station.consumption.stop()]);
      await following.stop();

      const other: StoredRecord[] = [];
      const witness = bus.follow(['verdict.v1'], (records) => other.push(...records));
      await bus.append(ALL_PARTITIONS.map((p) => newRecord('verdict.v1', p, 'after the stop')));
      await waitUntil('another follower has it', () => other.length === PARTITIONS);
      await witness.stop();
      expect(seen).toHaveLength(PARTITIONS);
    });
  });
}
