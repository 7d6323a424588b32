import type { RecordedRun } from '../../replay/recorded-run.js';
import type { Range } from '../../replay/run-from-topics.js';
import type { RuleSettings } from '../../replay/settings.js';
import type { AddCommand, CommandContext } from '../command.js';
import type { ReplayTeller } from '../replay/tellers.js';

const HELP = `
Examples:
  proofline replay run-7                          judges and reviews run-7 again, and compares
  proofline replay run-7 run-8 --json             one JSON value a verdict
  proofline replay --since 7d                     every run with a verdict of the last seven days
  proofline replay --all --until 2026-11-01T00:00:00Z
  proofline replay --snapshot run-7.json          what \`proofline trail run-7 --snapshot run-7.json\` wrote, without a line
  proofline replay --all --rules max_attempts=5,min_share=0.4
  proofline replay --all --rules stricter.json    {"analyses": 16, "quotes-1": "off"}

It reads, beside a running line, and writes nothing. Each verdict is judged again from what the guard read then, and
reviewed again in the order of its run, under the limits that PROOFLINE_... set. What is not kept any more is
PL_EVIDENCE_GONE and no difference.

With --rules the same drafts and decisions meet changed rules, and it says which verdicts would differ:
  quotes-1        on or off
  draft_bytes, nesting, analyses, actions, limitations, ids_per_list, quotes_per_analysis, calls
                  what a draft may hold
  record_violations, record_chars, near_miss_pairs, quote_hint_units
                  how much of what is wrong a verdict tells
  max_attempts, sample
                  drafts of a run; share of what would be published that a person sees first (0 to 1)
  judge_hold_below, judge_warn_below
                  scores of a judge
  min_digits, min_words, min_share
                  what review asks of numbers and words

Exit code 0 when all is equal (or would be the same), 1 when something differs.
`;

interface ReplayOptions {
  readonly all?: true;
  readonly since?: string;
  readonly until?: string;
  readonly snapshot?: readonly string[];
  readonly rules?: string;
}

export const addReplay: AddCommand = (program, context) => {
  program
    .command('replay')
    .description('judge and review recorded drafts again, and compare; or try other rules on them')
    .argument('[runs...]', 'run_ids')
    .option('--all', 'every run that has a verdict')
    .option('--since <when>', 'verdicts on drafts of that time on: RFC 3339, or an age as 7d')
    .option('--until <when>', 'verdicts on drafts before that time')
    .option('--snapshot <file...>', 'replay the runs of snapshot files, and no line')
    .option('--rules <changes>', 'name=value,... or a JSON file: what would differ under changed rules')
    .addHelpText('after', HELP)
    .action((runs: string[], options: ReplayOptions) => replay(runs, options, context));
};

const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024;

async function replay(
  runs: readonly string[],
  options: ReplayOptions,
  context: CommandContext,
): Promise<void> {
  const selection = await selectionOf(runs, options);
  const settings = await settingsOf(options, context);
  const { replayTeller, underRulesTeller } = await import('../replay/tellers.js');
  const isTrial = options.rules !== undefined;
  const teller = isTrial ? underRulesTeller(settings, context) : replayTeller(settings, context);
  if (selection.kind === 'SNAPSHOTS') {
    for (const file of selection.files) tell(teller, await snapshotOf(file, context), EVER, context);
  } else await replayLine(selection, teller, context);
  if (teller.end()) context.exit(1);
}

type Selection =
  | { readonly kind: 'SNAPSHOTS'; readonly files: readonly string[] }
  | { readonly kind: 'RUNS'; readonly runs: readonly string[] }
  | { readonly kind: 'RANGE'; readonly range: Range };

const EVER: Range = { since: -Infinity, until: Infinity };

async function selectionOf(
  runs: readonly string[],
  { all, since, until, snapshot }: ReplayOptions,
): Promise<Selection> {
  const { invalid } = await import('../option-values.js');
  const isRange = all === true || since !== undefined || until !== undefined;
  const given = [runs.length > 0, isRange, snapshot !== undefined].filter(Boolean).length;
  if (given !== 1)
    throw invalid(
      'say what to replay: run ids, a range (--all, --since, --until), or --snapshot; one of them',
    );
  if (snapshot !== undefined) return { kind: 'SNAPSHOTS', files: snapshot };
  if (!isRange) return { kind: 'RUNS', runs };
  return {
    kind: 'RANGE',
    range: {
      since: since === undefined ? EVER.since : await instantOf('--since', since),
      until: until === undefined ? EVER.until : await instantOf('--until', until),
    },
  };
}

/** An instant, or how long ago it is. */
async function instantOf(option: string, text: string): Promise<number> {
  const { invalid } = await import('../option-values.js');
  const { ageOf } = await import('../age.js');
  if (/^\d+[a-z]$/.test(text)) return Date.now() - ageOf(option, text);
  const instant = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(instant)) return instant;
  throw invalid(
    `${option} is ${JSON.stringify(text)}; it must be an instant such as 2026-11-01T00:00:00Z, or an age such as 7d`,
  );
}

/** Those that a line would go by here, with what --rules changes. */
async function settingsOf({ rules }: ReplayOptions, context: CommandContext): Promise<RuleSettings> {
  const { configOf } = await import('../with-line.js');
  const { changesFromText, ruleDefaults, withChanges } = await import('../../replay/settings.js');
  const { guard, review } = await configOf(context);
  const settings = { ...ruleDefaults, guard, policy: review, judge: review.judge };
  if (rules === undefined) return settings;
  if (rules.includes('=')) return withChanges(settings, changesFromText(rules));
  const { readJson } = await import('../read-input.js');
  const { isJsonObject } = await import('../../contracts/json.js');
  const { invalid } = await import('../option-values.js');
  const json = await readJson(context.io, rules);
  if (!isJsonObject(json)) throw invalid(`${rules} must hold one JSON object, {"max_attempts": 5}`);
  return withChanges(settings, json);
}

async function snapshotOf(file: string, context: CommandContext): Promise<RecordedRun> {
  const { readJson } = await import('../read-input.js');
  const { publicKeys } = await import('../reading-line.js');
  const { runFromSnapshot } = await import('../../replay/run-from-snapshot.js');
  return runFromSnapshot(await readJson(context.io, file, MAX_SNAPSHOT_BYTES), await publicKeys(context));
}

async function replayLine(
  selection: Exclude<Selection, { kind: 'SNAPSHOTS' }>,
  teller: ReplayTeller,
  context: CommandContext,
): Promise<void> {
  const { publicKeys, readingWithAudit } = await import('../reading-line.js');
  const { readRuns, runsWithVerdicts } = await import('../../replay/run-from-topics.js');
  const { io } = context;
  const keyring = await publicKeys(context);
  await readingWithAudit(context, async (line) => {
    const ports = { ...line, keyring, signal: io.signal };
    const isRange = selection.kind === 'RANGE';
    const range = isRange ? selection.range : EVER;
    const runs = isRange ? await runsWithVerdicts(ports, range) : new Set(selection.runs);
    let done = 0;
    for await (const run of readRuns(ports, runs)) {
      if (!isRange) await assertKnown(run);
      tell(teller, run, range, context);
      done += 1;
      if (io.interactive && isRange) io.err(`\r${done} of ${runs.size} runs`);
    }
    if (io.interactive && isRange) io.err('\r');
  });
}

async function assertKnown(run: RecordedRun): Promise<void> {
  const { runId, verdicts, drafts, entries, answers, notes } = run;
  if ([verdicts, drafts, entries, answers, notes].some((each) => each.length > 0)) return;
  const { ProoflineError } = await import('../../contracts/errors.js');
  throw new ProoflineError('PL_NOT_FOUND', { what: `run ${JSON.stringify(runId)}` });
}

/** The run is replayed whole, since its verdicts follow from each other; those of the range are told. */
function tell(teller: ReplayTeller, run: RecordedRun, { since, until }: Range, { io }: CommandContext): void {
  const lines = teller.tell(run, (submittedAt) => submittedAt >= since && submittedAt < until);
  if (lines.length > 0) io.out(`${lines.join('\n')}\n`);
}
