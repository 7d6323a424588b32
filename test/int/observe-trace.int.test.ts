import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { afterEach, describe, expect, test } from 'vitest';
import { lookupRequested } from '../../producers/lookups.js';
import { runTraceId } from '../../src/observe/trace-ids.js';
import { encodeRecord } from '../../src/station/envelope.js';
import { closeLines, lookupOf, openTestLine, type TestLine } from '../support/line.js';
import { trueDraft } from '../support/line-drafts.js';
import { withSteps } from '../support/line-echo.js';
import { hitAbout, hits, isDown, scripted } from '../support/line-search.js';
import { observe, stopObserving, type Observed } from '../support/observe.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  await stopObserving();
  removeTempFolders();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

async function spansOf(line: TestLine, observed: Observed): Promise<readonly ReadableSpan[]> {
  await line.close();
  await observed.stop();
  return observed.exporter.getFinishedSpans();
}

/** Publishes a lookup with headers of its own. */
async function askWith(line: TestLine, headers: Record<string, string>): Promise<void> {
  const request = lookupRequested(lookupOf(), 1_000_000);
  const record = encodeRecord(line.emitter, 'lookup-requested.v1', request);
  await line.bus.append([{ ...record, headers: { ...record.headers, ...headers } }]);
  await line.idle();
}

/** A span by what it read. */
function reading(spans: readonly ReadableSpan[], station: string, topic: string): ReadableSpan {
  const found = spans.filter((span) => span.name === station && span.attributes['proofline.topic'] === topic);
  expect(found).toHaveLength(1);
  return found[0]!;
}

const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const tracesOf = (spans: readonly ReadableSpan[]): string[] => [
  ...new Set(spans.map((span) => span.spanContext().traceId)),
];

describe('the trace of a run', () => {
  test('given a lookup and its draft, is one, through all stations, each following from the one before', async () => {
    const observed = await observe({ traced: true });
    const line = openTestLine({ observe: observed });
    await line.ask({});
    await line.idle();
    await line.handIn({ draftJson: trueDraft() });
    await line.idle();
    const spans = await spansOf(line, observed);

    expect(tracesOf(spans)).toEqual([runTraceId(line.bus.epoch, 'run-1')]);
    expect(new Set(spans.map(({ name }) => name))).toEqual(
      new Set(['retrieve', 'postprocess', 'project', 'ledger-view', 'guard', 'review', 'audit-sink']),
    );
    const retrieve = reading(spans, 'retrieve', 'lookup-requested.v1');
    const postprocess = reading(spans, 'postprocess', 'raw-hits.v1');
    const project = reading(spans, 'project', 'postprocessed.v1');
    const guard = reading(spans, 'guard', 'draft-submitted.v1');
    const review = reading(spans, 'review', 'verdict.v1');
    expect(retrieve.parentSpanContext).toBeUndefined();
    expect(postprocess.parentSpanContext?.spanId).toBe(idOf(retrieve));
    expect(project.parentSpanContext?.spanId).toBe(idOf(postprocess));
    expect(guard.parentSpanContext).toBeUndefined();
    expect(review.parentSpanContext?.spanId).toBe(idOf(guard));
    expect(reading(spans, 'audit-sink', 'verified.v1').parentSpanContext?.spanId).toBe(idOf(review));
    const applied = spans.filter(({ name }) => name === 'ledger-view');
    expect(applied.map((span) => span.parentSpanContext?.spanId)).toEqual([idOf(retrieve), idOf(project)]);
    expect(guard.attributes).toMatchObject({
      'proofline.run_id': 'run-1',
      'proofline.draft_id': 'draft-1',
      'proofline.outcome': 'PASSED',
      'proofline.offset': 0,
    });
    expect(project.attributes).toMatchObject({
      'proofline.outcome': 'READY',
      'proofline.tool_call_id': 'call-1',
    });
  });

  test('given a traceparent at the door, goes on with it', async () => {
    const observed = await observe({ traced: true });
    const line = openTestLine({ observe: observed });
    await askWith(line, { traceparent: `00-${TRACE}-${PARENT}-01` });
    const projected = await line.read('projected.v1');
    const spans = await spansOf(line, observed);
    expect(tracesOf(spans)).toEqual([TRACE]);
    expect(reading(spans, 'retrieve', 'lookup-requested.v1').parentSpanContext?.spanId).toBe(PARENT);
    const project = reading(spans, 'project', 'postprocessed.v1');
    expect(projected[0]!.headers['traceparent']).toBe(`00-${TRACE}-${idOf(project)}-01`);
  });

  const hostile: [string, string][] = [
    ['no trace', 'nonsense'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a forbidden version', `ff-${TRACE}-${PARENT}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a line behind it', `00-${TRACE}-${PARENT}-01\n`],
    ['a megabyte', `00-${TRACE}-${PARENT}-01`.repeat(20_000)],
  ];
  test.each(hostile)(
    'given a header with %s, begins anew and passes none of it on',
    async (_, traceparent) => {
      const observed = await observe({ traced: true });
      const line = openTestLine({ observe: observed });
      await askWith(line, { traceparent });
      const projected = await line.read('projected.v1');
      const spans = await spansOf(line, observed);
      expect(tracesOf(spans)).toEqual([runTraceId(line.bus.epoch, 'run-1')]);
      expect(projected[0]!.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    },
  );

  test('given one that is not kept, no span is sent, and what follows is told so', async () => {
    const observed = await observe({ traced: true });
    const line = openTestLine({ observe: observed });
    await askWith(line, { traceparent: `00-${TRACE}-${PARENT}-00` });
    const projected = await line.read('projected.v1');
    expect(projected[0]!.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(await spansOf(line, observed)).toEqual([]);
  });

  test('given a retriever that is down for a while, one span covers the wait and names it', async () => {
    const search = scripted(() => isDown(5));
    const observed = await observe({ traced: true });
    const line = openTestLine({ search, observe: observed });
    await line.ask({});
    await waitUntil('it waits for the third time', () => search.asked.length >= 3);
    search.answer(({ query }) => hits([hitAbout(query)]));
    await line.idle();
    const spans = await spansOf(line, observed);
    const retrieve = reading(spans, 'retrieve', 'lookup-requested.v1');
    expect(retrieve.attributes).toMatchObject({
      'proofline.waited_for': 'PL_RETRIEVAL_DOWN',
      'proofline.outcome': 'HITS',
    });
    // PENDING was written in a step of its own, and belongs to the same span.
    const applied = spans.filter(({ name }) => name === 'ledger-view');
    expect(applied[0]!.parentSpanContext?.spanId).toBe(idOf(retrieve));
  });

  test('given a step that fails, its span says so, and the second try is another of the same trace', async () => {
    let failures = 1;
    const observed = await observe({ traced: true });
    const line = openTestLine({
      observe: observed,
      wrapBus: (bus) =>
        withSteps(bus, (group) => {
          if (group === 'postprocess' && failures-- > 0) throw new Error('no');
        }),
    });
    await line.ask({});
    await line.idle();
    const spans = await spansOf(line, observed);
    const tries = spans.filter(({ name }) => name === 'postprocess');
    expect(tries.map(({ status, attributes }) => [status.code, attributes['proofline.code']])).toEqual([
      [2, 'PL_INVARIANT'],
      [0, undefined],
    ]);
    expect(tracesOf(spans)).toHaveLength(1);
  });

  test('given a record that is given up, its span says why, and its dead letter follows from it', async () => {
    const observed = await observe({ traced: true });
    const line = openTestLine({ observe: observed, stations: ['retrieve', 'ledger-view'] });
    const request = encodeRecord(line.emitter, 'lookup-requested.v1', lookupRequested(lookupOf(), 0));
    await line.bus.append([{ ...request, value: Buffer.from('{}') }]);
    await line.idle();
    const [letter] = await line.read('dead-letter.v1');
    const spans = await spansOf(line, observed);
    const retrieve = reading(spans, 'retrieve', 'lookup-requested.v1');
    expect(retrieve).toMatchObject({
      status: { code: 2 },
      attributes: { 'proofline.outcome': 'DEAD_LETTER', 'proofline.code': 'PL_RECORD_UNDECODABLE' },
    });
    expect(letter!.headers['traceparent']).toBe(
      `00-${runTraceId(line.bus.epoch, 'run-1')}-${idOf(retrieve)}-01`,
    );
  });

  test('given a line that stops while it waits, the span is sent all the same', async () => {
    const observed = await observe({ traced: true });
    const line = openTestLine({ search: scripted(() => isDown()), observe: observed });
    await line.ask({});
    await waitUntil('it waits', () => line.health.waiting().length > 0);
    const spans = await spansOf(line, observed);
    expect(reading(spans, 'retrieve', 'lookup-requested.v1').attributes).toMatchObject({
      'proofline.outcome': 'LET_GO',
      'proofline.waited_for': 'PL_RETRIEVAL_DOWN',
    });
  });
});

describe('a line that is not traced', () => {
  test('given a traceparent, passes it on as it is', async () => {
    const line = openTestLine({ observe: await observe() });
    await askWith(line, { traceparent: `00-${TRACE}-${PARENT}-01` });
    for (const topic of ['raw-hits.v1', 'ledger.v1', 'projected.v1', 'tool-invocation.v1'] as const)
      for (const { headers } of await line.read(topic))
        expect(headers['traceparent']).toBe(`00-${TRACE}-${PARENT}-01`);
  });

  test('given none, makes none', async () => {
    const line = openTestLine({ observe: await observe() });
    await askWith(line, {});
    for (const { headers } of await line.read('projected.v1'))
      expect(headers).not.toHaveProperty('traceparent');
  });
});
