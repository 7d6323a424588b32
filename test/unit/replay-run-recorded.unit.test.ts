import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openKeyring } from '../../src/ledger/keyring.js';
import { replayRun, replayUnderRules } from '../../src/replay/replay-run.js';
import { runFromSnapshot } from '../../src/replay/run-from-snapshot.js';
import { ruleDefaults, rulesOf, withChanges } from '../../src/replay/settings.js';

const FOLDER = 'test/data/runs';
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const keyring = openKeyring(`${FOLDER}/keys`, { create: false, verifyOnly: true });

const recorded = files.map((file) =>
  runFromSnapshot(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')), keyring),
);

/** What `npx tsx scripts/record-runs.ts` recorded. A rule that judges differently on purpose records them again. */
describe('the recorded runs', () => {
  test.each(recorded.map((run) => [run.runId, run] as const))('%s is replayed as it was', (_, run) => {
    const told = replayRun(run, rulesOf(ruleDefaults));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ outcome }) => outcome !== 'EQUAL')).toEqual([]);
    expect(run.reviewed.length).toBeGreaterThanOrEqual(told.length);
  });

  test('hold every kind of verdict, of fault and of decision', () => {
    const verdicts = recorded.flatMap((run) => run.verdicts);
    const codes = new Set(verdicts.flatMap(({ violations }) => violations.map(({ code }) => code)));
    expect([...codes].sort()).toEqual(
      expect.arrayContaining([
        'ACTION_TEXT_BLANK',
        'ACTION_UNGROUNDED',
        'ANALYSIS_ID_DUPLICATE',
        'ANALYSIS_REF_UNKNOWN',
        'ANALYSIS_TEXT_BLANK',
        'ANALYSIS_UNCITED',
        'CONCLUSION_TEXT_BLANK',
        'CONCLUSION_UNGROUNDED',
        'DOCUMENT_NOT_SHOWN',
        'DRAFT_MALFORMED',
        'KIND_CLAIMS_EVIDENCE',
        'KIND_DENIES_EVIDENCE',
        'LEDGER_INTEGRITY_BROKEN',
        'LIMITATIONS_MISSING',
        'QUOTE_MISATTRIBUTED',
        'QUOTE_NOT_FOUND',
        'QUOTE_TOO_SHORT',
        'TOOL_CALL_EXPIRED',
        'TOOL_CALL_FAILED',
        'TOOL_CALL_FOREIGN_RUN',
        'TOOL_CALL_PENDING',
        'TOOL_CALL_UNKNOWN',
      ]),
    );
    expect(new Set(verdicts.map(({ status }) => status))).toEqual(
      new Set(['PASSED', 'REJECTED', 'ABANDONED']),
    );
    const decisions = new Set(recorded.flatMap(({ reviewed }) => reviewed.map(({ decision }) => decision)));
    expect(decisions).toEqual(new Set(['PUBLISH', 'REPAIR', 'HOLD', 'FALLBACK', 'STALE']));
    const entries = recorded.flatMap((run) => run.entries);
    expect(new Set(entries.map(({ signature }) => signature))).toEqual(new Set(['VALID']));
  });

  test('are small', () => {
    const bytes = files
      .map((file) => statSync(`${FOLDER}/${file}`).size)
      .reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(1_000_000);
  });

  test('given quotes unchecked and fewer attempts, then it is told which verdicts would differ', () => {
    const settings = withChanges(ruleDefaults, { 'quotes-1': 'off', max_attempts: 1 });
    const verdicts = recorded.flatMap((run) => replayUnderRules(run, rulesOf(settings)));
    const told = new Map(verdicts.map((verdict) => [verdict.draftId, verdict]));
    expect(told.get('quotes-wrong')).toMatchObject({
      outcome: 'OTHER',
      recorded: { status: 'REJECTED', decision: 'REPAIR' },
      changed: { status: 'PASSED', decision: 'HOLD' },
      codesAdded: [],
    });
    expect(told.get('quotes-wrong')?.codesRemoved).toContain('QUOTE_NOT_FOUND');
    expect(told.get('no-json')).toMatchObject({
      outcome: 'OTHER',
      recorded: { status: 'REJECTED', decision: 'REPAIR' },
      changed: { status: 'REJECTED', decision: 'FALLBACK' },
    });
    expect(told.get('draft-no-evidence')?.outcome).toBe('SAME');
  });

  test('given the settings that they were made under, then no verdict would differ', () => {
    const verdicts = recorded.flatMap((run) => replayUnderRules(run, rulesOf(ruleDefaults)));
    expect(verdicts.filter(({ outcome }) => outcome !== 'SAME')).toEqual([]);
  });
});
