import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftRecord, lookupRecord, type RecordOptions } from '../../producers/kafka-records.js';
import { createCodec } from '../../src/contracts/codec.js';
import { partitionOf } from '../../src/contracts/partition.js';

const codec = createCodec();
const options: RecordOptions = { partitions: 12, now: Date.parse('2026-01-02T03:04:05.678Z') };
const lookup = { runId: 'run-7', toolCallId: 'call-1', query: '网关超时怎么排查' };

describe('the record of a lookup', () => {
  it('has the topic, key and partition where the line looks for the run', () => {
    const record = lookupRecord(lookup, { ...options, topicPrefix: 'mine.' });
    expect(record).toMatchObject({ topic: 'mine.lookup-requested.v1', partition: partitionOf('run-7', 12) });
    expect(record.key.toString('utf8')).toBe('run-7');
  });

  it('says in its value what is asked, in the wire format of the line', () => {
    const { value } = lookupRecord(lookup, options);
    expect(codec.decode('lookup-requested.v1', value)).toMatchObject({
      runId: 'run-7',
      toolCallId: 'call-1',
      query: '网关超时怎么排查',
      occurredAt: options.now,
    });
  });

  it('has the headers of CloudEvents, by whose id the answer is known', () => {
    const { headers, value } = lookupRecord(lookup, { ...options, source: 'triage-bot' });
    expect(headers).toEqual({
      ce_specversion: '1.0',
      ce_id: codec.decode('lookup-requested.v1', value).eventId,
      ce_type: 'proofline.lookup-requested.v1',
      ce_source: expect.stringMatching(/^proofline\/triage-bot\//) as string,
      ce_time: '2026-01-02T03:04:05.678Z',
    });
  });

  it('passes a trace on, and nothing that is none', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(lookupRecord(lookup, { ...options, traceparent }).headers['traceparent']).toBe(traceparent);
    expect(lookupRecord(lookup, { ...options, traceparent: 'no trace' }).headers).not.toHaveProperty(
      'traceparent',
    );
  });

  it('is the same event when it is made again, at another time and by another process', () => {
    const again = lookupRecord(lookup, { ...options, now: 0, source: 'another' });
    expect(again.headers['ce_id']).toBe(lookupRecord(lookup, options).headers['ce_id']);
    const other = lookupRecord({ ...lookup, query: 'else' }, options);
    expect(other.headers['ce_id']).not.toBe(again.headers['ce_id']);
  });

  it('is refused for an id that no door lets in', () => {
    expect(() => lookupRecord({ ...lookup, runId: '../run' }, options)).toThrow('run_id');
  });
});

describe('the record of a draft', () => {
  it('carries the text as the model wrote it', () => {
    const draft = { runId: 'run-7', draftId: 'draft-1', draftJson: ' {"analysis": []}\n' };
    const record = draftRecord(draft, options);
    expect(record.topic).toBe('proofline.draft-submitted.v1');
    expect(codec.decode('draft-submitted.v1', record.value)).toMatchObject({
      draftJson: ' {"analysis": []}\n',
      givenUp: null,
    });
  });

  it('shares its partition with the lookups of its run, whatever the run and the number of partitions', () => {
    const runs = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@=+-]{0,127}$/);
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 64 }), (runId, partitions) => {
        const asked = lookupRecord({ ...lookup, runId }, { ...options, partitions });
        const handed = draftRecord({ runId, draftId: 'd', draftJson: null }, { ...options, partitions });
        expect(handed.partition).toBe(asked.partition);
        expect(handed.key.equals(asked.key)).toBe(true);
      }),
    );
  });
});
