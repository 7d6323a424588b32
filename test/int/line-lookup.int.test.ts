import { afterEach, describe, expect, test } from 'vitest';
import { lookupRequested } from '../../producers/lookups.js';
import type { NewRecord } from '../../src/bus/bus.js';
import { recordBytes } from '../../src/bus/record-size.js';
import { sha256 } from '../../src/contracts/digest.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import type { LookupRequested } from '../../src/contracts/generated.js';
import { lookupEventId, requestSha256 } from '../../src/contracts/ids.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { topics } from '../../src/contracts/topics.js';
import { parseAgentView } from '../../src/evidence/parse-agent-view.js';
import { createPyRag } from '../../src/retrieval/py-rag/py-rag.js';
import { verifyEntry } from '../../src/ledger/signing.js';
import { closeLines, lookupOf, only, openTestLine, type TestLine } from '../support/line.js';
import { withSteps } from '../support/line-echo.js';
import { hitAbout, hits, isDown, scripted } from '../support/line-search.js';
import { startPyRag } from '../support/line-py-rag.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { createGate, waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

/** The states that a lookup's entry went through, in the order of the ledger. */
async function states(line: TestLine, toolCallId = 'call-1'): Promise<string[]> {
  const entries = await line.messages('ledger.v1');
  return entries.filter((entry) => entry.toolCallId === toolCallId).map(({ state }) => state);
}

describe('a lookup', () => {
  test('is answered once, from a signed entry with the same bytes', async () => {
    const line = openTestLine();
    const request = await line.ask({});
    await line.idle();

    const projected = await only(line, 'projected.v1');
    expect(projected).toMatchObject({
      state: 'READY',
      toolCallId: 'call-1',
      requestEventId: request.eventId,
      gain: 'NEW',
      repeat: false,
      failure: null,
      expiresAt: request.occurredAt + 24 * 3_600_000,
      occurredAt: request.occurredAt,
    });
    const reading = parseAgentView(projected.agentView!, 'call-1');
    expect(reading).toMatchObject({
      view: { query: 'gateway timeout', evidence: [{ documentId: 'doc-gateway-timeout#chunk-0' }] },
    });
    expect(await states(line)).toEqual(['PENDING', 'READY']);
    const [pending, ready] = await line.messages('ledger.v1');
    expect(ready).toMatchObject({
      agentView: projected.agentView,
      agentViewSha256: sha256(projected.agentView!),
    });
    for (const entry of [pending, ready]) {
      expect(entry).toMatchObject({ requestOffset: 0, requestEventId: request.eventId });
      expect(verifyEntry(entry!, line.keyring)).toBe('VALID');
    }
    expect((await line.read('ledger.v1')).map(({ key }) => key)).toEqual(['run-1/call-1', 'run-1/call-1']);
    expect(line.incidents).toEqual([]);
  });

  test('each step of it follows from the one before', async () => {
    const line = openTestLine();
    const request = await line.ask({});
    await line.idle();
    const raw = await only(line, 'raw-hits.v1');
    const governed = await only(line, 'postprocessed.v1');
    const projected = await only(line, 'projected.v1');
    expect([raw.causedBy, governed.causedBy, projected.causedBy]).toEqual([
      request.eventId,
      raw.eventId,
      governed.eventId,
    ]);
  });

  test('given many at once on all partitions, each is answered exactly once', async () => {
    const line = openTestLine({ partitions: 4 });
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => line.ask({ runId: `run-${i % 40}`, toolCallId: `call-${i}` })),
    );
    await line.idle();
    const projected = await line.messages('projected.v1');
    expect(new Set(projected.map(({ toolCallId }) => toolCallId)).size).toBe(300);
    expect(projected).toHaveLength(300);
    expect((await line.messages('ledger.v1')).filter(({ state }) => state === 'READY')).toHaveLength(300);
    expect(await line.messages('dead-letter.v1')).toEqual([]);
  });

  test('given nothing found, the answer is an honest NO_EVIDENCE with its basis', async () => {
    const line = openTestLine({ search: scripted(() => hits([], { no_evidence_basis: 'below_threshold' })) });
    await line.ask({});
    await line.idle();
    const projected = await only(line, 'projected.v1');
    expect(projected).toMatchObject({ state: 'READY', gain: 'NONE', noEvidenceBasis: 'below_threshold' });
    expect(JSON.parse(projected.agentView!)).toMatchObject({ evidence_status: 'NO_EVIDENCE', evidence: [] });
  });

  test('gain is NEW for what the run was not shown, UNCHANGED for what it was, NONE for nothing', async () => {
    const search = scripted(({ query }) =>
      hits(query === 'nothing' ? [] : query.split(' ').map((q) => hitAbout(q))),
    );
    const line = openTestLine({ search });
    const asked: [string, string, string][] = [
      ['run-1', 'disk', 'NEW'],
      ['run-1', 'disk', 'UNCHANGED'],
      ['run-1', 'disk fan', 'NEW'],
      ['run-1', 'fan disk', 'UNCHANGED'],
      ['run-1', 'nothing', 'NONE'],
      ['run-2', 'disk', 'NEW'],
    ];
    // Some in one batch, some not: what was shown counts wherever it is.
    for (const [i, [runId, query]] of asked.entries()) {
      await line.ask({ runId, query, toolCallId: `call-${i}` });
      if (i % 2 === 1) await line.idle();
    }
    await line.idle();
    const gains = new Map((await line.messages('projected.v1')).map((p) => [p.toolCallId, p.gain]));
    expect(asked.map((_, i) => gains.get(`call-${i}`))).toEqual(asked.map(([, , gain]) => gain));
  });

  test('given a failed answer of the run, gain does not count it', async () => {
    const search = scripted(({ query }) =>
      query === 'fail'
        ? { kind: 'failed', failure: { code: 'PL_RETRIEVAL_FAILED', message: 'no answer', retryable: true } }
        : hits([hitAbout('disk')]),
    );
    const line = openTestLine({ search });
    await line.ask({ query: 'fail', toolCallId: 'call-0' });
    await line.ask({ query: 'disk', toolCallId: 'call-1' });
    await line.idle();
    expect((await line.messages('projected.v1')).map(({ state, gain }) => [state, gain])).toEqual([
      ['FAILED', null],
      ['READY', 'NEW'],
    ]);
  });
});

describe('a retriever', () => {
  test('given that it is down, the lookup waits as PENDING, health says so, and it is answered later', async () => {
    const search = scripted(() => isDown(20));
    const line = openTestLine({ search });
    await line.ask({});
    await waitUntil('it was asked three times', () => search.asked.length >= 3);
    expect(line.health.waiting()).toMatchObject([{ station: 'retrieve', code: 'PL_RETRIEVAL_DOWN' }]);
    // It was accepted, and whoever cites it is told that it is not answered yet.
    await waitUntil('it is PENDING', async () => (await states(line)).length > 0);
    search.answer(({ query }) => hits([hitAbout(query)]));
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({ state: 'READY' });
    expect(await states(line)).toEqual(['PENDING', 'READY']);
    await waitUntil('it is ready again', () => line.health.waiting().length === 0);
    expect(line.incidents).toEqual([]);
  });

  test('given one down for a lookup, those before it are answered and those behind it wait', async () => {
    const search = scripted(({ query }) => (query === 'down' ? isDown(10) : hits([hitAbout(query)])));
    const line = openTestLine({ search, partitions: 1, stations: ['ledger-view'] });
    for (const [i, query] of ['one', 'down', 'two'].entries())
      await line.ask({ query, toolCallId: `call-${i}` });
    line.start('retrieve', 'postprocess', 'project');
    await waitUntil('the first is answered', async () => (await line.messages('projected.v1')).length > 0);
    const asked = search.asked.length;
    await waitUntil('it is asked again', () => search.asked.length > asked + 2);
    expect((await line.messages('projected.v1')).map(({ toolCallId }) => toolCallId)).toEqual(['call-0']);
    search.answer(({ query }) => hits([hitAbout(query)]));
    await line.idle();
    expect((await line.messages('projected.v1')).map(({ toolCallId }) => toolCallId)).toEqual([
      'call-0',
      'call-1',
      'call-2',
    ]);
    for (const call of ['call-0', 'call-1', 'call-2'])
      expect(await states(line, call)).toEqual(['PENDING', 'READY']);
  });

  test('given one that says when to come back, it is not asked before', async () => {
    const times: number[] = [];
    const search = scripted(() => {
      times.push(performance.now());
      return times.length < 3 ? isDown(300) : hits([]);
    });
    const line = openTestLine({ search });
    await line.ask({});
    await line.idle();
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    expect(pauses).toHaveLength(2);
    // Timers may be a millisecond early.
    for (const pause of pauses) expect(pause).toBeGreaterThan(295);
  });

  test('given Retry-After of a real service, the line waits as long as it says', async () => {
    const service = await startPyRag();
    const times: number[] = [];
    service.answer((response) => {
      times.push(performance.now());
      if (times.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.end(JSON.stringify({ hits: [], evidence_status: 'no_evidence', retrieval_trace: {} }));
    });
    const line = openTestLine({ search: createPyRag({ url: service.url }) });
    await line.ask({});
    await line.idle();
    expect(times[1]! - times[0]!).toBeGreaterThan(995);
    expect(await only(line, 'projected.v1')).toMatchObject({ state: 'READY', gain: 'NONE' });
    await service.close();
  });

  test('given one that is down for 15 minutes, the lookup becomes FAILED, and may be asked again as another', async () => {
    let now = Date.parse('2026-05-04T00:00:00Z');
    const search = scripted(() => isDown(5));
    const line = openTestLine({ search, now: () => now });
    await line.ask({});
    await waitUntil('it waits', () => search.asked.length >= 2);
    now += 15 * 60_000 - 1;
    const asked = search.asked.length;
    await waitUntil('it still waits', () => search.asked.length >= asked + 2);
    expect(await line.messages('projected.v1')).toEqual([]);
    now += 1;
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      agentView: null,
      failure: { code: 'PL_RETRIEVAL_FAILED', retryable: true },
    });
    expect(await states(line)).toEqual(['PENDING', 'FAILED']);
    search.answer(() => hits([]));
    await line.ask({ toolCallId: 'call-2' });
    await line.idle();
    expect(await states(line, 'call-2')).toEqual(['PENDING', 'READY']);
  });

  test('given a lookup that fails for good, its failure is the answer and is not retried', async () => {
    const failure = { code: 'PL_RETRIEVAL_CONTRACT', message: 'hits is not an array', retryable: false };
    const search = scripted(() => ({ kind: 'failed', failure }));
    const line = openTestLine({ search });
    await line.ask({});
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      failure,
      agentView: null,
      gain: null,
    });
    expect(await states(line)).toEqual(['PENDING', 'FAILED']);
    expect((await line.messages('ledger.v1'))[1]).toMatchObject({ failure, agentView: null, blocks: [] });
    expect(search.asked).toHaveLength(1);
  });

  const refused: [string, Parameters<TestLine['ask']>[0]][] = [
    ['a mode that nobody knows', { mode: 'psychic' }],
    ['no hits wanted', { topK: 0 }],
    ['too many hits wanted', { topK: 101 }],
    ['a query of 20,001 characters', { query: 'q'.repeat(20_001) }],
  ];
  test.each(refused)('given %s, the lookup fails without asking it', async (_, lookup) => {
    const search = scripted();
    const line = openTestLine({ search });
    await line.ask(lookup);
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      failure: { code: 'PL_RETRIEVAL_REFUSED', retryable: false },
    });
    expect(search.asked).toEqual([]);
  });

  test('given a slow one, PENDING is in the ledger before the answer, and once', async () => {
    const gate = createGate();
    const search = scripted(async ({ query }) => {
      await gate.opened;
      return hits([hitAbout(query)]);
    });
    const line = openTestLine({ search });
    await line.ask({});
    await waitUntil('it is PENDING', async () => (await states(line)).length > 0);
    expect(await line.messages('raw-hits.v1')).toEqual([]);
    expect(await line.bus.committed('retrieve', 'lookup-requested.v1', 0)).toBeNull();
    gate.open();
    await line.idle();
    expect(await states(line)).toEqual(['PENDING', 'READY']);
    const ids = (await line.messages('ledger.v1')).map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(2);
  });

  test('given a slow one, the early PENDING has the id that it has in the step of the answer', async () => {
    const idOf = async (slow: boolean): Promise<string> => {
      const gate = createGate();
      const search = scripted(async () => {
        if (slow) await gate.opened;
        return hits([]);
      });
      const line = openTestLine({ search, now: () => 1_700_000_000_000 });
      await line.ask({});
      await waitUntil('it is PENDING', async () => (await states(line)).length > 0);
      gate.open();
      await line.idle();
      return (await line.messages('ledger.v1'))[0]!.eventId;
    };
    expect(await idOf(true)).toBe(await idOf(false));
  });

  test('given a crash between the early PENDING and the answer, the lookup goes on and ends once', async () => {
    const folder = tempFolder();
    const gate = createGate();
    const slow = openTestLine({ folder, search: scripted(() => gate.opened.then(() => hits([]))) });
    const request = await slow.ask({});
    await waitUntil('it is PENDING', async () => (await states(slow)).length > 0);
    await slow.close();

    const search = scripted();
    const line = openTestLine({ folder, search });
    await line.idle();
    expect(search.asked).toHaveLength(1);
    expect(await states(line)).toEqual(['PENDING', 'READY']);
    expect(await only(line, 'projected.v1')).toMatchObject({ state: 'READY', repeat: false });
    for (const entry of await line.messages('ledger.v1')) expect(entry.requestEventId).toBe(request.eventId);
  });

  test('given a crash before the answer and a repeat behind it, the repeat gets the same answer', async () => {
    const folder = tempFolder();
    const gate = createGate();
    const slow = openTestLine({ folder, search: scripted(() => gate.opened.then(() => hits([]))) });
    await slow.ask({});
    await waitUntil('it is PENDING', async () => (await states(slow)).length > 0);
    await slow.ask({});
    await slow.close();
    const line = openTestLine({ folder });
    await line.idle();
    const [first, second] = await line.messages('projected.v1');
    expect([first!.repeat, second!.repeat]).toEqual([false, true]);
    expect(second!.agentView).toBe(first!.agentView);
    expect(await states(line)).toEqual(['PENDING', 'READY']);
  });
});

describe('the same lookup again', () => {
  test('is answered alike from the ledger: the same bytes, no question, no second entry', async () => {
    const search = scripted();
    const line = openTestLine({ search });
    const first = await line.ask({});
    await line.idle();
    // The knowledge base has changed meanwhile.
    search.answer(() => hits([hitAbout('something else')]));
    const second = await line.ask({});
    expect(second.eventId).toBe(first.eventId);
    await line.idle();
    const [answer, again] = await line.messages('projected.v1');
    expect(again).toMatchObject({ state: 'READY', repeat: true, gain: null, requestEventId: first.eventId });
    const { eventId, causedBy, repeat, gain, occurredAt, ...rest } = answer!;
    expect(again).toMatchObject(rest);
    expect(again!.eventId).not.toBe(eventId);
    expect(again!.causedBy).not.toBe(causedBy);
    expect([repeat, gain, occurredAt]).toEqual([false, 'NEW', first.occurredAt]);
    expect(search.asked).toHaveLength(1);
    expect(await states(line)).toEqual(['PENDING', 'READY']);
  });

  test('given a failed one, it is answered with the same failure', async () => {
    const failure = { code: 'PL_RETRIEVAL_REFUSED', message: 'no', retryable: false };
    const line = openTestLine({ search: scripted(() => ({ kind: 'failed', failure })) });
    await line.ask({});
    await line.ask({});
    await line.idle();
    expect((await line.messages('projected.v1')).map((p) => [p.state, p.repeat, p.failure])).toEqual([
      ['FAILED', false, failure],
      ['FAILED', true, failure],
    ]);
    expect(await states(line)).toEqual(['PENDING', 'FAILED']);
  });

  test('given another question under the same name, it is REFUSED and the first answer stands', async () => {
    const search = scripted();
    const line = openTestLine({ search });
    await line.ask({ query: 'first' });
    await line.idle();
    const other = await line.ask({ query: 'second' });
    await line.ask({ query: 'first' });
    await line.idle();
    const [first, refused, again] = await line.messages('projected.v1');
    expect(refused).toMatchObject({
      state: 'REFUSED',
      requestEventId: other.eventId,
      repeat: false,
      agentView: null,
      failure: { code: 'PL_REPEAT_CONFLICT', retryable: false },
    });
    expect(again!.agentView).toBe(first!.agentView);
    expect(search.asked).toHaveLength(1);
    expect(await states(line)).toEqual(['PENDING', 'READY']);
  });

  test.each([
    ['two alike', ['same', 'same', 'same'], ['READY', 'READY', 'READY'], [false, true, true]],
    [
      'another question between',
      ['same', 'other', 'same'],
      ['READY', 'REFUSED', 'READY'],
      [false, false, true],
    ],
  ])(
    'given %s in one batch, the first is accepted and the others follow it',
    async (_, queries, expected, repeats) => {
      const search = scripted();
      const line = openTestLine({ search, stations: ['ledger-view'] });
      for (const query of queries) await line.ask({ query });
      line.start('retrieve', 'postprocess', 'project');
      await line.idle();
      const projected = await line.messages('projected.v1');
      expect(projected.map(({ state }) => state)).toEqual(expected);
      expect(projected.map(({ repeat }) => repeat)).toEqual(repeats);
      expect(search.asked).toHaveLength(1);
      expect(await states(line)).toEqual(['PENDING', 'READY']);
    },
  );

  test('given two producers at once, one is accepted and the other one repeats it', async () => {
    const line = openTestLine();
    await Promise.all(Array.from({ length: 20 }, () => line.ask({})));
    await line.idle();
    const projected = await line.messages('projected.v1');
    expect(projected.filter(({ repeat }) => !repeat)).toHaveLength(1);
    expect(new Set(projected.map(({ agentView }) => agentView)).size).toBe(1);
    expect(projected).toHaveLength(20);
    expect(await states(line)).toEqual(['PENDING', 'READY']);
  });

  test('given the view far behind, a repeat is still known as one', async () => {
    const line = openTestLine({ stations: ['ledger-view', 'retrieve', 'postprocess', 'project'] });
    await line.ask({ runId: 'run-0' });
    await line.idle();
    await line.stop('ledger-view');
    await line.ask({});
    await line.ask({});
    await line.idle();
    await line.ask({});
    await line.ask({ query: 'other' });
    await line.idle();
    const ofRun = (await line.messages('projected.v1')).filter(({ runId }) => runId === 'run-1');
    expect(ofRun.map(({ state, repeat }) => [state, repeat])).toEqual([
      ['READY', false],
      ['READY', true],
      ['READY', true],
      ['REFUSED', false],
    ]);
    expect((await line.messages('ledger.v1')).filter(({ runId }) => runId === 'run-1')).toHaveLength(2);
  });

  test.each(['one batch', 'two'])(
    'given one record twice before project, in %s, its lookup has one entry and one answer',
    async (batches) => {
      const line = openTestLine({ stations: ['retrieve', 'postprocess', 'ledger-view'] });
      await line.ask({});
      await line.idle();
      const partition = partitionOf('run-1', 2);
      const [record] = await line.bus.read('postprocessed.v1', partition, 0, 1);
      if (batches === 'two') {
        line.start('project');
        await line.idle();
      }
      await line.bus.append([{ ...record!, key: record!.key! }]);
      line.start('project');
      await line.idle();
      expect(await only(line, 'projected.v1')).toMatchObject({ state: 'READY' });
      expect(await states(line)).toEqual(['PENDING', 'READY']);
      expect(await line.bus.committed('project', 'postprocessed.v1', partition)).toBe(2);
      const notes = (await line.messages('tool-invocation.v1')).filter(
        ({ station }) => station === 'project',
      );
      expect(notes.map(({ outcome }) => outcome)).toEqual(['READY', 'ALREADY_ANSWERED']);
      expect(notes[0]!.eventId).not.toBe(notes[1]!.eventId);
    },
  );

  test('given a first one that was lost to a dead letter, the repeat is told so', async () => {
    const line = openTestLine({ stations: ['retrieve', 'ledger-view'] });
    await line.ask({});
    await line.idle();
    // Post-processing never gets to see it: its record is damaged on the way.
    await line.bus.writer.write((db) => db.exec("UPDATE record SET value = x'00' WHERE topic = 2"));
    // The bus forgets what it remembers of its logs.
    await line.bus.cleanUp(Date.now());
    line.start('postprocess', 'project');
    await line.idle();
    expect(await only(line, 'dead-letter.v1')).toMatchObject({
      code: 'PL_RECORD_UNDECODABLE',
      runId: 'run-1',
    });
    await line.ask({});
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      repeat: true,
      failure: { code: 'PL_LOOKUP_LOST', retryable: true },
    });
    expect(await states(line)).toEqual(['PENDING']);
  });
});

describe('a lookup record of a foreign producer', () => {
  async function publish(line: TestLine, change: Partial<LookupRequested>): Promise<void> {
    const message = { ...lookupRequested(lookupOf(), 1_700_000_000_000), ...change };
    await line.bus.append([line.record('lookup-requested.v1', message)]);
    await line.idle();
  }

  const seal = (change: Partial<LookupRequested>, filters: unknown = {}): Partial<LookupRequested> => {
    const message = { ...lookupRequested(lookupOf(), 0), ...change };
    const digest = requestSha256(sha256, { ...message, filters });
    return {
      ...change,
      requestSha256: digest,
      eventId: lookupEventId(sha256, { ...message, requestSha256: digest }),
    };
  };

  const wrong: [string, Partial<LookupRequested>, string][] = [
    ['an event_id that is not what it says', { eventId: 'f'.repeat(32) }, 'PL_EVENT_ID'],
    ['a request_sha256 that is not what it asks', { query: 'changed' }, 'PL_EVENT_ID'],
    ['an event time before 1970', { occurredAt: -1 }, 'PL_INVARIANT'],
    [
      'an event time that no date can hold',
      { occurredAt: Date.parse('2300-01-01T00:00:00Z') },
      'PL_INVARIANT',
    ],
    ['a negative time to live', { ttlMs: -1 }, 'PL_INVARIANT'],
    ['filters with a lone surrogate', { filtersJson: '{"a":"\\ud800"}' }, 'PL_INVARIANT'],
    ['filters nested 50,000 deep', { filtersJson: '['.repeat(50_000) + ']'.repeat(50_000) }, 'PL_INVARIANT'],
  ];
  test.each(wrong)('given %s, it is given up and the line goes on', async (_, change, code) => {
    const line = openTestLine();
    await publish(line, change);
    expect(await only(line, 'dead-letter.v1')).toMatchObject({ code, runId: 'run-1' });
    await line.ask({ toolCallId: 'call-2' });
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({ toolCallId: 'call-2', state: 'READY' });
    expect(await line.messages('ledger.v1')).toHaveLength(2);
  });

  test('given filters that are no JSON object, the lookup fails', async () => {
    const line = openTestLine();
    await publish(line, seal({ filtersJson: 'no json' }, null));
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      failure: { code: 'PL_RETRIEVAL_REFUSED' },
    });
  });

  /** The lookup made so long that its record is as large as its topic takes. */
  function longest(line: TestLine, make: (filler: string) => Partial<LookupRequested>): NewRecord {
    const build = (filler: string): NewRecord =>
      line.record('lookup-requested.v1', {
        ...lookupRequested(lookupOf(), 1_700_000_000_000),
        ...make(filler),
      });
    const limit = topics['lookup-requested.v1'].maxBytes;
    const few = 4_000_000;
    return build('x'.repeat(few + limit - recordBytes(build('x'.repeat(few)))));
  }

  test.each([
    ['filters', (a: string) => seal({ filtersJson: JSON.stringify({ a }) }, { a })],
    ['a query', (query: string) => seal({ query })],
  ])('given %s as long as the topic takes, the lookup fails and the line goes on', async (_, make) => {
    const line = openTestLine();
    const record = longest(line, make);
    await line.bus.append([record]);
    await line.ask({ toolCallId: 'call-2' });
    await line.ask({});
    await line.bus.append([record]);
    await line.idle();
    const answers = (await line.messages('projected.v1')).map((p) => [p.toolCallId, p.state, p.repeat]);
    expect(answers).toEqual([
      ['call-1', 'FAILED', false],
      ['call-2', 'READY', false],
      ['call-1', 'REFUSED', false],
      ['call-1', 'FAILED', true],
    ]);
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    expect(line.incidents).toEqual([]);
  });
});

describe('evidence that cannot be passed on', () => {
  test('given hits that no record can hold, the lookup fails with PL_EVIDENCE_TOO_LARGE', async () => {
    const large = hitAbout('large', 'x'.repeat(4_200_000));
    const line = openTestLine({
      search: scripted(({ query }) => hits([query === 'large' ? large : hitAbout(query)])),
    });
    await line.ask({ query: 'large' });
    await line.ask({ toolCallId: 'call-2' });
    await line.idle();
    const [failed, fine] = await line.messages('projected.v1');
    expect(failed).toMatchObject({
      state: 'FAILED',
      failure: { code: 'PL_EVIDENCE_TOO_LARGE', retryable: false },
    });
    expect(fine).toMatchObject({ state: 'READY' });
    expect(await states(line)).toEqual(['PENDING', 'FAILED']);
    expect(await line.messages('dead-letter.v1')).toEqual([]);
  });

  test('given hits that only post-processing makes too large, the lookup fails the same way', async () => {
    // Quotes become escapes in the JSON text of the result.
    const quotes = Array.from({ length: 5 }, (_, i) => ({
      ...hitAbout(`q${i}`, '"'.repeat(800_000)),
      documentId: `d${i}`,
      evidenceKey: `d${i}#chunk-0`,
    }));
    const line = openTestLine({ search: scripted(() => hits(quotes)) });
    await line.ask({});
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      failure: { code: 'PL_EVIDENCE_TOO_LARGE' },
    });
    expect((await only(line, 'raw-hits.v1')).outcome).toBe('HITS');
    expect((await only(line, 'postprocessed.v1')).outcome).toBe('FAILURE');
  });

  test('given a lookup result that is none, it fails, and its record is in the dead letters, in one step', async () => {
    const line = openTestLine({ stations: ['project', 'ledger-view', 'audit-sink'] });
    const request = lookupRequested(lookupOf(), 1_700_000_000_000);
    const {
      runId,
      occurredAt,
      toolCallId,
      toolName,
      eventId: requestEventId,
      requestSha256: digest,
    } = request;
    const governed = line.record('postprocessed.v1', {
      eventId: 'e'.repeat(32),
      causedBy: null,
      runId,
      occurredAt,
      toolCallId,
      toolName,
      outcome: 'HITS',
      requestEventId,
      requestSha256: digest,
      requestOffset: 0,
      expiresAt: occurredAt + 1000,
      lookupResult: '{"evidence_blocks": 5}',
      failure: null,
    });
    await line.bus.append([governed]);
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      agentView: null,
      failure: { code: 'PL_PROJECTION_INPUT' },
    });
    expect(await states(line)).toEqual(['FAILED']);
    const letter = await only(line, 'dead-letter.v1');
    expect(letter).toMatchObject({ code: 'PL_PROJECTION_INPUT', station: 'project' });
    expect(letter.value!.equals(governed.value!)).toBe(true);
    const trail = await line.audit.trail('run-1');
    expect(trail.invocations.map(({ kind, outcome, code }) => [kind, outcome, code])).toEqual([
      ['PROJECT', 'FAILED', 'PL_PROJECTION_INPUT'],
    ]);
  });

  test('given hits that break their own types, the lookup goes to the dead letters and the line goes on', async () => {
    const impossible = { ...hitAbout('x'), pageNumber: 1.5 };
    const line = openTestLine({
      search: scripted(({ query }) => hits([query === 'bad' ? impossible : hitAbout(query)])),
    });
    await line.ask({ query: 'bad' });
    await line.ask({ toolCallId: 'call-2' });
    await line.idle();
    expect(await only(line, 'dead-letter.v1')).toMatchObject({ code: 'PL_INVARIANT', station: 'retrieve' });
    expect(await only(line, 'projected.v1')).toMatchObject({ toolCallId: 'call-2' });
  });
});

describe('a disk that is full for a while', () => {
  test.each(['retrieve', 'postprocess', 'project'])(
    'given a step of %s that it refuses, the lookup is answered all the same, once, and has its entries',
    async (group) => {
      let refusals = 0;
      const line = openTestLine({
        wrapBus: (bus) =>
          withSteps(bus, (name) => {
            if (name === group && refusals++ < 2) throw new ProoflineError('PL_DISK_FULL');
          }),
      });
      await line.ask({});
      await line.ask({});
      await line.idle();
      expect(refusals).toBeGreaterThan(2);
      const projected = await line.messages('projected.v1');
      expect(projected.map(({ state, repeat }) => [state, repeat])).toEqual([
        ['READY', false],
        ['READY', true],
      ]);
      expect(await states(line)).toEqual(['PENDING', 'READY']);
      expect(await line.messages('raw-hits.v1')).toHaveLength(2);
    },
  );

  test('given an early PENDING that it refuses, the lookup still gets one, and its answer', async () => {
    let refusals = 0;
    const gate = createGate();
    const line = openTestLine({
      search: scripted(() => gate.opened.then(() => hits([]))),
      wrapBus: (bus) =>
        withSteps(bus, (name) => {
          if (name !== 'retrieve' || refusals++ > 0) return;
          gate.open();
          throw new ProoflineError('PL_DISK_FULL');
        }),
    });
    await line.ask({});
    await line.idle();
    expect(refusals).toBeGreaterThan(1);
    expect(await states(line)).toEqual(['PENDING', 'READY']);
  });

  test('given a real one, every lookup that was taken is answered once when there is room again', async () => {
    const line = openTestLine();
    const pages = (more: number): Promise<unknown> =>
      line.bus.writer.write((db) => {
        const count = db.pragma('page_count', { simple: true }) as number;
        db.pragma(`max_page_count = ${count + more}`);
      });
    await line.ask({});
    await line.idle();
    await pages(150);
    const taken: string[] = [];
    const refusal = await fillDisk(line, taken);
    expect(refusal).toMatchObject({ code: 'PL_DISK_FULL' });
    expect(taken.length).toBeGreaterThan(3);
    await pages(100_000);
    await line.idle();
    const answered = (await line.messages('projected.v1')).map(({ toolCallId }) => toolCallId);
    expect(answered.sort()).toEqual(['call-1', ...taken].sort());
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    for (const call of taken) expect(await states(line, call)).toEqual(['PENDING', 'READY']);
  });
});

describe('a ledger view that is behind when a station takes over', () => {
  test('is waited for, so that what a predecessor wrote is known', async () => {
    const folder = tempFolder();
    const before = openTestLine({ folder });
    await before.ask({ runId: 'run-0' });
    await before.idle();
    await before.stop('ledger-view');
    await before.ask({});
    await before.idle();
    await before.close();

    const search = scripted();
    const line = openTestLine({ folder, search, stations: ['retrieve', 'postprocess', 'project'] });
    await line.ask({});
    await line.ask({ query: 'another question' });
    line.start('ledger-view');
    await line.idle();
    expect(search.asked).toEqual([]);
    const projected = (await line.messages('projected.v1')).filter(({ runId }) => runId === 'run-1');
    expect(projected.map(({ state, repeat }) => [state, repeat])).toEqual([
      ['READY', false],
      ['READY', true],
      ['REFUSED', false],
    ]);
    expect((await line.messages('ledger.v1')).filter(({ runId }) => runId === 'run-1')).toHaveLength(2);
  });
});

describe('a ledger view that was lost behind the back of a station', () => {
  test('holds up lookups until it has caught up, so that none is accepted twice', async () => {
    const search = scripted();
    const line = openTestLine({ search });
    await line.ask({});
    await line.idle();
    await line.stop('ledger-view');
    await line.bus.writer.write((db) => db.exec('DELETE FROM ledger_entry; DELETE FROM ledger_position'));
    await line.ask({});
    await waitUntil('retrieve waits', () => line.health.waiting()[0]?.code === 'PL_LEDGER_BEHIND');
    line.start('ledger-view');
    await line.idle();
    const projected = await line.messages('projected.v1');
    expect(projected.map(({ repeat }) => repeat)).toEqual([false, true]);
    expect(projected[1]!.agentView).toBe(projected[0]!.agentView);
    expect(search.asked).toHaveLength(1);
  });
});

describe('an entry that expired long ago', () => {
  test('is removed from ledger and view once its retention is over, and not a moment before', async () => {
    let now = Date.parse('2026-05-04T00:00:00Z');
    const days = (count: number): number => count * 86_400_000;
    const line = openTestLine({ now: () => now, project: { ledgerRetentionMs: days(30) } });
    const { occurredAt } = await line.ask({ ttlMs: days(1) });
    await line.idle();
    const keys = async (): Promise<unknown[]> =>
      (await line.read('ledger.v1')).filter(({ value }) => value === null).map(({ key }) => key);
    const entry = async (): Promise<unknown> =>
      (await line.ledger.read(partitionOf('run-1', 2), [
        { runId: 'run-1', toolCallIds: ['call-1'], others: 0 },
      ]))!.entries[0];

    now = occurredAt + days(31);
    // The station looks again about once a minute, by its clock.
    await line.ask({ runId: 'run-2' });
    await line.idle();
    expect([await keys(), (await entry()) === undefined]).toEqual([[], false]);
    now += 61_000;
    await waitUntil('it has a tombstone', async () => (await keys()).length > 0);
    expect(await keys()).toEqual(['run-1/call-1']);
    await line.idle();
    expect(await entry()).toBeUndefined();
    await line.ask({});
    await line.idle();
    expect((await line.messages('projected.v1')).at(-1)).toMatchObject({ runId: 'run-1', repeat: false });
  });
});

/** Asks until it is refused, and keeps what was taken. */
async function fillDisk(line: TestLine, taken: string[]): Promise<unknown> {
  for (let i = 0; ; i++) {
    try {
      const { toolCallId } = await line.ask({ toolCallId: `more-${i}`, query: 'long '.repeat(500) });
      taken.push(toolCallId);
    } catch (error) {
      return error;
    }
  }
}
