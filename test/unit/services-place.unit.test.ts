import { describe, expect, test } from 'vitest';
import { withVariables } from '../support/services/environment-file.js';
import { imageOf } from '../support/services/images.js';
import { kafkaSettings } from '../support/services/kafka-config.js';
import { choosePlace, type Place } from '../support/services/place.js';
import { redisArguments } from '../support/services/redis-config.js';

interface Has {
  readonly engine?: boolean;
  readonly image?: boolean;
  readonly local?: boolean;
}

/** Where Redis runs on a machine that has these, and what was said. */
async function place(has: Has, wanted?: string): Promise<[Place, string[]]> {
  const said: string[] = [];
  const answer = (there: boolean | undefined, without: string) => (): Promise<string | null> =>
    Promise.resolve(there === true ? null : without);
  const machine = {
    engineMissing: answer(has.engine, 'no engine'),
    imageMissing: answer(has.image, 'no image'),
    processMissing: answer(has.local, 'no program'),
    say: (line: string) => void said.push(line),
  };
  const environment = wanted === undefined ? {} : { PROOFLINE_TEST_SERVICES: wanted };
  return [await choosePlace('redis', machine, environment), said];
}

const container = { kind: 'container', image: imageOf('redis', {}) };
const local = { kind: 'process' };
const missing = (reason: string): object => ({ kind: 'missing', reason });

describe('where a service runs', () => {
  test.each([
    [{ engine: true, image: true, local: true }, undefined, container],
    [{ engine: true, image: true, local: false }, '', container],
    [{ engine: false, image: true, local: true }, undefined, local],
    [{}, undefined, missing('no program')],
    [{ engine: true, image: true, local: true }, 'local', local],
    [{ engine: true, image: true, local: false }, 'local', missing('no program')],
    [{ engine: true, image: true }, 'docker', container],
    [{ engine: true, local: true }, 'docker', missing('no image')],
    [{ local: true }, 'docker', missing('no engine')],
  ])('given %j and PROOFLINE_TEST_SERVICES=%s: %j', async (has, wanted, expected) => {
    expect(await place(has, wanted)).toEqual([expected, []]);
  });

  test('given an engine that cannot have the image, it runs locally and one line says so', async () => {
    const [where, said] = await place({ engine: true, local: true });
    expect(where).toEqual(local);
    expect(said).toEqual(['redis: no image; it runs without Docker.']);
  });

  test('given another word, it is refused', async () => {
    await expect(place({ local: true }, 'podman')).rejects.toThrow('it can be docker or local');
  });

  test('given a variable for the image, that one is taken', () => {
    expect(imageOf('kafka', { PROOFLINE_TEST_IMAGE_KAFKA: 'mine/kafka:1' })).toBe('mine/kafka:1');
    expect(imageOf('kafka', { PROOFLINE_TEST_IMAGE_KAFKA: '' })).toBe(imageOf('kafka', {}));
  });
});

describe('what a service is started with', () => {
  test("Kafka: a caller's lines win, and a text of several lines becomes one", () => {
    const addresses = { data: '/data', listen: 'a:1', advertised: 'b:1', controller: 'c:2' };
    const extra = { 'auto.create.topics.enable': 'true', 'ssl.keystore.key': 'BEGIN\nEND' };
    const settings = Object.fromEntries(kafkaSettings({ ...addresses, extra }));
    expect(settings).toMatchObject({
      listeners: 'PLAINTEXT://a:1,CONTROLLER://c:2',
      'advertised.listeners': 'PLAINTEXT://b:1',
      'auto.create.topics.enable': 'true',
      'ssl.keystore.key': String.raw`BEGIN\nEND`,
    });
  });

  test("Redis: a caller's lines win", () => {
    const args = redisArguments({ appendonly: 'yes', 'maxmemory-policy': 'allkeys-lru' }).join(' ');
    expect(args).toContain('--appendonly yes');
    expect(args).not.toContain('--appendonly no');
    expect(args).toContain('--maxmemory-policy allkeys-lru');
  });
});

describe('the file with the addresses', () => {
  test.each([
    ['', 'B=2\n'],
    ['A=1\n', 'A=1\nB=2\n'],
    ['# notes\n\nB=old\nexport B=older\nBB=3', '# notes\n\nBB=3\nB=2\n'],
  ])('given %j, its other lines stay', (before, after) => {
    expect(withVariables(before, { B: '2' })).toBe(after);
    expect(withVariables(after, { B: '2' })).toBe(after);
  });
});
