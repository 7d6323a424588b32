import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GuardVerdict, ReadState } from '../../src/contracts/generated.js';
import type { RecordedEntry, RecordedRun } from '../../src/replay/recorded-run.js';
import { replayRun } from '../../src/replay/replay-run.js';
import { ruleDefaults, rulesOf } from '../../src/replay/settings.js';
import { closeLines, openTestLine } from '../support/line.js';
import { scripted } from '../support/line-search.js';
import { plannedReplay, plannedSearch, playReplays, recordedRuns } from '../support/recorded-runs.js';

const RUNS = 40;
/** In the title, so that runs that failed can be played again. */
const seed = Math.floor(Math.random() * 2 ** 31);
const rules = rulesOf(ruleDefaults);
let runs: RecordedRun[] = [];

/** Played once: each property looks at all of them in its own way. */
beforeAll(async () => {
  const line = openTestLine({ search: scripted(({ query }) => plannedSearch(query)) });
  const plans = fc.sample(plannedReplay, { numRuns: RUNS, seed });
  await playReplays(line, plans);
  runs = await recordedRuns(line, ...plans.map((_, i) => `run-${i}`));
}, 60_000);

afterAll(closeLines);

/** A verdict of one of the runs, and a number to choose something in it by. */
function somewhere(): fc.Arbitrary<{ run: RecordedRun; verdict: GuardVerdict; pick: number }> {
  return fc.nat().chain((n) => {
    const run = runs.filter(({ verdicts }) => verdicts.length > 0)[n % runs.length] ?? runs[0]!;
    const verdict = fc.constantFrom(...run.verdicts);
    return fc.record({ run: fc.constant(run), verdict, pick: fc.nat() });
  });
}

function outcomeOf(run: RecordedRun, { eventId }: GuardVerdict): string | undefined {
  return replayRun(run, rules).find(({ verdictEventId }) => verdictEventId === eventId)?.outcome;
}

function withVerdict(run: RecordedRun, verdict: GuardVerdict): RecordedRun {
  const verdicts = run.verdicts.map((each) => (each.eventId === verdict.eventId ? verdict : each));
  return { ...run, verdicts };
}

function withEntry(run: RecordedRun, changed: RecordedEntry): RecordedRun {
  const entries = run.entries.map((each) => (each.toolCallId === changed.toolCallId ? changed : each));
  return { ...run, entries };
}

function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

/** The text with one character of it another one. */
function bent(text: string, pick: number): string {
  const at = pick % Math.max(1, text.length);
  return `${text.slice(0, at)}${text[at] === '~' ? '^' : '~'}${text.slice(at + 1)}`;
}

const READ_STATES: readonly (ReadState | null)[] = ['PENDING', 'READY', 'FAILED', 'UNREADABLE', null];

describe(`runs of every kind that the embedded line was given (seed ${seed})`, () => {
  test('given what they left, then every verdict is replayed as equal', () => {
    const replays = runs.flatMap((run) => replayRun(run, rules));
    expect(replays.length).toBeGreaterThan(RUNS);
    expect(replays.filter(({ outcome }) => outcome !== 'EQUAL')).toEqual([]);
  });

  test('given one character of a signed text in the ledger changed, then what cites it is never equal', () => {
    fc.assert(
      fc.property(somewhere(), ({ run, verdict, pick }) => {
        const read = pickOf(
          verdict.read.filter((each) => each.state === 'READY' && each.signatureCheck === 'VALID'),
          pick,
        );
        const recorded = run.entries.find(({ toolCallId }) => toolCallId === read?.toolCallId);
        fc.pre(recorded?.entry?.agentView !== undefined);
        const agentView = bent(recorded.entry.agentView ?? '', pick);
        const changed = withEntry(run, { ...recorded, entry: { ...recorded.entry, agentView } });
        expect(outcomeOf(changed, verdict)).toBe('DIFFERENT');
      }),
    );
  });

  test('given the state of a terminal entry in the ledger changed, then what read it is never equal', () => {
    fc.assert(
      fc.property(somewhere(), ({ run, verdict, pick }) => {
        const read = pickOf(
          verdict.read.filter((each) => each.state !== null && each.signatureCheck === 'VALID'),
          pick,
        );
        const recorded = run.entries.find(({ toolCallId }) => toolCallId === read?.toolCallId);
        fc.pre(recorded !== undefined);
        const states = (['PENDING', 'READY', 'FAILED'] as const).filter((each) => each !== recorded.state);
        const state = states[pick % states.length]!;
        expect(outcomeOf(withEntry(run, { ...recorded, state }), verdict)).toBe('DIFFERENT');
      }),
    );
  });

  test('given another state in what the guard read, then the verdict is never equal', () => {
    fc.assert(
      fc.property(somewhere(), ({ run, verdict, pick }) => {
        const read = pickOf(verdict.read, pick);
        fc.pre(read !== undefined);
        const states = READ_STATES.filter((state) => state !== read.state);
        const changed = { ...read, state: states[pick % states.length]! };
        const lied = {
          ...verdict,
          read: verdict.read.map((each) => (each === read ? changed : each)),
        };
        expect(outcomeOf(withVerdict(run, lied), verdict)).not.toBe('EQUAL');
      }),
    );
  });

  test('given a violation changed, dropped or made up, then the verdict is never equal', () => {
    const change = fc.constantFrom('code', 'path', 'message', 'detailJson', 'dropped', 'added');
    fc.assert(
      fc.property(somewhere(), change, ({ run, verdict, pick }, how) => {
        const { violations } = verdict;
        const violation = pickOf(violations, pick);
        fc.pre(violation !== undefined || how === 'added');
        const made = { code: 'LIMITATIONS_MISSING', path: '', message: 'made up', detailJson: '{}' };
        const lied =
          how === 'added'
            ? [...violations, made]
            : violations.flatMap((each) => {
                if (each !== violation) return [each];
                return how === 'dropped'
                  ? []
                  : [{ ...each, [how as 'code']: bent(each[how as 'code'], pick) }];
              });
        expect(outcomeOf(withVerdict(run, { ...verdict, violations: lied }), verdict)).toBe('DIFFERENT');
      }),
    );
  });

  test('given another decision in the record of review, then it is never equal', () => {
    fc.assert(
      fc.property(somewhere(), ({ run, verdict, pick }) => {
        const decisions = (['PUBLISH', 'REPAIR', 'HOLD', 'FALLBACK', 'STALE'] as const).filter(
          (each) =>
            !run.reviewed.some(({ causedBy, decision }) => causedBy === verdict.eventId && decision === each),
        );
        const decision = decisions[pick % decisions.length]!;
        const reviewed = run.reviewed.map((each) =>
          each.causedBy === verdict.eventId ? { ...each, decision } : each,
        );
        expect(outcomeOf({ ...run, reviewed }, verdict)).toBe('DIFFERENT');
      }),
    );
  });
});
