import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, type Environment } from '../../src/config/config.js';
import { configurationTable } from '../../src/config/configuration-table.js';
import { variableNames } from '../../src/config/variables.js';
import { isProoflineError } from '../../src/contracts/errors.js';
import { lineDefaults } from '../../src/line/stations.js';

/** What is said to be wrong, a line each. */
function problemsOf(env: Environment): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (!isProoflineError(error, 'PL_CONFIG_INVALID')) throw error;
    return String(error.params['problems'])
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
  throw new Error('nothing is wrong with it');
}

describe('reading the configuration', () => {
  it('given nothing, has the defaults of the line', () => {
    const { config, warnings } = readConfig({});
    const { retrieve, project, harness, guard, review } = config;
    expect({ retrieve, project, harness, guard, review }).toEqual(lineDefaults);
    expect(config).toMatchObject({
      data: resolve('.proofline'),
      partitions: null,
      topicPrefix: 'proofline.',
      docs: null,
      pyRag: null,
      keys: null,
      logLevel: 'info',
      answerTimeoutMs: 30_000,
    });
    expect(warnings).toEqual([]);
  });

  it('given values, takes them, paths made absolute', () => {
    const { config } = readConfig({
      PROOFLINE_DATA: 'here',
      PROOFLINE_PARTITIONS: '3',
      PROOFLINE_KEYS: 'keys',
      PROOFLINE_PYRAG_URL: 'http://localhost:8000/search',
      PROOFLINE_PYRAG_TOKEN: 'secret',
      PROOFLINE_LEDGER_RETENTION: '60',
      PROOFLINE_PRECISE_FROM: '0.9',
      PROOFLINE_DRAFT_BYTES: '4096',
      PROOFLINE_RUN_DEADLINE_MS: '60000',
      PROOFLINE_RUN_NO_GAIN: '5',
      PROOFLINE_RUN_MAX_LOOKUPS: '20',
      PROOFLINE_RUN_MAX_TOKENS: '100000',
    });
    expect(config.data).toBe(resolve('here'));
    expect(config.keys).toBe(resolve('keys'));
    expect(config.partitions).toBe(3);
    expect(config.pyRag).toEqual({ url: 'http://localhost:8000/search', token: 'secret', timeoutMs: 5000 });
    expect(config.project.ledgerRetentionMs).toBe(60 * 86_400_000);
    expect(config.project.limits.preciseFrom).toBe(0.9);
    expect(config.guard.limits.draftBytes).toBe(4096);
    expect(config.harness.limits).toEqual({
      deadlineMs: 60_000,
      noGainInARow: 5,
      maxLookups: 20,
      maxTokens: 100_000,
    });
  });

  it('given a data folder on the command line, prefers it', () => {
    expect(readConfig({ PROOFLINE_DATA: 'here' }, { data: 'there' }).config.data).toBe(resolve('there'));
  });

  it('takes an empty variable as one that is not set', () => {
    expect(readConfig({ PROOFLINE_PARTITIONS: '', PROOFLINE_DOCS: '  ' }).config).toMatchObject({
      partitions: null,
      docs: null,
    });
  });

  it('freezes it deeply', () => {
    const { config } = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.guard.limits)).toBe(true);
    expect(Object.isFrozen(config.project.limits)).toBe(true);
  });

  it('does not freeze the defaults of others', () => {
    readConfig({});
    expect(Object.isFrozen(lineDefaults.guard)).toBe(false);
  });
});

describe('a configuration that is wrong', () => {
  it('is told in one error that lists everything', () => {
    const problems = problemsOf({
      PROOFLINE_PARTITIONS: 'many',
      PROOFLINE_LOG_LEVEL: 'loud',
      PROOFLINE_PRECISE_FROM: '7',
      PROOFLINE_TOPIC_PREFIX: 'pröof',
    });
    expect(problems).toEqual([
      'PROOFLINE_PARTITIONS is "many"; it must be a whole number from 1 to 1024',
      'PROOFLINE_TOPIC_PREFIX is "pröof"; it must be at most 100 of A–Z a–z 0–9 . _ -',
      'PROOFLINE_LOG_LEVEL is "loud"; it must be one of fatal, error, warn, info, debug, trace, silent',
      'PROOFLINE_PRECISE_FROM is "7"; it must be a number from 0 to 1, as 0.75',
    ]);
  });

  it.each([['0', '-1', '1.5', '1e3', '0x10', 'NaN', '9'.repeat(400), '１']].flat())(
    'has no partitions as %s',
    (text) => {
      expect(problemsOf({ PROOFLINE_PARTITIONS: text })).toHaveLength(1);
    },
  );

  it('reads brokers with commas between them, and how they are spoken to', () => {
    const { config } = readConfig({
      PROOFLINE_KAFKA_BROKERS: 'a:9092, [::1]:9093',
      PROOFLINE_KAFKA_SASL_MECHANISM: 'plain',
      PROOFLINE_KAFKA_SASL_USERNAME: 'line',
      PROOFLINE_KAFKA_SASL_PASSWORD: 'a word',
    });
    expect(config.kafka).toMatchObject({
      brokers: ['a:9092', '[::1]:9093'],
      replication: 3,
      ssl: false,
      sasl: { mechanism: 'plain', username: 'line', password: 'a word' },
    });
  });

  it.each([':9092', 'a', 'a:0', 'a:65536', 'a:1,', 'http://a:1', 'a b:1'])('has no brokers as %j', (text) => {
    expect(problemsOf({ PROOFLINE_KAFKA_BROKERS: text })).toHaveLength(1);
  });

  it('shows no secret', () => {
    const secret = 'sesame open';
    const text = problemsOf({
      PROOFLINE_PYRAG_URL: 'http://user:sesame@host/',
      PROOFLINE_PYRAG_TOKEN: secret,
      PROOFLINE_REDIS_URL: 'http://user:sesame@host/',
      PROOFLINE_AUDIT_URL: 'mysql://user:sesame@host/',
    }).join('\n');
    expect(text).toContain('PROOFLINE_PYRAG_URL');
    expect(text).toContain('PROOFLINE_PYRAG_TOKEN');
    expect(text).not.toContain('sesame');
  });

  it.each([
    [{ PROOFLINE_PYRAG_TOKEN: 'x' }, /PYRAG_TOKEN is set, and PROOFLINE_PYRAG_URL is not/],
    [{ PROOFLINE_PYRAG_URL: 'http://h/', PROOFLINE_DOCS: 'd' }, /both set/],
    [{ PROOFLINE_LEDGER_RETENTION: '7' }, /LEDGER_RETENTION is 7; drafts are kept 30 days/],
    [{ PROOFLINE_REFERENCE_FROM: '0.8' }, /must not be over PROOFLINE_PRECISE_FROM, 0.75/],
    [
      { PROOFLINE_KAFKA_SASL_USERNAME: 'u' },
      /KAFKA_SASL_USERNAME is set, and PROOFLINE_KAFKA_SASL_MECHANISM/,
    ],
    [{ PROOFLINE_KAFKA_SSL_CA: 'ca.pem' }, /KAFKA_SSL_CA is set, and PROOFLINE_KAFKA_SSL is not 1/],
    [
      { PROOFLINE_KAFKA_SSL: '1', PROOFLINE_KAFKA_SSL_CERT: 'c.pem' },
      /KAFKA_SSL_CERT is set, and PROOFLINE_KAFKA_SSL_KEY is not/,
    ],
    [{ PROOFLINE_MAX_BLOCKS: '1' }, /MAX_BLOCKS_PER_DOCUMENT is 2; it must not be over/],
  ])('contradicts itself: %j', (env, problem) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe('a variable that is none', () => {
  it('is warned of, with the one that was probably meant', () => {
    const { warnings } = readConfig({ PROOFLINE_PARTITION: '3', PROOFLINE_ZZZ: '1', OTHER: 'x' });
    expect(warnings).toEqual([
      'PROOFLINE_PARTITION is not a variable of proofline and does nothing; did you mean PROOFLINE_PARTITIONS?',
      'PROOFLINE_ZZZ is not a variable of proofline and does nothing',
    ]);
  });
});

describe('an address that the line of a data folder does not use', () => {
  it('is warned of', () => {
    const PROOFLINE_REDIS_URL = 'redis://h';
    expect(readConfig({ PROOFLINE_REDIS_URL }).warnings).toEqual([
      'PROOFLINE_REDIS_URL is for a line in Kafka, and PROOFLINE_KAFKA_BROKERS is not set',
    ]);
    expect(readConfig({ PROOFLINE_REDIS_URL, PROOFLINE_KAFKA_BROKERS: 'h:1' }).warnings).toEqual([]);
  });
});

describe('the reference of all variables', () => {
  it('has every variable with words about it, and defaults that are accepted', () => {
    expect(configurationTable.map(({ name }) => name)).toEqual(
      variableNames.map((name) => `PROOFLINE_${name}`),
    );
    for (const { doc, takes } of configurationTable) expect(`${doc}${takes}`.length).toBeGreaterThan(20);
    const env = Object.fromEntries(configurationTable.map(({ name, fallback }) => [name, fallback]));
    expect(readConfig(env).config).toEqual(readConfig({}).config);
  });
});
