import { afterEach, describe, expect, test } from 'vitest';
import type { Bus } from '../../src/bus/bus.js';
import { createHttpServer, type HttpServer } from '../../src/observe/http.js';
import type { Readiness } from '../../src/observe/readiness.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { closeLines, openTestLine, type TestLine } from '../support/line.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { withSteps } from '../support/line-echo.js';
import { isDown, scripted, hitAbout, hits } from '../support/line-search.js';
import { observe, seriesOf, stopObserving, type Observed } from '../support/observe.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const servers = new Set<HttpServer>();

afterEach(async () => {
  for (const server of servers) await server.close();
  servers.clear();
  await closeLines();
  await stopObserving();
  removeTempFolders();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks for a path, of a real server on a free port. */
async function serve(observed: Observed): Promise<(path: string) => Promise<Answer>> {
  const server = createHttpServer({ routes: [observed.routes] });
  servers.add(server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return async (path) => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, text: await response.text() };
  };
}

async function readiness(get: (path: string) => Promise<Answer>): Promise<Readiness & { status: number }> {
  const { status, text } = await get('/readyz');
  return { status, ...(JSON.parse(text) as Readiness) };
}

const isReady = (observed: Observed): Promise<unknown> =>
  waitUntil('the line is ready', () => observed.readiness().ready);

async function askAndHandIn(line: TestLine, draftJson = trueDraft()): Promise<void> {
  await line.ask({});
  await line.idle();
  await line.handIn({ draftJson });
  await line.idle();
}

describe('a line at work', () => {
  test('given a lookup and a draft, /metrics tells what every station did', async () => {
    const observed = await observe();
    const line = openTestLine({ observe: observed });
    const get = await serve(observed);
    await askAndHandIn(line);

    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    const expected: Record<string, number> = {
      proofline_bus_up: 1,
      proofline_ready: 1,
      'proofline_records_in_total{station="retrieve"}': 1,
      'proofline_records_out_total{station="retrieve",topic="raw-hits.v1"}': 1,
      'proofline_batch_records_count{station="postprocess"}': 1,
      'proofline_stage_seconds_count{station="guard",stage="decide"}': 1,
      'proofline_stage_seconds_count{station="ledger-view",stage="commit"}': 2,
      'proofline_steps_total{station="review",outcome="committed"}': 1,
      'proofline_steps_total{station="review",outcome="failed"}': 0,
      'proofline_lookups_total{outcome="EVIDENCE_FOUND",grade="PRECISE"}': 1,
      'proofline_verdicts_total{status="PASSED"}': 1,
      'proofline_decisions_total{decision="PUBLISH"}': 1,
      'proofline_station_lanes{station="guard"}': 2,
      proofline_ledger_taken_back_total: 0,
    };
    const found = Object.keys(expected).map((series) => [series, seriesOf(text, series)]);
    expect(Object.fromEntries(found)).toEqual(expected);
    const partition = partitionOf('run-1', line.bus.partitions);
    expect(seriesOf(text, `proofline_ledger_view_position{partition="${partition}"}`)).toBe(2);
    for (const station of ['retrieve', 'project', 'guard', 'ledger-view'])
      expect(text).toContain(`proofline_station_lag_records{station="${station}",topic=`);
    expect(text).not.toMatch(/^proofline_station_lag_records\{.*\} [1-9]/m);
    expect(await readiness(get)).toEqual({ status: 200, ready: true, reasons: [], more: 0 });
    expect(await get('/livez')).toEqual({ status: 200, text: '{"status":"alive"}' });
  });

  test('given a forged draft, its violation is counted', async () => {
    const observed = await observe();
    const line = openTestLine({ observe: observed });
    await askAndHandIn(line, forgedDraft());
    const text = await observed.metrics();
    expect(seriesOf(text, 'proofline_verdicts_total{status="REJECTED"}')).toBe(1);
    expect(seriesOf(text, 'proofline_violations_total{code="DOCUMENT_NOT_SHOWN"}')).toBe(1);
    expect(seriesOf(text, 'proofline_decisions_total{decision="REPAIR"}')).toBe(1);
  });

  test('given records that nobody consumes, the lag says how many', async () => {
    const observed = await observe();
    const line = openTestLine({ observe: observed });
    await line.stop('project');
    for (const toolCallId of ['c1', 'c2', 'c3']) await line.ask({ toolCallId });
    await line.idle();
    const partition = partitionOf('run-1', line.bus.partitions);
    const series = `proofline_station_lag_records{station="project",topic="postprocessed.v1",partition="${partition}"}`;
    await waitUntil('the lag is seen', async () => seriesOf(await observed.metrics(), series) === 3);
  });

  test('given a record that cannot be decoded, it is a dead letter by its code', async () => {
    const observed = await observe();
    const line = openTestLine({ observe: observed });
    const record = line.record('lookup-requested.v1', await line.ask({}));
    await line.bus.append([{ ...record, value: Buffer.from('{}') }]);
    await line.idle();
    const series = 'proofline_dead_letters_total{station="retrieve",code="PL_RECORD_UNDECODABLE"}';
    expect(seriesOf(await observed.metrics(), series)).toBe(1);
    await waitUntil('it is logged', () =>
      observed.logged.some(({ code }) => code === 'PL_RECORD_UNDECODABLE'),
    );
    const [logged] = observed.logged.filter(({ code }) => code === 'PL_RECORD_UNDECODABLE');
    expect(logged).toMatchObject({
      station: 'retrieve',
      topic: 'lookup-requested.v1',
      offset: 1,
      run_id: 'run-1',
    });
  });
});

describe('a line that waits', () => {
  test('given a retriever that is down, /readyz tells what for, and goes back to 200 by itself', async () => {
    const search = scripted(() => isDown());
    const observed = await observe();
    const line = openTestLine({ search, observe: observed });
    const get = await serve(observed);
    await isReady(observed);
    await line.ask({});
    await waitUntil('it waits', () => line.health.waiting().length > 0);

    const down = await readiness(get);
    expect(down).toMatchObject({ status: 503, ready: false, more: 0 });
    expect(down.reasons).toHaveLength(1);
    expect(down.reasons[0]).toMatchObject({
      station: 'retrieve',
      partition: partitionOf('run-1', line.bus.partitions),
      code: 'PL_RETRIEVAL_DOWN',
    });
    expect(down.reasons[0]!.message).toContain('refused');
    expect(down.reasons[0]!.solve).toContain('Check the retrieval service');
    expect(Date.parse(down.reasons[0]!.since!)).toBeLessThanOrEqual(Date.now());
    const text = await observed.metrics();
    expect(text).toMatch(/^proofline_waiting_seconds\{station="retrieve",.*code="PL_RETRIEVAL_DOWN"\} \d/m);
    expect(seriesOf(text, 'proofline_ready')).toBe(0);

    search.answer(({ query }) => hits([hitAbout(query)]));
    await line.idle();
    await isReady(observed);
    expect((await readiness(get)).status).toBe(200);
    const after = await observed.metrics();
    expect(after).not.toContain('proofline_waiting_seconds{');
    expect(
      seriesOf(after, 'proofline_waits_total{station="retrieve",code="PL_RETRIEVAL_DOWN"}'),
    ).toBeGreaterThan(0);
  });

  test('given a station that waits and is stopped, what it waited for is no reason any more', async () => {
    const observed = await observe();
    const line = openTestLine({ search: scripted(() => isDown()), observe: observed });
    await line.ask({});
    await waitUntil('it waits', () => line.health.waiting().length > 0);
    await line.stop('retrieve');
    expect(line.health.waiting()).toEqual([]);
    expect(observed.readiness().reasons).toMatchObject([{ station: 'retrieve', code: 'PL_NO_PARTITION' }]);
  });

  test('given stations that wait for the ledger view, /readyz names the partitions that are not open', async () => {
    const observed = await observe();
    openTestLine({
      observe: observed,
      stations: ['retrieve'],
      wrapLedger: (view) => ({
        ...view,
        whenPast: () => new Promise((resolve) => setTimeout(resolve, 20, false)),
      }),
    });
    await waitUntil('both are being opened', () => observed.readiness().reasons.length === 2);
    expect(observed.readiness().reasons).toMatchObject([
      { station: 'retrieve', partition: 0, code: 'PL_LANE_OPENING' },
      { station: 'retrieve', partition: 1, code: 'PL_LANE_OPENING' },
    ]);
  });

  test('given a step that fails, it is counted, and the lane starts over', async () => {
    let failures = 1;
    const observed = await observe();
    const line = openTestLine({
      observe: observed,
      wrapBus: (bus) =>
        withSteps(bus, (group) => {
          if (group === 'postprocess' && failures-- > 0) throw new TypeError('the text of the evidence');
        }),
    });
    await line.ask({});
    await line.idle();
    const text = await observed.metrics();
    expect(seriesOf(text, 'proofline_steps_total{station="postprocess",outcome="failed"}')).toBe(1);
    const startedOver = 'proofline_lanes_started_over_total{station="postprocess",code="PL_INVARIANT"}';
    expect(seriesOf(text, startedOver)).toBe(1);
    await waitUntil('it is logged', () => observed.logged.some(({ code }) => code === 'PL_INVARIANT'));
    expect(observed.logged.find(({ code }) => code === 'PL_INVARIANT')).toMatchObject({ error: 'TypeError' });
  });
});

describe('a bus that is down', () => {
  const broken: [string, Bus['bounds']][] = [
    ['refuses', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise(() => undefined)],
  ];
  test.each(broken)('given one that %s, there is no old number, and the scrape ends', async (_, bounds) => {
    let down = false;
    const observed = await observe();
    const line = openTestLine({
      observe: observed,
      wrapBus: (bus) => ({ ...bus, bounds: (...log) => (down ? bounds(...log) : bus.bounds(...log)) }),
    });
    await line.ask({});
    await line.idle();
    expect(await observed.metrics()).toContain('proofline_station_lag_records{');

    down = true;
    // An answer is good for a second.
    const text = await waitUntil('it is noticed', async () => {
      const scraped = await observed.metrics();
      return seriesOf(scraped, 'proofline_bus_up') === 0 ? scraped : null;
    });
    expect(text).not.toContain('proofline_station_lag_records{');
    expect(text).not.toContain('proofline_ledger_view_lag_records{');
    // The view answers without it.
    expect(seriesOf(text, 'proofline_ledger_view_up')).toBe(1);
    expect(seriesOf(text, 'proofline_records_in_total{station="project"}')).toBe(1);
  });

  test('given many scrapes at once, it is asked once', async () => {
    let asked = 0;
    const observed = await observe();
    const count = (bus: Bus): Bus => ({
      ...bus,
      bounds(topic, partition) {
        if (topic === 'lookup-requested.v1' && partition === 0) asked += 1;
        return bus.bounds(topic, partition);
      },
    });
    openTestLine({ observe: observed, wrapBus: count });
    await Promise.all(Array.from({ length: 50 }, () => observed.metrics()));
    expect(asked).toBe(1);
  });
});

describe('the life of a line', () => {
  test('is told in order: started, partitions, ready, draining, not ready, stopped', async () => {
    const observed = await observe();
    const line = openTestLine({ observe: observed });
    await waitUntil('ready is told', () => observed.logged.some(({ msg }) => msg === 'ready'));
    observed.drain();
    await line.close();
    await observed.stop();
    const told = observed.logged.map(({ msg }) => msg);
    const order = [
      'started',
      'partitions gained',
      'ready',
      'draining',
      'partitions lost',
      'not ready',
      'stopped',
    ];
    expect(told.filter((msg, i) => told.indexOf(msg) === i)).toEqual(order);
    expect(observed.logged.find(({ msg }) => msg === 'partitions gained')).toMatchObject({
      partitions: [0, 1],
    });
    expect(observed.logged.at(-2)).toMatchObject({ msg: 'not ready', reasons: [{ code: 'PL_NOT_SERVING' }] });
  });

  test('given no line yet, or one that drains, /readyz answers 503 and says so', async () => {
    const observed = await observe();
    const get = await serve(observed);
    const starting = { code: 'PL_NOT_SERVING', message: 'The process is starting' };
    expect(await readiness(get)).toMatchObject({ status: 503, reasons: [starting] });
    openTestLine({ observe: observed });
    await isReady(observed);
    observed.drain();
    expect(await readiness(get)).toMatchObject({
      status: 503,
      reasons: [{ code: 'PL_NOT_SERVING', message: 'The process is stopping' }],
    });
  });

  test('given a dependency that is missing, /readyz names it', async () => {
    const observed = await observe({
      dependencies: () => [{ code: 'PL_AUDIT_DOWN', params: { problem: 'refused' }, since: 0 }],
    });
    openTestLine({ observe: observed });
    await waitUntil('only that is left', () => observed.readiness().reasons.length === 1);
    expect(observed.readiness().reasons).toEqual([
      {
        code: 'PL_AUDIT_DOWN',
        message: 'The audit store does not answer: refused',
        solve: expect.stringContaining('audit-sink') as string,
        since: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });

  test('given a fatal error, /livez answers 503', async () => {
    const observed = await observe();
    const get = await serve(observed);
    observed.onFatal(new RangeError('the text of the evidence'));
    expect(await get('/livez')).toEqual({ status: 503, text: '{"status":"failed"}' });
    expect(observed.logged.at(-1)).toMatchObject({ level: 60, error: 'RangeError' });
    expect(JSON.stringify(observed.logged)).not.toContain('the text of the evidence');
  });
});
