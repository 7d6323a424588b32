import { describe, expect, test } from 'vitest';
import { createCodec } from '../../src/contracts/codec.js';
import { violationTable } from '../../src/guard/violations.js';
import { countDecisions, countFromZero } from '../../src/observe/count-decisions.js';
import { createMetrics, type Metrics } from '../../src/observe/metrics.js';
import { metricTable } from '../../src/observe/metrics-table.js';
import { invocation } from '../../src/station/invocation.js';
import type { Decision } from '../../src/station/decide-batch.js';
import type { Emission, Invocation } from '../../src/station/station.js';
import { projectedOf, seriesOf, verdictOf } from '../support/observe.js';

const codec = createCodec();

/** The value of a series, as it is scraped. */
const value = async (metrics: Metrics, series: string): Promise<number | null> =>
  seriesOf(await metrics.text(), series);

function decisionOf(emissions: readonly Emission[], outcome: Decision['outcome']): Decision {
  return { outcome, emissions, records: [] };
}

const emitted = (...emissions: Emission[]): Decision =>
  decisionOf(emissions, { kind: 'emit', records: emissions });

function noteOf(fields: Partial<Invocation>): Emission {
  const note = invocation({ kind: 'PROJECT', outcome: 'READY', countIn: 1, countOut: 1, ...fields });
  const measured = { startedAt: 0, finishedAt: 0 };
  return {
    topic: 'tool-invocation.v1',
    body: { ...note, station: 'project', version: '0', measured, ext: {} },
  };
}

describe('the table of metrics', () => {
  test('is what is registered, with the same type and help', async () => {
    const text = await createMetrics().text();
    for (const [name, { type, help }] of Object.entries(metricTable)) {
      expect(text).toContain(`# HELP ${name} ${help}\n`);
      expect(text).toContain(`# TYPE ${name} ${type}\n`);
    }
    expect(text.match(/^# TYPE /gm)).toHaveLength(Object.keys(metricTable).length);
  });

  test('keeps to the names that Prometheus asks for', () => {
    for (const [name, { type, labels, help }] of Object.entries(metricTable)) {
      expect(name).toMatch(/^(proofline|process|nodejs)_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(labels).toEqual([...new Set(labels)]);
      expect(help).toMatch(/\.$/);
    }
  });

  test('two lines in one process do not share anything', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.count('proofline_ledger_taken_back_total', {});
    expect(await value(one, 'proofline_ledger_taken_back_total')).toBe(1);
    expect(await value(other, 'proofline_ledger_taken_back_total')).toBe(0);
  });
});

describe('what stations decide', () => {
  test('given nothing yet, verdicts, decisions and lookups are there with 0', async () => {
    const metrics = createMetrics();
    countFromZero(metrics);
    expect(await value(metrics, 'proofline_verdicts_total{status="REJECTED"}')).toBe(0);
    expect(await value(metrics, 'proofline_decisions_total{decision="PUBLISH"}')).toBe(0);
    expect(await value(metrics, 'proofline_lookups_total{outcome="FAILED",grade="NONE"}')).toBe(0);
  });

  test('given a rejected verdict, it is counted by its status and by each violation', async () => {
    const metrics = createMetrics();
    const violations = ['DOCUMENT_NOT_SHOWN', 'DOCUMENT_NOT_SHOWN', 'ANALYSIS_UNCITED'];
    countDecisions(metrics, 'guard', [emitted(verdictOf('REJECTED', violations))]);
    expect(await value(metrics, 'proofline_verdicts_total{status="REJECTED"}')).toBe(1);
    expect(await value(metrics, 'proofline_violations_total{code="DOCUMENT_NOT_SHOWN"}')).toBe(2);
    expect(await value(metrics, 'proofline_violations_total{code="ANALYSIS_UNCITED"}')).toBe(1);
    expect(Object.keys(violationTable)).toContain('ANALYSIS_UNCITED');
  });

  test('given codes that no table has, they make one series and not one each', async () => {
    const metrics = createMetrics();
    const failures = ['PL_RETRIEVAL_FAILED', 'made up', 'made up too'].map((code) =>
      emitted(projectedOf(code)),
    );
    countDecisions(metrics, 'project', failures);
    expect(await value(metrics, 'proofline_lookup_failures_total{code="PL_RETRIEVAL_FAILED"}')).toBe(1);
    expect(await value(metrics, 'proofline_lookup_failures_total{code="OTHER"}')).toBe(2);
    expect(await metrics.text()).not.toContain('made up');
  });

  test('given lookups, they are counted by what was shown and its grade', async () => {
    const metrics = createMetrics();
    countDecisions(metrics, 'project', [
      emitted(noteOf({ evidenceStatus: 'EVIDENCE_FOUND', relevanceLevel: 'PRECISE' })),
      emitted(noteOf({ evidenceStatus: 'NO_EVIDENCE' })),
      emitted(noteOf({ outcome: 'REPEAT' })),
      emitted(noteOf({ kind: 'RETRIEVE', outcome: 'HITS' })),
    ]);
    const grades = ['EVIDENCE_FOUND",grade="PRECISE', 'NO_EVIDENCE",grade="NONE', 'REPEAT",grade="NONE'];
    for (const grade of grades)
      expect(await value(metrics, `proofline_lookups_total{outcome="${grade}"}`)).toBe(1);
    expect(await metrics.text()).not.toContain('outcome="HITS"');
  });

  test('given a dead letter, it is counted by its code, and the records by their topics', async () => {
    const metrics = createMetrics();
    const record = {
      topic: 'dead-letter.v1' as const,
      partition: 0,
      key: Buffer.from('k'),
      value: null,
      headers: {},
    };
    const outcome = { kind: 'dead-letter' as const, code: 'PL_EVENT_ID' as const, params: {} };
    countDecisions(metrics, 'guard', [{ outcome, emissions: [], records: [record, record] }]);
    expect(await value(metrics, 'proofline_dead_letters_total{station="guard",code="PL_EVENT_ID"}')).toBe(1);
    expect(await value(metrics, 'proofline_records_out_total{station="guard",topic="dead-letter.v1"}')).toBe(
      2,
    );
  });

  test('the emissions of these tests are what the topics carry', () => {
    const envelope = { eventId: 'e', causedBy: null, runId: 'run-1', occurredAt: 0 };
    for (const { topic, body } of [verdictOf('PASSED', []), projectedOf('PL_TIMEOUT'), noteOf({})])
      expect(() => codec.encode(topic, { ...envelope, ...body })).not.toThrow();
  });
});
