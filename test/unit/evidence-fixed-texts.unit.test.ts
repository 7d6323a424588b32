import { expect, test } from 'vitest';
import { errorMessage } from '../../src/contracts/errors.js';
import {
  completenessHints,
  fallbackDraft,
  fallbackLimitation,
  nothingFoundText,
  stopRequiredText,
} from '../../src/evidence/fixed-texts.js';

test('every fixed text says something in both languages, and no two the same', () => {
  const texts = [...Object.values(completenessHints), nothingFoundText, stopRequiredText, fallbackLimitation];
  const all = texts.flatMap(({ zh, en }) => [zh, en]);
  expect(new Set(all).size).toBe(12);
  for (const { zh, en } of texts) {
    expect(zh).toMatch(/\p{Script=Han}/u);
    expect(en).toMatch(/^[A-Z][ -~]+\.$/);
  }
});

test('a refused lookup says the same as the failure that it carries', () => {
  expect(stopRequiredText.en).toBe(errorMessage('PL_STOP_REQUIRED'));
});

test('the fallback claims nothing and has its one limitation', () => {
  expect(fallbackDraft('zh')).toEqual({
    analysis: [],
    conclusion: null,
    actionPlan: [],
    limitations: ['未能形成可核验的诊断结论，请结合日志、指标、告警由人工继续排查。'],
  });
  expect(fallbackDraft('en').limitations).toEqual([fallbackLimitation.en]);
});
