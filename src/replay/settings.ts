import { guardDefaults, type GuardConfig } from '../../consumers/guard.js';
import { QUOTE_RULES } from '../citation/quote-violations.js';
import { sha256 } from '../contracts/digest.js';
import { ProoflineError } from '../contracts/errors.js';
import type { JsonObject } from '../contracts/json.js';
import { camelCase, snakeCase } from '../contracts/names.js';
import { fieldGuesser } from '../guard/field-names.js';
import type { defaultGuardLimits } from '../guard/limits.js';
import { cachedViews } from '../guard/view-cache.js';
import { judgePolicyDefaults, type JudgePolicy } from '../judge/policy.js';
import { defaultReviewPolicy, type ReviewPolicy } from '../review/decide-review.js';
import { REVIEW_LIMITS, type ReviewLimits } from '../review/rules/check-result.js';
import type { GuardRules } from './judge-again.js';
import { reviewAgain, type ReviewAgain } from './review-again.js';

/** What a replay goes by: all that the rules of guard and review take as configuration. */
export interface RuleSettings {
  readonly guard: Pick<GuardConfig, 'limits' | 'otherEntries'>;
  /** Rule sets that are not applied. */
  readonly leaveOut: ReadonlySet<string>;
  readonly policy: ReviewPolicy;
  /** What follows from what a judge said. */
  readonly judge: JudgePolicy;
  readonly review: ReviewLimits;
}

export const ruleDefaults: RuleSettings = {
  guard: guardDefaults,
  leaveOut: new Set(),
  policy: defaultReviewPolicy,
  judge: judgePolicyDefaults,
  review: REVIEW_LIMITS,
};

export interface Rules {
  readonly guard: GuardRules;
  readonly review: ReviewAgain;
}

const REMEMBERED_VIEWS = 1000;

/** The rules under these settings. They remember texts that drafts share, and nothing else. */
export function rulesOf({ guard, leaveOut, policy, judge, review }: RuleSettings): Rules {
  const views = cachedViews(sha256, REMEMBERED_VIEWS);
  return {
    guard: { tools: { sha256, limits: guard.limits, views, leaveOut }, otherEntries: guard.otherEntries },
    review: reviewAgain({ policy, judge, limits: review }),
  };
}

/** One setting that `--rules` can change. */
export interface RuleSetting {
  readonly name: string;
  readonly doc: string;
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  change(settings: RuleSettings, value: number): RuleSettings;
  of(settings: RuleSettings): number;
}

const GUARD_DOCS: Readonly<Record<keyof typeof defaultGuardLimits, string>> = {
  draftBytes: 'bytes of a draft',
  nesting: 'how deep its JSON may nest',
  analyses: 'analyses of a draft',
  actions: 'actions of a draft',
  limitations: 'limitations of a draft',
  idsPerList: 'ids in one list',
  quotesPerAnalysis: 'quotes of an analysis',
  calls: 'different lookups that a draft may cite',
  recordViolations: 'violations that a verdict holds',
  recordChars: 'characters of a message or detail in a verdict',
  nearMissPairs: 'pairs of ids compared for near misses',
  quoteHintUnits: 'characters read to explain why quotes fail',
};

const REVIEW_DOCS: Readonly<Record<keyof ReviewLimits, Doc>> = {
  minDigits: { doc: 'a number of so many digits must be in the evidence', min: 1, max: 20, isWhole: true },
  minWords: { doc: 'content words that a text needs to be compared', min: 0, max: 1000, isWhole: true },
  minShare: { doc: 'share of them that the evidence must have', min: 0, max: 1, isWhole: false },
};

type Doc = Pick<RuleSetting, 'doc' | 'min' | 'max' | 'isWhole'>;

/** Every one of them; the names are what `--rules` and its file take. */
export const ruleSettings: readonly RuleSetting[] = [
  {
    name: QUOTE_RULES,
    doc: 'the rule set of quotes: on or off',
    ...{ min: 0, max: 1, isWhole: true },
    change: (settings, value) => ({ ...settings, leaveOut: new Set(value === 0 ? [QUOTE_RULES] : []) }),
    of: ({ leaveOut }) => (leaveOut.has(QUOTE_RULES) ? 0 : 1),
  },
  ...fieldsOf(GUARD_DOCS).map((field): RuleSetting => ({
    name: snakeCase(field),
    doc: GUARD_DOCS[field],
    ...{ min: 0, max: 2 ** 31 - 1, isWhole: true },
    change: ({ guard, ...settings }, value) => ({
      ...settings,
      guard: { ...guard, limits: { ...guard.limits, [field]: value } },
    }),
    of: ({ guard }) => guard.limits[field],
  })),
  {
    name: 'max_attempts',
    doc: 'drafts of a run, where its own limits do not say',
    ...{ min: 1, max: 1000, isWhole: true },
    change: (settings, maxAttempts) => ({ ...settings, policy: { ...settings.policy, maxAttempts } }),
    of: ({ policy }) => policy.maxAttempts,
  },
  {
    name: 'sample',
    doc: 'share of what would be published that a person sees first',
    ...{ min: 0, max: 1, isWhole: false },
    change: (settings, sample) => ({ ...settings, policy: { ...settings.policy, sample } }),
    of: ({ policy }) => policy.sample,
  },
  ...(['holdBelow', 'warnBelow'] as const).map((field): RuleSetting => ({
    name: `judge_${snakeCase(field)}`,
    doc: field === 'holdBelow' ? 'a faithfulness below it holds the draft' : 'a score below it warns',
    ...{ min: 0, max: 1, isWhole: false },
    change: (settings, value) => ({ ...settings, judge: { ...settings.judge, [field]: value } }),
    of: ({ judge }) => judge[field],
  })),
  ...fieldsOf(REVIEW_DOCS).map((field): RuleSetting => ({
    name: snakeCase(field),
    ...REVIEW_DOCS[field],
    change: (settings, value) => ({ ...settings, review: { ...settings.review, [field]: value } }),
    of: ({ review }) => review[field],
  })),
];

function fieldsOf<T extends object>(of: T): (keyof T & string)[] {
  return Object.keys(of) as (keyof T & string)[];
}

/** `name=value,name=value` as an object. */
export function changesFromText(text: string): JsonObject {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw invalid(`--rules has ${JSON.stringify(pair)}; it must be name=value,name=value or a file`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

/** The settings with some changed. @throws ProoflineError PL_INPUT_INVALID naming what cannot be. */
export function withChanges(settings: RuleSettings, changes: JsonObject): RuleSettings {
  let changed = settings;
  for (const [name, value] of Object.entries(changes)) {
    const setting = settingNamed(name);
    changed = setting.change(changed, valueOf(setting, value));
  }
  return changed;
}

const guess = fieldGuesser(ruleSettings.map(({ name }) => name));

function settingNamed(name: string): RuleSetting {
  const setting = ruleSettings.find((each) => each.name === name || camelCase(each.name) === name);
  if (setting !== undefined) return setting;
  const meant = guess(name);
  const hint = meant === undefined ? '; `proofline replay --help` lists them' : `; was ${meant} meant?`;
  throw invalid(`there is no rule setting ${JSON.stringify(name.slice(0, 64))}${hint}`);
}

const SWITCH: Readonly<Record<string, number>> = { on: 1, true: 1, off: 0, false: 0 };

function valueOf({ name, min, max, isWhole }: RuleSetting, given: unknown): number {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const isNumber = /^\d{1,15}(?:\.\d{1,15})?$/.test(text);
  const value = name === QUOTE_RULES ? SWITCH[text] : isNumber ? Number(text) : undefined;
  if (value !== undefined && value >= min && value <= max && (!isWhole || Number.isInteger(value)))
    return value;
  const wanted =
    name === QUOTE_RULES ? 'on or off' : `a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`;
  throw invalid(`the rule setting ${name} is ${text.slice(0, 64)}; it must be ${wanted}`);
}

function invalid(problem: string): ProoflineError {
  return new ProoflineError('PL_INPUT_INVALID', { problem });
}
