import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import type { NewRecord } from '../../src/bus/bus.js';
import { recordBytes } from '../../src/bus/record-size.js';
import { sha256 } from '../../src/contracts/digest.js';
import type { DraftSubmitted, GuardVerdict } from '../../src/contracts/generated.js';
import { deadlineEventId } from '../../src/contracts/ids.js';
import { partitionOf } from '../../src/contracts/partition.js';
import { topics } from '../../src/contracts/topics.js';
import { importPublicKey, rotateKey } from '../../src/ledger/keyring.js';
import type { LedgerView } from '../../src/ledger/ledger-view.js';
import { openLine } from '../../src/line/embedded-line.js';
import { closeLines, lookupOf, only, openTestLine, type TestLine } from '../support/line.js';
import { documentAbout, forgedDraft, tamper, trueDraft } from '../support/line-drafts.js';
import { hitAbout, hits, isDown, scripted } from '../support/line-search.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';
import { createGate, waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

const SOON = 20_000;

const codesOf = (verdict: GuardVerdict): string[] => verdict.violations.map(({ code }) => code);

/** Hands a draft in and waits for the verdict on it. */
async function judged(line: TestLine, draft: Parameters<TestLine['handIn']>[0]): Promise<GuardVerdict> {
  const { eventId } = await line.handIn(draft);
  await line.idle();
  const verdicts = (await line.messages('verdict.v1')).filter(({ causedBy }) => causedBy === eventId);
  expect(verdicts).toHaveLength(1);
  return verdicts[0]!;
}

/** A line on which call-1 of run-1 was answered. */
async function answeredLine(options: Parameters<typeof openTestLine>[0] = {}): Promise<TestLine> {
  const line = openTestLine(options);
  await line.ask({});
  await line.idle();
  return line;
}

describe('a draft', () => {
  test('given that it cites what was shown, it passes with the evidence re-read from the ledger', async () => {
    const line = await answeredLine();
    const draft = await line.handIn({ draftJson: trueDraft() });
    await line.idle();
    const verdict = await only(line, 'verdict.v1');
    expect(verdict).toMatchObject({
      status: 'PASSED',
      causedBy: draft.eventId,
      occurredAt: draft.occurredAt,
      draftSha256: sha256(draft.draftJson!),
      violations: [],
      read: [{ toolCallId: 'call-1', foundRunId: 'run-1', state: 'READY', signatureCheck: 'VALID' }],
    });
    const projected = await only(line, 'projected.v1');
    expect(verdict.lookups).toMatchObject([
      {
        toolCallId: 'call-1',
        agentViewSha256: projected.agentViewSha256,
        items: [{ documentId: documentAbout('gateway timeout') }],
      },
    ]);
    expect(verdict.read[0]!.offset).toBeGreaterThan(1);
    expect(line.incidents).toEqual([]);
  });

  test('given a document that nobody was shown, it is rejected', async () => {
    const line = await answeredLine();
    const verdict = await judged(line, { draftJson: forgedDraft() });
    expect(verdict.status).toBe('REJECTED');
    expect(codesOf(verdict)).toEqual(['DOCUMENT_NOT_SHOWN']);
    expect(verdict.lookups).toEqual([]);
  });

  test('given a run that nobody knows, every call that it cites is unknown', async () => {
    const line = await answeredLine();
    const verdict = await judged(line, { runId: 'run-9', draftJson: trueDraft([{ toolCallId: 'call-9' }]) });
    expect(codesOf(verdict)).toEqual(['TOOL_CALL_UNKNOWN']);
    expect(verdict.read).toMatchObject([{ foundRunId: null, state: null, signatureCheck: 'ABSENT' }]);
    expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'REPAIR' });
  });

  test('given a call of another run, it is foreign, and what that one was shown proves nothing', async () => {
    const line = openTestLine();
    await line.ask({ runId: 'run-2', toolCallId: 'call-2' });
    await line.idle();
    const verdict = await judged(line, { draftJson: trueDraft([{ toolCallId: 'call-2' }]) });
    expect(codesOf(verdict)).toEqual(['TOOL_CALL_FOREIGN_RUN']);
    expect(verdict.read).toMatchObject([{ foundRunId: 'run-2' }]);
    expect(verdict.shown).toEqual([]);
  });

  test('given a lookup that is still on its way, it is pending, once the ledger was read behind a barrier', async () => {
    const line = openTestLine({ search: scripted(() => isDown(10)) });
    await line.ask({});
    await waitUntil('it is PENDING', async () => (await line.messages('ledger.v1')).length > 0);
    const { eventId } = await line.handIn({ draftJson: trueDraft() });
    await waitUntil('there is a verdict', async () => (await line.messages('verdict.v1')).length > 0);
    const verdict = await only(line, 'verdict.v1');
    expect(verdict.causedBy).toBe(eventId);
    expect(codesOf(verdict)).toEqual(['TOOL_CALL_PENDING']);
  });

  test('given a lookup that failed, it is rejected for that', async () => {
    const failure = { code: 'PL_RETRIEVAL_REFUSED', message: 'no', retryable: false };
    const line = await answeredLine({ search: scripted(() => ({ kind: 'failed', failure })) });
    expect(codesOf(await judged(line, { draftJson: trueDraft() }))).toEqual(['TOOL_CALL_FAILED']);
  });

  test('given nothing found, an observation of that passes and a claim does not', async () => {
    const line = await answeredLine({ search: scripted(() => hits([])) });
    const analysis = {
      id: 'a1',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'Nothing was found.',
      tool_call_ids: ['call-1'],
    };
    const honest = trueDraft([], { analysis: [analysis] });
    expect(await judged(line, { draftJson: honest })).toMatchObject({
      status: 'PASSED',
      lookups: [{ evidenceStatus: 'NO_EVIDENCE', items: [] }],
    });
    const claim = await judged(line, {
      draftId: 'draft-2',
      draftJson: honest.replace('NEGATIVE_OBSERVATION', 'NORMAL'),
    });
    expect(codesOf(claim)).toEqual(['KIND_CLAIMS_EVIDENCE']);
  });

  test('given that it is handed in when the evidence has expired, it is rejected; a moment before, it passes', async () => {
    let now = Date.parse('2026-05-04T00:00:00Z');
    const line = openTestLine({ now: () => now });
    const { occurredAt } = await line.ask({ ttlMs: 60_000 });
    await line.idle();
    now = occurredAt + 59_999;
    expect((await judged(line, { draftJson: trueDraft() })).status).toBe('PASSED');
    now += 1;
    const late = await judged(line, { draftId: 'draft-2', draftJson: trueDraft() });
    expect(codesOf(late)).toEqual(['TOOL_CALL_EXPIRED']);
  });

  test('given the run given up by its agent, it is ABANDONED without being judged', async () => {
    const line = await answeredLine();
    const verdict = await judged(line, { draftJson: null });
    expect(verdict).toMatchObject({
      status: 'ABANDONED',
      draft: null,
      draftSha256: null,
      ruleSets: [],
      read: [],
    });
  });

  test('given the same draft again, the verdict is the same under the same id', async () => {
    const line = await answeredLine();
    await line.handIn({ draftJson: trueDraft() });
    await line.handIn({ draftJson: trueDraft() });
    await line.idle();
    const [first, second] = await line.messages('verdict.v1');
    expect(second).toEqual({ ...first, occurredAt: second!.occurredAt });
    expect(await line.messages('reviewed.v1')).toHaveLength(1);
  });
});

describe('a draft record of a foreign producer', () => {
  const message = (): DraftSubmitted =>
    draftSubmitted({ runId: 'run-1', draftId: 'draft-1', draftJson: trueDraft() }, 1_700_000_000_000);
  const seal = (change: Partial<DraftSubmitted>): DraftSubmitted => {
    const { runId, draftId, draftJson } = { ...message(), ...change };
    return { ...message(), ...change, eventId: draftSubmitted({ runId, draftId, draftJson }, 0).eventId };
  };
  const byHarness = (occurredAt: number, change: Partial<DraftSubmitted> = {}): DraftSubmitted => {
    const about = { station: 'harness', runId: 'run-1', deadline: occurredAt, ordinal: 0 };
    const eventId = deadlineEventId(sha256, { ...about, topic: 'draft-submitted.v1' });
    const given = { eventId, occurredAt, draftId: 'given-up', draftJson: null, givenUp: 'DEADLINE' as const };
    return { ...message(), ...given, ...change };
  };

  const wrong: [string, () => DraftSubmitted, string][] = [
    [
      'an event_id that is not what it says',
      () => ({ ...message(), eventId: '0'.repeat(32) }),
      'PL_EVENT_ID',
    ],
    ['a text that is not what its id says', () => ({ ...message(), draftJson: '{}' }), 'PL_EVENT_ID'],
    ['both a draft and its absence', () => seal({ givenUp: 'AGENT' }), 'PL_INVARIANT'],
    ['neither a draft nor its absence', () => seal({ draftJson: null, givenUp: null }), 'PL_INVARIANT'],
    ['attempt 0', () => seal({ attempt: 0 }), 'PL_INVARIANT'],
    [
      'a deadline that is not what its id says',
      () => ({ ...byHarness(5000), occurredAt: 6000 }),
      'PL_EVENT_ID',
    ],
    ['the harness’s id and a draft of its own', () => byHarness(5000, { draftJson: '{}' }), 'PL_INVARIANT'],
    ['the harness’s word under another draft_id', () => byHarness(5000, { draftId: 'mine' }), 'PL_INVARIANT'],
    [
      'an agent’s word under the harness’s draft_id',
      () => byHarness(5000, { givenUp: 'AGENT' }),
      'PL_EVENT_ID',
    ],
    ['a draft_id with a slash', () => ({ ...message(), draftId: 'a/b' }), 'PL_ID_INVALID'],
  ];
  test.each(wrong)('given %s, it is given up and the line goes on', async (_, make, code) => {
    const line = await answeredLine();
    await line.bus.append([line.record('draft-submitted.v1', make())]);
    await line.handIn({ draftId: 'draft-2', draftJson: trueDraft() });
    await line.idle();
    expect(await only(line, 'dead-letter.v1')).toMatchObject({ code, station: 'guard', runId: 'run-1' });
    expect(await only(line, 'verdict.v1')).toMatchObject({ draftId: 'draft-2', status: 'PASSED' });
  });

  test('given the harness’s word for a run that was given up, it is ABANDONED', async () => {
    const line = await answeredLine();
    await line.bus.append([line.record('draft-submitted.v1', byHarness(5000))]);
    await line.idle();
    expect(await only(line, 'verdict.v1')).toMatchObject({
      status: 'ABANDONED',
      draftId: 'given-up',
      occurredAt: 5000,
    });
  });
});

describe('a ledger view that lags', () => {
  test('given a true draft handed in before the view shows its evidence, it waits and then passes', async () => {
    const line = openTestLine({ guard: { catchUpMs: 50 } });
    await line.ask({ runId: 'run-0' });
    await line.idle();
    await line.stop('ledger-view');
    await line.ask({});
    await waitUntil('the agent has its evidence', async () =>
      (await line.messages('projected.v1')).some(({ runId }) => runId === 'run-1'),
    );
    await line.handIn({ draftJson: trueDraft() });
    await waitUntil('the guard waits', () =>
      line.health.waiting().some(({ station, code }) => station === 'guard' && code === 'PL_LEDGER_BEHIND'),
    );
    expect(await line.messages('verdict.v1')).toEqual([]);
    line.start('ledger-view');
    await line.idle();
    expect(await only(line, 'verdict.v1')).toMatchObject({ status: 'PASSED' });
  });

  test.each([
    ['nothing of the lookup', false],
    ['that the lookup is on its way', true],
  ])('given that it shows %s and catches up while the guard waits, the draft passes', async (_, pending) => {
    const waits = createGate();
    const answer = createGate();
    const partition = partitionOf('run-1', 2);
    const wrapLedger = (view: LedgerView): LedgerView => ({
      ...view,
      whenPast(of, offset, timeoutMs) {
        if (of === partition && timeoutMs === SOON) waits.open();
        return view.whenPast(of, offset, timeoutMs);
      },
    });
    const search = scripted(({ query }) => answer.opened.then(() => hits([hitAbout(query)])));
    const line = openTestLine({ search, wrapLedger, guard: { catchUpMs: SOON } });
    if (!pending) answer.open();
    await line.ask({ runId: pending ? 'run-1' : 'run-0' });
    if (pending) {
      await waitUntil('it is PENDING in the view', async () => (await line.ledger.position(partition)) === 1);
    } else await line.idle();
    await line.stop('ledger-view');
    if (!pending) await line.ask({});
    answer.open();
    await line.idle();
    await line.handIn({ draftJson: trueDraft() });
    await waits.opened;
    expect(await line.messages('verdict.v1')).toEqual([]);
    line.start('ledger-view');
    await line.idle();
    expect(await only(line, 'verdict.v1')).toMatchObject({ status: 'PASSED' });
    expect(line.health.waiting()).toEqual([]);
  });

  test('given a draft that no catching up can make true, it is rejected once the view has caught up', async () => {
    const line = openTestLine({ guard: { catchUpMs: 50 } });
    await line.ask({ runId: 'run-0' });
    await line.idle();
    await line.stop('ledger-view');
    await line.ask({});
    await line.idle();
    await line.handIn({ draftJson: trueDraft([{ toolCallId: 'call-2' }]) });
    await waitUntil('the guard waits', () =>
      line.health.waiting().some(({ station }) => station === 'guard'),
    );
    expect(await line.messages('verdict.v1')).toEqual([]);
    line.start('ledger-view');
    await line.idle();
    const verdict = await only(line, 'verdict.v1');
    expect(codesOf(verdict)).toEqual(['TOOL_CALL_UNKNOWN']);
    // Nothing before this offset was overlooked.
    const { end } = await line.bus.bounds('ledger.v1', partitionOf('run-1', 2));
    expect(verdict.read[0]!.offset).toBe(end);
  });

  test('given hundreds of agents that hand in the moment they see their evidence, none is rejected', async () => {
    const search = scripted(({ query }) => hits([hitAbout(query)]));
    const line = openTestLine({ search, partitions: 4 });
    const seen = new Set<string>();
    const handIns: Promise<unknown>[] = [];
    const following = line.bus.follow(['projected.v1'], (records) => {
      for (const { value } of records) {
        const { runId } = line.codec.decode('projected.v1', value!);
        if (seen.has(runId)) continue;
        seen.add(runId);
        handIns.push(line.handIn({ runId, draftJson: trueDraft() }));
      }
    });
    await Promise.all(Array.from({ length: 300 }, (_, i) => line.ask({ runId: `run-${i}` })));
    await waitUntil('all have seen it', () => seen.size === 300);
    await Promise.all(handIns);
    await line.idle();
    await following.stop();
    const verdicts = await line.messages('verdict.v1');
    expect(verdicts).toHaveLength(300);
    expect(verdicts.filter(({ status }) => status !== 'PASSED')).toEqual([]);
  });

  test('given a view that is emptied between two reads, what it does not show any more accuses nobody', async () => {
    const reads = { left: 0 };
    const wrapLedger = (view: LedgerView): LedgerView => ({
      ...view,
      read: (partition, queries) =>
        reads.left-- === 1 ? Promise.resolve({ position: 0, entries: [] }) : view.read(partition, queries),
    });
    const line = await answeredLine({ wrapLedger });
    // The second read is the one behind the barrier, and then the one for what explains a finding.
    for (const [i, draftJson] of [trueDraft([{}, { toolCallId: 'call-9' }]), forgedDraft()].entries()) {
      reads.left = 2;
      const verdict = await judged(line, { draftId: `draft-${i}`, draftJson });
      expect(codesOf(verdict)).toEqual([['TOOL_CALL_UNKNOWN'], ['DOCUMENT_NOT_SHOWN']][i]);
      expect(reads.left).toBeLessThan(1);
    }
  });

  test('given a view that went back behind the guard’s back, nothing is judged until it has caught up', async () => {
    const line = await answeredLine({ guard: { catchUpMs: 50 } });
    expect((await judged(line, { draftJson: trueDraft() })).status).toBe('PASSED');
    await line.stop('ledger-view');
    await line.bus.writer.write((db) => db.exec('DELETE FROM ledger_entry; DELETE FROM ledger_position'));
    await line.handIn({ draftId: 'draft-2', draftJson: trueDraft() });
    await waitUntil('the guard waits', () =>
      line.health.waiting().some(({ station }) => station === 'guard'),
    );
    line.start('ledger-view');
    await line.idle();
    expect((await line.messages('verdict.v1')).map(({ status }) => status)).toEqual(['PASSED', 'PASSED']);
  });
});

describe('keys', () => {
  test('given entries of a key that is not at hand, the draft waits, and is judged when the key is', async () => {
    const folder = tempFolder();
    const before = await answeredLine({ folder });
    const keyId = before.keyring.signer!.keyId;
    await before.close();
    // Somebody put another key in its place.
    renameSync(join(folder, 'keys'), join(folder, 'old-keys'));
    const line = openTestLine({ folder });
    await line.handIn({ draftJson: trueDraft() });
    await waitUntil('the guard waits for the key', () =>
      line.health.waiting().some(({ code, problem }) => code === 'PL_KEY_UNKNOWN' && problem.includes(keyId)),
    );
    expect(await line.messages('verdict.v1')).toEqual([]);
    importPublicKey(join(folder, 'keys'), readFileSync(join(folder, 'old-keys', `${keyId}.pub.pem`), 'utf8'));
    await line.idle();
    expect(await only(line, 'verdict.v1')).toMatchObject({ status: 'PASSED' });
    expect(line.incidents).toEqual([]);
  });

  test('given a key that was rotated, entries of both keys are good', async () => {
    const folder = tempFolder();
    const before = await answeredLine({ folder });
    await before.close();
    rotateKey(join(folder, 'keys'));
    const line = openTestLine({ folder });
    await line.ask({ toolCallId: 'call-2' });
    await line.idle();
    const verdict = await judged(line, { draftJson: trueDraft([{}, { toolCallId: 'call-2' }]) });
    expect(verdict.status).toBe('PASSED');
    expect(new Set((await line.messages('ledger.v1')).map(({ signature }) => signature.keyId)).size).toBe(2);
  });
});

describe('a ledger view that somebody tampered with', () => {
  const forged = (view: string): string => view.replace('check the upstream', 'reboot the database');

  const tampered: [string, Parameters<typeof tamper>[1], string][] = [
    [
      'words that were never shown',
      ({ agentView }) => ({ agentView: forged(agentView!) }),
      'LEDGER_INTEGRITY_BROKEN',
    ],
    [
      'words that were never shown, and their digest',
      ({ agentView }) => ({ agentView: forged(agentView!), agentViewSha256: sha256(forged(agentView!)) }),
      'LEDGER_INTEGRITY_BROKEN',
    ],
    [
      'no signature',
      ({ signature }) => ({ signature: { ...signature, value: '' } }),
      'LEDGER_INTEGRITY_BROKEN',
    ],
    ['no signature and no key', () => ({ signature: { keyId: '', value: '' } }), 'LEDGER_INTEGRITY_BROKEN'],
    ['other blocks', () => ({ blocks: [{ documentId: 'x', content: 'y' }] }), 'LEDGER_INTEGRITY_BROKEN'],
    ['a later expiry', ({ expiresAt }) => ({ expiresAt: expiresAt + 1 }), 'LEDGER_INTEGRITY_BROKEN'],
    ['another request', () => ({ requestEventId: 'f'.repeat(32) }), 'LEDGER_INTEGRITY_BROKEN'],
    ['the name of another run inside', () => ({ runId: 'run-2' }), 'LEDGER_INTEGRITY_BROKEN'],
    ['bytes that are no entry', () => Buffer.from('garbage'), 'LEDGER_PROJECTION_INVALID'],
    ['nothing', () => Buffer.alloc(0), 'LEDGER_PROJECTION_INVALID'],
    ['an expiry in the past', () => ({ expiresAt: 1000 }), 'TOOL_CALL_EXPIRED'],
    [
      'a failure in place of the evidence',
      () => ({ state: 'FAILED', agentView: null, agentViewSha256: null, blocks: [] }),
      'TOOL_CALL_FAILED',
    ],
  ];
  test.each(tampered)(
    'given an entry with %s, the draft is held, and costs no attempt',
    async (_, change, code) => {
      const line = await answeredLine();
      await tamper(line, change);
      const verdict = await judged(line, { draftJson: trueDraft() });
      expect(codesOf(verdict)).toContain(code);
      expect(verdict.status).toBe('REJECTED');
      expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'HOLD' });
      expect(await only(line, 'run-outcome.v1')).toMatchObject({
        attempts: 0,
        held: { verdict: { draftId: 'draft-1' } },
      });
      expect(await line.messages('verified.v1')).toEqual([]);
    },
  );

  test.each(tampered.slice(0, 7))(
    'given an entry with %s, the same lookup again is not answered from it',
    async (_, change) => {
      const line = await answeredLine();
      await tamper(line, change);
      await line.ask({});
      await line.idle();
      const answers = await line.messages('projected.v1');
      expect(answers.at(-1)).toMatchObject({
        repeat: true,
        state: 'FAILED',
        agentView: null,
        failure: { code: 'PL_LEDGER_BROKEN' },
      });
    },
  );

  test('given a true entry copied under another run’s key, it proves nothing there', async () => {
    const line = openTestLine();
    await line.ask({ runId: 'run-2', toolCallId: 'call-1' });
    await line.idle();
    const partition = partitionOf('run-1', 2);
    await line.bus.writer.write((db) =>
      db
        .prepare(
          `INSERT INTO ledger_entry SELECT ${partition}, 'run-1', tool_call_id, state, expires_at, value FROM ledger_entry`,
        )
        .run(),
    );
    const verdict = await judged(line, { draftJson: trueDraft() });
    expect(codesOf(verdict)).toEqual(['LEDGER_INTEGRITY_BROKEN']);
    expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'HOLD' });
  });

  test('given a true entry copied under another call of its run, it proves nothing there', async () => {
    const line = await answeredLine();
    await line.bus.writer.write((db) =>
      db
        .prepare(
          `INSERT INTO ledger_entry SELECT partition, run_id, 'call-2', state, expires_at, value FROM ledger_entry`,
        )
        .run(),
    );
    const verdict = await judged(line, { draftJson: trueDraft([{ toolCallId: 'call-2' }]) });
    expect(codesOf(verdict)).toEqual(['LEDGER_INTEGRITY_BROKEN']);
  });

  test('given somebody else’s record in the ledger, the first entry stands and the alarm is raised', async () => {
    const line = await answeredLine();
    const ready = (await line.messages('ledger.v1')).find(({ state }) => state === 'READY')!;
    const other = { ...ready, agentView: forged(ready.agentView!), eventId: 'e'.repeat(32) };
    await line.bus.append([line.record('ledger.v1', other, 'run-1/call-1')]);
    await line.idle();
    expect(line.incidents.map(({ code }) => code)).toEqual(['PL_LEDGER_TAKEN_BACK']);
    expect((await judged(line, { draftJson: trueDraft() })).status).toBe('PASSED');
  });

  test('given an undecodable record in the ledger, its call is unreadable, and nothing else is held up', async () => {
    const line = await answeredLine();
    const record = line.record('ledger.v1', (await line.messages('ledger.v1'))[0]!, 'run-1/call-2');
    await line.bus.append([{ ...record, value: Buffer.from('garbage') }]);
    const verdict = await judged(line, { draftJson: trueDraft([{ toolCallId: 'call-2' }]) });
    expect(codesOf(verdict)).toEqual(['LEDGER_PROJECTION_INVALID']);
    expect(verdict.read).toMatchObject([{ state: 'UNREADABLE', foundRunId: 'run-1' }]);
    expect((await judged(line, { draftId: 'draft-2', draftJson: trueDraft() })).status).toBe('PASSED');
  });

  test('given a record of an unknown schema in the ledger, the view waits, and nothing is accused meanwhile', async () => {
    const line = await answeredLine({ guard: { catchUpMs: 50 } });
    const record = line.record('ledger.v1', (await line.messages('ledger.v1'))[0]!, 'run-1/call-2');
    const unknown = Buffer.from(record.value!);
    unknown.writeUInt32BE(77, 1);
    await line.bus.append([{ ...record, value: unknown }]);
    await line.ask({ toolCallId: 'call-3' });
    await line.handIn({ draftJson: trueDraft([{ toolCallId: 'call-3' }]) });
    await waitUntil('the view waits and says why', () =>
      line.health.waiting().some((each) => each.station === 'ledger-view' && each.problem.includes('77')),
    );
    await waitUntil('so does the guard', () =>
      line.health.waiting().some(({ station }) => station === 'guard'),
    );
    expect(await line.bus.bounds('verdict.v1', partitionOf('run-1', 2))).toMatchObject({ end: 0 });
    // Somebody makes the schema known; here, by putting the known one in its place.
    await line.bus.writer.write((db) =>
      db.prepare('UPDATE record SET value = ? WHERE value = ?').run(record.value, unknown),
    );
    // The bus forgets what it remembers of its logs.
    await line.bus.cleanUp(Date.now());
    await line.idle();
    expect(await only(line, 'verdict.v1')).toMatchObject({ status: 'PASSED' });
  });

  test('given an unreadable entry under a lookup that is on its way, the lookup is still answered', async () => {
    const gate = createGate();
    const line = openTestLine({ search: scripted(() => gate.opened.then(() => hits([]))) });
    await line.ask({});
    await waitUntil('it is PENDING', async () => (await line.messages('ledger.v1')).length > 0);
    const record = line.record('ledger.v1', (await line.messages('ledger.v1'))[0]!, 'run-1/call-1');
    await line.bus.append([{ ...record, value: Buffer.from('garbage') }]);
    gate.open();
    await line.idle();
    expect(await only(line, 'projected.v1')).toMatchObject({
      state: 'FAILED',
      failure: { code: 'PL_LOOKUP_LOST', retryable: true },
    });
  });
});

describe('a hostile draft', () => {
  const deep = (open: string, close: string): string => open.repeat(50_000) + close.repeat(50_000);
  const many = (part: string, count: number): string => Array.from({ length: count }, () => part).join(',');
  const rest = '"conclusion":null,"action_plan":[],"limitations":["x"]';

  const malformed: [string, string][] = [
    ['is no JSON', 'I think that'],
    ['is empty', ''],
    ['is longer than 256 KiB', trueDraft([{}], { limitations: ['x'.repeat(300_000)] })],
    ['nests arrays 50,000 deep', deep('[', ']')],
    ['nests objects 50,000 deep', deep('{"a":', '}')],
    ['nests them where a field is unknown', `{"x":${deep('[', ']')},"analysis":[],${rest}}`],
    ['has a key twice', `{"analysis":[],"analysis":[],${rest}}`],
    ['has a key twice in two spellings', `{"analysis":[],"\\u0061nalysis":[],${rest}}`],
    ['has __proto__ as a field', `{"__proto__":{"analysis":[]},"analysis":[],${rest}}`],
    ['is 160,000 violations in 240 kB', `{"analysis":[${many('{}', 80_000)}],${rest}}`],
    [
      'is 40,000 unknown fields',
      `{${Array.from({ length: 25_000 }, (_, i) => `"${i.toString(36)}":0`).join(',')}}`,
    ],
    [
      'has 120,000 numbers for texts',
      `{"analysis":[],"conclusion":null,"action_plan":[],"limitations":[${many('0', 120_000)}]}`,
    ],
    ['has a field of 200,000 characters', `{"${'x'.repeat(200_000)}":1}`],
    ['has a field of wide characters that need escapes', `{"${'/~\\u0001网'.repeat(15_000)}":1}`],
  ];
  test.each(malformed)(
    'given one that %s, it is rejected in a record of its topic’s size',
    async (_, draftJson) => {
      const line = await answeredLine();
      const verdict = await judged(line, { draftJson });
      expect(verdict).toMatchObject({ status: 'REJECTED', draft: null });
      expect(new Set(codesOf(verdict))).toEqual(new Set(['DRAFT_MALFORMED']));
      expect(verdict.violations.length).toBeLessThanOrEqual(1000);
      await goesOn(line);
    },
  );

  const strange: [string, string, string[]][] = [
    [
      'cites __proto__, constructor and the like',
      trueDraft(['__proto__', 'constructor', 'toString', ''].map((toolCallId) => ({ toolCallId }))),
      ['TOOL_CALL_UNKNOWN'],
    ],
    [
      'has analyses named __proto__',
      trueDraft([{ toolCallId: 'x' }]).replaceAll('"a1"', '"__proto__"'),
      ['TOOL_CALL_UNKNOWN'],
    ],
    ['cites a lone surrogate', trueDraft([{ toolCallId: '\ud800' }]), ['TOOL_CALL_UNKNOWN']],
    ['says nothing but lone surrogates', trueDraft([{}]).replaceAll('check', '\\ud800\\udc00\\udfff'), []],
    [
      'cites calls as long as it may be',
      trueDraft([{ toolCallId: '网'.repeat(80_000) }]),
      ['TOOL_CALL_UNKNOWN'],
    ],
    [
      'writes as many coordinates as fit',
      trueDraft([{}], {
        conclusion: {
          text: Array.from({ length: 18_000 }, (_, i) => `#chunk-${i}`).join(' '),
          based_on_analysis_ids: ['a1'],
        },
      }),
      ['DOCUMENT_NOT_SHOWN'],
    ],
    [
      'cites as many documents and calls as it may',
      trueDraft([], {
        analysis: Array.from({ length: 64 }, (_, i) => ({
          id: `a${i}`,
          kind: 'NORMAL',
          text: 't',
          tool_call_ids: ['call-1'],
          document_ids: Array.from({ length: 32 }, (__, j) => `网${i}-${j}`.repeat(8)),
        })),
      }),
      ['DOCUMENT_NOT_SHOWN'],
    ],
    [
      'cites 128 calls that are not there',
      trueDraft([], {
        analysis: Array.from({ length: 64 }, (_, i) => ({
          id: `a${i}`,
          kind: 'NORMAL',
          text: 't',
          tool_call_ids: [`x${i}`, `y${i}`],
        })),
      }),
      ['TOOL_CALL_UNKNOWN'],
    ],
  ];
  test.each(strange)('given one that %s, it is judged like any other', async (_, draftJson, codes) => {
    const line = await answeredLine();
    const verdict = await judged(line, { draftJson });
    expect([...new Set(codesOf(verdict))]).toEqual(codes);
    expect(verdict.violationCount).toBeGreaterThanOrEqual(verdict.violations.length);
    await goesOn(line);
  });

  test('given one of 10 MB, the door refuses it and the line knows nothing of it', async () => {
    const folder = tempFolder();
    const line = openLine({ folder, search: scripted(), partitions: 2 });
    const draft = { runId: 'run-1', draftId: 'draft-1', draftJson: 'x'.repeat(10_000_000) };
    await expect(line.submit(draftSubmitted(draft, Date.now()), 5000)).rejects.toMatchObject({
      code: 'PL_RECORD_TOO_LARGE',
    });
    const lookup = lookupRequested(lookupOf(), Date.now());
    expect(await line.lookup(lookup, 10_000)).toMatchObject({ state: 'READY' });
    await line.stop();
  });

  test('given notes beside it as long as its topic takes, it is given up whole and the line goes on', async () => {
    const line = await answeredLine();
    const build = (model: string): NewRecord => {
      const counts = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      const names = { provider: 'p', requestId: null, cost: null, currency: null };
      const draft = { runId: 'run-1', draftId: 'draft-1', draftJson: trueDraft([{ toolCallId: 'call-9' }]) };
      const generation = { model, ...counts, ...names };
      return line.record('draft-submitted.v1', draftSubmitted({ ...draft, generation }, Date.now()));
    };
    const few = 4_000_000;
    const missing = topics['draft-submitted.v1'].maxBytes - recordBytes(build('m'.repeat(few)));
    await line.bus.append([build('m'.repeat(few + missing))]);
    await line.idle();
    expect((await line.messages('verdict.v1')).length).toBe(0);
    const { code, station } = await only(line, 'dead-letter.v1');
    expect({ code, station }).toEqual({ code: 'PL_RECORD_TOO_LARGE', station: 'guard' });
    const next = await judged(line, { draftId: 'draft-2', draftJson: trueDraft() });
    expect(next.status).toBe('PASSED');
  });

  test('given a verdict that is too large for its topic, it is written short, held, and says so', async () => {
    const named = Array.from({ length: 5 }, (_, i) => {
      const documentId = `${i}`.padEnd(600, 'd');
      return { ...hitAbout('w'), documentId, evidenceKey: `${documentId}#chunk-0` };
    });
    const line = openTestLine({ search: scripted(() => hits(named)) });
    const calls = Array.from({ length: 32 }, (_, i) => `call-${i}`);
    await Promise.all(calls.map((toolCallId) => line.ask({ toolCallId })));
    await line.idle();
    // Each of 64 analyses lists all that it could cite: five documents of 32 lookups, by their long names.
    const analysis = Array.from({ length: 64 }, (_, i) => {
      return { id: `a${i}`, kind: 'NORMAL', text: 'Check the upstream first.', tool_call_ids: calls };
    });
    const verdict = await judged(line, { draftJson: trueDraft([], { analysis }) });
    const { status, ext, draft, lookups, analyses } = verdict;
    expect({ status, ext, draft, lookups, analyses }).toEqual({
      status: 'PASSED',
      ext: { code: 'PL_VERDICT_TOO_LARGE' },
      draft: null,
      lookups: [],
      analyses: [],
    });
    expect((await only(line, 'reviewed.v1')).decision).toBe('HOLD');
    expect(await line.messages('verified.v1')).toEqual([]);
    expect(await line.messages('dead-letter.v1')).toEqual([]);
  });

  /** Every record is of its topic's size, nothing was given up, and the next draft is judged. */
  async function goesOn(line: TestLine): Promise<void> {
    for (const topic of ['verdict.v1', 'reviewed.v1', 'run-outcome.v1', 'tool-invocation.v1'] as const) {
      for (const message of await line.messages(topic)) {
        expect(recordBytes(line.record(topic, message))).toBeLessThan(topics[topic].maxBytes);
      }
    }
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    expect(line.incidents).toEqual([]);
    const next = await judged(line, { draftId: 'draft-9', attempt: 9, draftJson: trueDraft() });
    expect(next.status).toBe('PASSED');
  }
});
