import { afterEach, describe, expect, test } from 'vitest';
import type { AuditStore } from '../../src/audit/audit-store.js';
import { readConfig } from '../../src/config/config.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { allowedHosts, isLoopback } from '../../src/gateway/access.js';
import { createGatewayServer } from '../../src/gateway/gateway-server.js';
import { createPlaces } from '../../src/gateway/places.js';
import type { Line } from '../../src/line/embedded-line.js';
import { openLine } from '../../src/line/embedded-line.js';
import { openDoors } from '../../src/line/doors.js';
import { createLooking } from '../../src/line/looking.js';
import { eventsAfter, type KnownEvent } from '../../src/line/run-events.js';
import { cli } from '../support/cli-run.js';
import { closeGateways, openTestGateway } from '../support/gateway.js';
import { trueDraft } from '../support/line-drafts.js';
import { scripted } from '../support/line-search.js';
import { refusal } from '../support/refusal.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

const lines: Line[] = [];

afterEach(async () => {
  await closeGateways();
  for (const line of lines.splice(0)) await line.stop();
  removeTempFolders();
});

describe('places', () => {
  test('are so many of one caller, and so many in all; one that is left can be taken', () => {
    const places = createPlaces('wait', 3, 2);
    const first = places.take('a');
    places.take('a');
    expect(() => places.take('a')).toThrow(refusal('PL_TOO_MANY_WAITING'));
    places.take('b');
    expect(() => places.take('c')).toThrow(refusal('PL_OVERLOADED'));
    first();
    first();
    expect(places.taken).toBe(2);
    places.take('c');
    expect(() => places.take('d')).toThrow(refusal('PL_OVERLOADED'));
  });
});

describe('looking into the store for those who wait', () => {
  const never = new Promise<never>(() => undefined);

  test('finds what no topic brings any more, and goes on while the store is down', async () => {
    const looking = createLooking({ eachMs: 1, perSecond: 1000 });
    let asked = 0;
    const look = (): Promise<string | null> => {
      asked += 1;
      if (asked === 2) return Promise.reject(new ProoflineError('PL_AUDIT_DOWN', { problem: 'gone' }));
      return Promise.resolve(asked > 3 ? 'kept' : null);
    };
    expect(await looking.liveOrKept(never, look)).toBe('kept');
  });

  test('takes what the topics bring, and asks no more after it', async () => {
    const looking = createLooking({ eachMs: 1, perSecond: 1000 });
    let asked = 0;
    const look = (): Promise<null> => {
      asked += 1;
      return Promise.resolve(null);
    };
    const live = waitUntil('it was asked a few times', () => asked > 3).then(() => 'live');
    expect(await looking.liveOrKept(live, look)).toBe('live');
    const then = asked;
    const other = createLooking({ eachMs: 1, perSecond: 1000 });
    let later = 0;
    await other.liveOrKept(never, () => Promise.resolve(++later > 20 ? true : null));
    expect(asked).toBe(then);
  });

  test('asks for everybody in turn', async () => {
    const looking = createLooking({ eachMs: 1, perSecond: 2000 });
    const asked: number[] = [];
    const waits = [0, 1, 2].map((i) =>
      looking.liveOrKept(never, () => {
        asked.push(i);
        return Promise.resolve(asked.length > 30 ? i : null);
      }),
    );
    await Promise.all(waits);
    const counts = [0, 1, 2].map((i) => asked.filter((each) => each === i).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
  });

  test('an error that does not pass is told', async () => {
    const looking = createLooking({ eachMs: 1, perSecond: 1000 });
    await expect(looking.liveOrKept(never, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
  });
});

describe('what is left out after the last event that was seen', () => {
  const event = (eventId: string, at: number): KnownEvent => ({
    eventId,
    at,
    event: 'lookup.answered',
    occurredAt: 0,
    causedBy: null,
    facts: {},
  });
  const ids = (events: readonly KnownEvent[]): string[] => events.map(({ eventId }) => eventId);

  test('what was surely seen is; what happened about then is not', () => {
    const events = [
      event('long-before', 0),
      event('about-then', 80_000),
      event('last', 100_000),
      event('after', 100_001),
    ];
    expect(ids(eventsAfter(events, 'last'))).toEqual(['about-then', 'after']);
  });

  test('given one that nobody knows, or that is not noted yet, everything comes', () => {
    const events = [event('a', 0), event('b', Infinity)];
    expect(ids(eventsAfter(events, 'unknown'))).toEqual(['a', 'b']);
    expect(ids(eventsAfter(events, 'b'))).toEqual(['a']);
  });
});

describe('a gateway without tokens', () => {
  const observe = { routes: () => undefined };
  const open = (host: string, env = {}) =>
    createGatewayServer({ config: readConfig(env).config, host, observe, line: () => null });

  test.each(['0.0.0.0', '::', 'gateway.example', '192.0.2.1', '127.0.0.1.example'])(
    'does not listen at %s',
    (host) => {
      expect(isLoopback(host)).toBe(false);
      expect(() => open(host)).toThrow(refusal('PL_CONFIG_INVALID'));
    },
  );

  test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('listens at %s', async (host) => {
    expect(isLoopback(host)).toBe(true);
    await open(host).close();
  });

  test('`up` refuses to start one where others can reach it', async () => {
    const env = {
      PROOFLINE_KAFKA_BROKERS: '127.0.0.1:1',
      PROOFLINE_REDIS_URL: 'redis://127.0.0.1:1',
      PROOFLINE_AUDIT_URL: 'postgres://127.0.0.1:1/x',
      PROOFLINE_HTTP_HOST: '0.0.0.0',
      PROOFLINE_HTTP_PORT: '0',
    };
    const refused = await cli(['--data', tempFolder(), 'up'], { env });
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('PROOFLINE_GATEWAY_TOKENS is not set');
  });

  test('answers under names that are configured, and any where tokens are asked for', () => {
    expect(allowedHosts(null, true)).toBeNull();
    expect(allowedHosts(['a.example'], true)?.has('b.example')).toBe(false);
    expect(allowedHosts(['a.example'], false)?.has('localhost')).toBe(true);
  });
});

describe('a gateway whose line is not all there', () => {
  const question = { tool_call_id: 'call-1', query: 'gateway timeout' };

  function lineOf(): Line {
    const line = openLine({ folder: tempFolder(), search: scripted(), partitions: 2 });
    lines.push(line);
    return line;
  }

  test('given an audit that is down, lookups are answered, and drafts are told to come again', async () => {
    const line = lineOf();
    const down = (): Promise<never> =>
      Promise.reject(new ProoflineError('PL_AUDIT_DOWN', { problem: 'secret-host:5432' }));
    const audit: AuditStore = { ...line.audit, answer: down, trail: down };
    const gateway = await openTestGateway({ line: { ...line, ...openDoors({ ...line, audit }), audit } });
    expect((await gateway.post('/v1/runs/run-1/lookups', question)).status).toBe(200);
    const draft = await gateway.post('/v1/runs/run-1/drafts', {
      draft_id: 'draft-1',
      draft_json: trueDraft(),
    });
    expect(draft).toMatchObject({ status: 503, json: { code: 'PL_AUDIT_DOWN', retryable: true } });
    expect(draft.headers.has('retry-after')).toBe(true);
    expect(draft.text).not.toContain('secret-host');
  });

  test('given a bus that is down, it says so', async () => {
    const line = lineOf();
    const bus = Object.assign(Object.create(line.bus) as Line['bus'], {
      append: () => Promise.reject(new ProoflineError('PL_BUS_DOWN', { problem: 'secret-host:9092' })),
    });
    const gateway = await openTestGateway({ line: { ...line, ...openDoors({ ...line, bus }), bus } });
    const answer = await gateway.post('/v1/runs/run-1/lookups', question);
    expect(answer).toMatchObject({ status: 503, json: { code: 'PL_BUS_DOWN', retryable: true } });
    expect(answer.text).not.toContain('secret-host');
  });

  test('given a bus that takes nothing, it does not wait for ever, and does not call it taken', async () => {
    const line = lineOf();
    const bus = Object.assign(Object.create(line.bus) as Line['bus'], {
      append: () => new Promise(() => undefined),
    });
    const gateway = await openTestGateway({ line: { ...line, ...openDoors({ ...line, bus }), bus } });
    const answer = await gateway.post('/v1/runs/run-1/lookups?wait=0.1', question);
    expect(answer).toMatchObject({ status: 503, json: { code: 'PL_BUS_DOWN' } });
  }, 20_000);
});
