import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { judgeAccessDefaults } from '../../src/judge/access.js';
import { chatJudgeDefaults } from '../../src/judge/chat/settings.js';
import { judgePolicyDefaults } from '../../src/judge/policy.js';

const set = {
  PROOFLINE_JUDGE_MODE: 'second-opinion',
  PROOFLINE_JUDGE_URL: 'https://models.example/v1',
  PROOFLINE_JUDGE_MODEL: 'a-model',
};

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('the configuration of the judge', () => {
  test('given nothing, it is off, and review has the defaults', () => {
    const { config } = readConfig({});
    expect(config.judge).toBeNull();
    expect(config.review.judge).toEqual(judgePolicyDefaults);
    expect(judgePolicyDefaults.mode).toBe('off');
  });

  test('given a mode, an address and a model, the rest has its defaults', () => {
    const { timeoutMs, callsPerHour, tokensPerHour } = chatJudgeDefaults;
    expect(readConfig(set).config.judge).toEqual({
      url: 'https://models.example/v1',
      model: 'a-model',
      key: null,
      ...{ timeoutMs, callsPerHour, tokensPerHour },
      ...judgeAccessDefaults,
    });
  });

  test('given everything, each variable goes where it belongs', () => {
    const { config } = readConfig({
      ...set,
      PROOFLINE_JUDGE_KEY: 'sk-secret',
      PROOFLINE_JUDGE_SAMPLE: '0.25',
      PROOFLINE_JUDGE_WAIT_MS: '1001',
      PROOFLINE_JUDGE_TIMEOUT_MS: '1002',
      PROOFLINE_JUDGE_CONCURRENCY: '3',
      PROOFLINE_JUDGE_CALLS_PER_HOUR: '4',
      PROOFLINE_JUDGE_TOKENS_PER_HOUR: '5',
      PROOFLINE_JUDGE_CACHE: '6',
      PROOFLINE_JUDGE_HOLD_BELOW: '0.1',
      PROOFLINE_JUDGE_WARN_BELOW: '0.2',
      PROOFLINE_JUDGE_ON_UNSUPPORTED: 'warn',
      PROOFLINE_JUDGE_ON_SILENCE: 'hold',
    });
    expect(config.judge).toMatchObject({
      key: 'sk-secret',
      timeoutMs: 1002,
      concurrency: 3,
      cacheEntries: 6,
    });
    expect(config.judge).toMatchObject({ callsPerHour: 4, tokensPerHour: 5 });
    expect(config.review.judge).toEqual({
      mode: 'second-opinion',
      sample: 0.25,
      waitMs: 1001,
      holdBelow: 0.1,
      warnBelow: 0.2,
      onUnsupported: 'warn',
      onSilence: 'hold',
    });
  });

  test.each<readonly [string, Record<string, string>, RegExp]>([
    [
      'a mode alone',
      { PROOFLINE_JUDGE_MODE: 'second-opinion' },
      /JUDGE_URL is not set[^]*JUDGE_MODEL is not set/,
    ],
    ['a key alone', { PROOFLINE_JUDGE_KEY: 'sk-secret' }, /JUDGE_KEY is set, and PROOFLINE_JUDGE_URL is not/],
    [
      'thresholds the wrong way round',
      { PROOFLINE_JUDGE_HOLD_BELOW: '0.9', PROOFLINE_JUDGE_WARN_BELOW: '0.2' },
      /JUDGE_HOLD_BELOW is 0.9; it must not be over PROOFLINE_JUDGE_WARN_BELOW, 0.2/,
    ],
    ['another mode', { PROOFLINE_JUDGE_MODE: 'first-opinion' }, /must be one of off, second-opinion/],
  ])('given %s, says what is wrong', (_, env, problem) => {
    expect(problemsOf(env)).toMatch(problem);
  });

  test('given secrets where they do not belong, repeats none of them', () => {
    for (const env of [
      { ...set, PROOFLINE_JUDGE_KEY: 'hunter2 hunter2' },
      { ...set, PROOFLINE_JUDGE_URL: 'https://me:hunter2@models.example/v1' },
      { ...set, PROOFLINE_JUDGE_URL: 'nowhere?key=hunter2' },
    ]) {
      expect(problemsOf(env)).toContain('PROOFLINE_JUDGE_');
      expect(problemsOf(env)).not.toContain('hunter2');
    }
  });
});
