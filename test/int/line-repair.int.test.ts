import { afterEach, describe, expect, test } from 'vitest';
import { partitionOf } from '../../src/contracts/partition.js';
import { recordBytes } from '../../src/bus/record-size.js';
import { topics } from '../../src/contracts/topics.js';
import type { GuardVerdict, ReviewDecision } from '../../src/contracts/generated.js';
import { reviewDecision } from '../../producers/decisions.js';
import { decideHeld } from '../../src/line/decide-held.js';
import { closeLines, only, openTestLine, type TestLine } from '../support/line.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { draftOf } from '../support/review-rules.js';
import { verdict } from '../support/review-verdicts.js';
import { refusal } from '../support/refusal.js';
import { waitUntil } from '../support/wait.js';
import { removeTempFolders, tempFolder } from '../support/temp-folder.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

async function answeredLine(options: Parameters<typeof openTestLine>[0] = {}): Promise<TestLine> {
  const line = openTestLine(options);
  await line.ask({});
  await line.idle();
  return line;
}

async function handIn(line: TestLine, ...drafts: Parameters<TestLine['handIn']>[0][]): Promise<void> {
  for (const draft of drafts) {
    await line.handIn(draft);
    await line.idle();
  }
}

const first = { draftId: 'draft-1', attempt: 1, draftJson: trueDraft() };
const forged = (attempt: number) => ({ draftId: `draft-${attempt}`, attempt, draftJson: forgedDraft() });

/** Publishes a person's decision about the held draft. */
async function decide(
  line: TestLine,
  decision: ReviewDecision['decision'],
  other: Partial<ReviewDecision> = {},
): Promise<void> {
  const [{ draftId, eventId } = verdict()] = await line.messages('verdict.v1');
  const about = { runId: 'run-1', draftId, verdictEventId: eventId };
  const made = reviewDecision({ ...about, decision, by: 'alice', reason: 'I looked at it.' }, Date.now());
  await line.bus.append([line.record('review-decision.v1', { ...made, ...other })]);
  await line.idle();
}

const decided = async (line: TestLine) =>
  (await line.messages('reviewed.v1')).map(({ decision, decidedBy }) => [decision, decidedBy]);

describe('a forged draft on the line', () => {
  test('is asked for again with what was really shown, and after three of them the run falls back', async () => {
    const line = await answeredLine();
    await handIn(line, forged(1), forged(2), forged(3));
    expect((await decided(line)).map(([decision]) => decision)).toEqual(['REPAIR', 'REPAIR', 'FALLBACK']);
    const [repair] = await line.messages('repair-requested.v1');
    const [judged] = await line.messages('verdict.v1');
    expect(repair).toMatchObject({
      causedBy: judged!.eventId,
      draftId: 'draft-1',
      attemptsLeft: 2,
      more: 0,
      findings: [{ source: 'GUARD', code: 'DOCUMENT_NOT_SHOWN', path: '/analysis/0/document_ids/0' }],
    });
    const { documentId, title } = judged!.shown[0]!.items[0]!;
    expect(repair!.promptEn).toContain(JSON.stringify(documentId));
    if (title !== null) expect(repair!.promptEn).toContain(JSON.stringify(title));
    // Ids and titles, and no word of any excerpt.
    const view = (await line.messages('projected.v1'))[0]!.agentView!;
    const { evidence } = JSON.parse(view) as { evidence: { excerpt: string }[] };
    expect(evidence.length).toBeGreaterThan(0);
    for (const { excerpt } of evidence) expect(repair!.promptEn).not.toContain(excerpt);
    expect(await only(line, 'verified.v1')).toMatchObject({
      outcome: 'FALLBACK',
      fallback: { reason: 'ATTEMPTS' },
    });
  });

  test('given a run that its agent gives up, the fallback says so', async () => {
    const line = await answeredLine();
    await handIn(line, { ...first, draftJson: null });
    expect((await only(line, 'verified.v1')).fallback).toMatchObject({ reason: 'AGENT' });
  });

  test('given a review that starts anew between the drafts, attempts are counted on', async () => {
    const folder = tempFolder();
    for (const attempt of [1, 2, 3]) {
      const line = attempt === 1 ? await answeredLine({ folder }) : openTestLine({ folder });
      await handIn(line, forged(attempt));
      if (attempt < 3) await line.close();
      else expect((await decided(line)).map(([each]) => each)).toEqual(['REPAIR', 'REPAIR', 'FALLBACK']);
    }
  });
});

describe('a held draft on the line', () => {
  const sampled = { review: { sample: 1 } };

  test('is in the state of its run, whole, and published once a person approves it', async () => {
    const line = await answeredLine(sampled);
    await handIn(line, first);
    const judged = await only(line, 'verdict.v1');
    expect((await only(line, 'run-outcome.v1')).held).toMatchObject({ verdict: judged, code: 'PL_SAMPLED' });
    await decide(line, 'APPROVE');
    expect(await decided(line)).toEqual([
      ['HOLD', 'RULES'],
      ['PUBLISH', 'PERSON'],
    ]);
    expect(await only(line, 'verified.v1')).toMatchObject({
      outcome: 'VERIFIED',
      lookups: judged.lookups,
      decidedBy: 'PERSON',
      person: { by: 'alice', reason: 'I looked at it.' },
    });
  });

  test('given that review starts anew before the decision, and the decision comes twice, it counts once', async () => {
    const folder = tempFolder();
    const before = await answeredLine({ folder, ...sampled });
    await handIn(before, first);
    await before.close();
    const line = openTestLine({ folder, ...sampled });
    await decide(line, 'REJECT');
    await decide(line, 'APPROVE');
    expect(await decided(line)).toEqual([
      ['HOLD', 'RULES'],
      ['REPAIR', 'PERSON'],
    ]);
    expect((await only(line, 'repair-requested.v1')).promptEn).toContain('"I looked at it."');
    expect(await line.messages('verified.v1')).toEqual([]);
  });

  test('given a decision with another event id, or of nobody: dead letters, and the draft stays held', async () => {
    const line = await answeredLine(sampled);
    await handIn(line, first);
    await decide(line, 'APPROVE', { eventId: 'f'.repeat(32) });
    await decide(line, 'APPROVE', { by: ' ' });
    const letters = await line.messages('dead-letter.v1');
    expect(letters.map(({ station, code }) => [station, code])).toEqual([
      ['review', 'PL_EVENT_ID'],
      ['review', 'PL_INVARIANT'],
    ]);
    expect(await decided(line)).toEqual([['HOLD', 'RULES']]);
    await decide(line, 'APPROVE');
    expect(await only(line, 'verified.v1')).toMatchObject({ decidedBy: 'PERSON' });
  });

  test('given two people who decide at once: the first counts, and both learn what came of it', async () => {
    const line = await answeredLine(sampled);
    await handIn(line, first);
    await line.stop('review');
    const about = { runId: 'run-1', draftId: 'draft-1', reason: 'I looked at it.' };
    const answers = Promise.all([
      decideHeld(line, { ...about, decision: 'APPROVE', by: 'alice' }, 20_000),
      decideHeld(line, { ...about, decision: 'REJECT', by: 'an operator' }, 20_000),
    ]);
    await waitUntil(
      'both are handed in',
      async () => (await line.messages('review-decision.v1')).length === 2,
    );
    line.start('review');
    const [one, other] = await answers;
    expect(one.reviewed).toEqual(other.reviewed);
    expect([one.counted, other.counted].toSorted()).toEqual([false, true]);
    expect(await line.messages('reviewed.v1')).toHaveLength(2);
  });

  test('given a review that does not run, whoever decides is told so, and the decision still counts', async () => {
    const line = await answeredLine(sampled);
    await handIn(line, first);
    await line.stop('review');
    const about = { runId: 'run-1', draftId: 'draft-1', by: 'alice', reason: 'I looked at it.' };
    await expect(decideHeld(line, { ...about, decision: 'APPROVE' }, 200)).rejects.toThrow(
      refusal('PL_TIMEOUT'),
    );
    line.start('review');
    await line.idle();
    expect(await only(line, 'verified.v1')).toMatchObject({ decidedBy: 'PERSON' });
  });

  test('given one about a run that nobody knows, nothing follows', async () => {
    const line = await answeredLine(sampled);
    await decide(line, 'APPROVE');
    expect(await line.messages('reviewed.v1')).toEqual([]);
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    const [note] = (await line.audit.trail('run-1')).invocations.filter(({ kind }) => kind === 'DECISION');
    expect(note).toMatchObject({ outcome: 'REFUSED' });
  });
});

describe('records that would be too large', () => {
  /** A verdict whose own record is as large as its topic takes, but for so many bytes. */
  function nearLimit(line: TestLine, spare: number, other: Partial<GuardVerdict> = {}) {
    const sized = (chars: number) =>
      verdict({ draft: draftOf([], { limitations: ['x'.repeat(chars)] }), ...other });
    const recordOf = (chars: number) => line.record('verdict.v1', sized(chars));
    const free = topics['verdict.v1'].maxBytes - recordBytes(recordOf(1_000_000));
    return recordOf(1_000_000 + free - spare);
  }

  test('given a draft that can be judged and not kept: it is held all the same, and can be rejected', async () => {
    const line = openTestLine({ review: { sample: 1 } });
    await line.bus.append([nearLimit(line, 20)]);
    await line.idle();
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    expect(await only(line, 'reviewed.v1')).toMatchObject({ decision: 'HOLD', code: 'PL_VERDICT_TOO_LARGE' });
    const { held } = await only(line, 'run-outcome.v1');
    expect(held).toMatchObject({ code: 'PL_VERDICT_TOO_LARGE', verdict: { draft: null } });
    await decide(line, 'APPROVE');
    await decide(line, 'REJECT');
    expect(await decided(line)).toEqual([
      ['HOLD', 'RULES'],
      ['REPAIR', 'PERSON'],
    ]);
  });

  test('given what is held beside it, a late draft still ends', async () => {
    const line = openTestLine({ review: { sample: 1 } });
    const partition = partitionOf('run-1', line.bus.partitions);
    await line.bus.append([nearLimit(line, 450, { attempt: 2 })]);
    await line.idle();
    const [state] = await line.bus.read('run-outcome.v1', partition, 0, 1);
    expect(topics['run-outcome.v1'].maxBytes - recordBytes({ ...state!, key: state!.key! })).toBeLessThan(
      300,
    );
    const late = Array.from({ length: 4 }, (_, i) =>
      line.record('verdict.v1', verdict({ draftId: `late-${i}`, attempt: 1 })),
    );
    await line.bus.append(late);
    await line.idle();
    expect(await line.messages('dead-letter.v1')).toEqual([]);
    expect((await decided(line)).map(([each]) => each)).toEqual(['HOLD', 'STALE', 'STALE', 'STALE', 'STALE']);
  });
});
