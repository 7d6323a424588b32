import type { RecordedRun } from '../../replay/recorded-run.js';
import { verdictReplayJson, verdictUnderRulesJson } from '../../replay/replay-json.js';
import { replayRun, replayUnderRules } from '../../replay/replay-run.js';
import { rulesOf, type RuleSettings } from '../../replay/settings.js';
import type { CommandContext } from '../command.js';
import { coloursFor } from '../render/error.js';
import { paintFor, type Paint } from '../render/page.js';
import { replayLines, replaySummary, underRulesLines, underRulesSummary } from '../render/replay.js';

/** Replays runs one after the other, tells of each verdict as it comes, and keeps count. */
export interface ReplayTeller {
  /** The lines about the run's verdicts on drafts that were handed in when asked for. */
  tell(run: RecordedRun, isAskedFor: (submittedAt: number) => boolean): readonly string[];
  /** Tells a person how many there were. True when something differs. */
  end(): boolean;
}

type Counts = Readonly<Record<string, number>> & { readonly runs: number };

/** How one way of replaying is told. */
interface Telling<V extends { readonly outcome: string; readonly submittedAt: number }> {
  readonly replay: (run: RecordedRun) => readonly V[];
  readonly lines: (verdict: V, paint: Paint) => readonly string[];
  readonly json: (verdict: V) => object;
  readonly summary: (counts: Counts, paint: Paint) => readonly string[];
  /** The outcome that exit code 1 is for. */
  readonly differs: V['outcome'];
}

export function replayTeller(settings: RuleSettings, context: CommandContext): ReplayTeller {
  const rules = rulesOf(settings);
  return teller(
    {
      replay: (run) => replayRun(run, rules),
      lines: replayLines,
      json: verdictReplayJson,
      summary: ({ runs, EQUAL = 0, DIFFERENT = 0, GONE = 0 }, paint) =>
        replaySummary({ runs, EQUAL, DIFFERENT, GONE }, paint),
      differs: 'DIFFERENT',
    },
    context,
  );
}

export function underRulesTeller(settings: RuleSettings, context: CommandContext): ReplayTeller {
  const rules = rulesOf(settings);
  return teller(
    {
      replay: (run) => replayUnderRules(run, rules),
      lines: underRulesLines,
      json: verdictUnderRulesJson,
      summary: ({ runs, SAME = 0, OTHER = 0, GONE = 0 }, paint) =>
        underRulesSummary({ runs, SAME, OTHER, GONE }, paint),
      differs: 'OTHER',
    },
    context,
  );
}

function teller<V extends { readonly outcome: string; readonly submittedAt: number }>(
  { replay, lines, json, summary, differs }: Telling<V>,
  { io, global }: CommandContext,
): ReplayTeller {
  const isJson = global().json;
  const paint = paintFor({ colours: coloursFor(io) });
  const counts: Record<string, number> = {};
  let runs = 0;
  return {
    tell(run, isAskedFor) {
      const verdicts = replay(run).filter(({ submittedAt }) => isAskedFor(submittedAt));
      runs += 1;
      for (const { outcome } of verdicts) counts[outcome] = (counts[outcome] ?? 0) + 1;
      return verdicts.flatMap((verdict) =>
        isJson ? [JSON.stringify(json(verdict))] : lines(verdict, paint),
      );
    },
    end() {
      if (!isJson) io.out(`${summary({ ...counts, runs }, paint).join('\n')}\n`);
      return (counts[differs] ?? 0) > 0;
    },
  };
}
