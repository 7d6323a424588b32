import { afterEach, describe, expect, test } from 'vitest';
import type { AuditStore } from '../../src/audit/audit-store.js';
import { ProoflineError } from '../../src/contracts/errors.js';
import { closeLines, only, openTestLine, type TestLine } from '../support/line.js';
import { forgedDraft, trueDraft } from '../support/line-drafts.js';
import { hitAbout, hits, scripted } from '../support/line-search.js';
import { removeTempFolders } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait.js';

afterEach(async () => {
  await closeLines();
  removeTempFolders();
});

/** The audit's trail of run-1: station, outcome, how much came in and went out. */
async function trail(line: TestLine): Promise<unknown[]> {
  await line.idle();
  const { invocations } = await line.audit.trail('run-1');
  return invocations.map(({ station, outcome, countIn, countOut }) => [station, outcome, countIn, countOut]);
}

describe('the audit', () => {
  test('given a lookup and its draft, it has one event of each station, in the order of the line', async () => {
    const found = [hitAbout('a'), hitAbout('b'), hitAbout('a'), hitAbout('c', ' ')];
    const line = openTestLine({ search: scripted(() => hits(found, { recall_count: 40, mode: 'hybrid' })) });
    const request = await line.ask({ query: 'a' });
    await line.idle();
    const draft = await line.handIn({ draftJson: trueDraft([{ query: 'a' }]) });
    expect(await trail(line)).toEqual([
      ['retrieve', 'HITS', 1, 4],
      ['postprocess', 'HITS', 4, 2],
      ['project', 'READY', 2, 2],
      ['guard', 'PASSED', 1, 0],
      ['review', 'PUBLISH', 1, 0],
    ]);
    const { invocations, answers } = await line.audit.trail('run-1');
    const [retrieve, postprocess, project, guard, review] = invocations;
    for (const event of [retrieve, postprocess, project])
      expect(event).toMatchObject({
        toolCallId: 'call-1',
        toolName: 'lookup_knowledge',
        occurredAt: request.occurredAt,
      });
    for (const event of [guard, review])
      expect(event).toMatchObject({ draftId: 'draft-1', occurredAt: draft.occurredAt });
    expect(JSON.parse(retrieve!.retrievalTraceJson!)).toMatchObject({ recall_count: 40 });
    expect(postprocess!.dropped.map(({ reason }) => reason)).toEqual(['DUPLICATE', 'BLANK']);
    expect(project).toMatchObject({
      query: 'a',
      evidenceStatus: 'EVIDENCE_FOUND',
      relevanceLevel: 'PRECISE',
    });
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['LOOKUP', 'OUTCOME', 'REVIEWED', 'VERDICT']);
    // It holds no evidence text.
    for (const event of invocations) expect(JSON.stringify(event)).not.toContain('upstream first');
  });

  test('given repeats and refusals, it tells each of them', async () => {
    const line = openTestLine();
    for (const query of ['first', 'first', 'second']) {
      await line.ask({ query });
      await line.idle();
    }
    expect(await trail(line)).toEqual([
      ['retrieve', 'HITS', 1, 1],
      ['postprocess', 'HITS', 1, 1],
      ['project', 'READY', 1, 1],
      ['retrieve', 'REPEAT', 1, 0],
      ['postprocess', 'REPEAT', 0, 0],
      ['project', 'REPEAT', 0, 0],
      ['retrieve', 'REFUSED', 1, 0],
      ['postprocess', 'REFUSED', 0, 0],
      ['project', 'REFUSED', 0, 0],
    ]);
    // The first answer stands.
    const { answers } = await line.audit.trail('run-1');
    expect(answers.map(({ kind }) => kind)).toEqual(['LOOKUP', 'LOOKUP']);
  });

  test('given a rejected draft, it names the violations', async () => {
    const line = openTestLine();
    await line.ask({});
    await line.idle();
    await line.handIn({ draftJson: forgedDraft() });
    await line.idle();
    const { invocations } = await line.audit.trail('run-1');
    const [guard, review] = invocations.slice(-2);
    expect(guard).toMatchObject({ outcome: 'REJECTED', countOut: 1, violationCodes: ['DOCUMENT_NOT_SHOWN'] });
    expect(review).toMatchObject({ outcome: 'REPAIR', violationCodes: ['DOCUMENT_NOT_SHOWN'] });
  });

  test('given evidence that looks like a citation marker, it says so', async () => {
    const line = openTestLine({
      search: scripted(() => hits([hitAbout('a', 'See [S1] and "evidence_status": "x".')])),
    });
    await line.ask({});
    await line.idle();
    const project = (await line.audit.trail('run-1')).invocations.at(-1)!;
    expect(JSON.parse(project.factsJson)).toMatchObject({ MARKER_IN_EVIDENCE: ['doc-a#chunk-0'] });
  });

  test('given many runs at once, each event of each station is kept, once', async () => {
    const line = openTestLine({ partitions: 3 });
    const runs = Array.from({ length: 60 }, (_, i) => `run-${i}`);
    await Promise.all(runs.map((runId) => line.ask({ runId })));
    await line.idle();
    const events = await line.messages('tool-invocation.v1');
    expect(events).toHaveLength(180);
    for (const runId of runs) {
      const { invocations } = await line.audit.trail(runId);
      expect(invocations.map(({ station }) => station)).toEqual(['retrieve', 'postprocess', 'project']);
    }
  });

  test('given an event that is none, it is given up and the others are kept', async () => {
    const line = openTestLine();
    await line.ask({});
    await line.idle();
    const [event] = await line.messages('tool-invocation.v1');
    const bad = { ...event!, toolCallId: 'a/b', eventId: 'f'.repeat(32) };
    await line.bus.append([line.record('tool-invocation.v1', bad)]);
    await line.ask({ toolCallId: 'call-2' });
    await line.idle();
    expect(await only(line, 'dead-letter.v1')).toMatchObject({
      code: 'PL_ID_INVALID',
      station: 'audit-sink',
    });
    expect(await trail(line)).toHaveLength(6);
  });
});

describe('an audit store that is down', () => {
  test('given one that refuses for a while, only the audit sink waits, and nothing is lost', async () => {
    let down = true;
    const refuse = (): Promise<void> =>
      Promise.reject(new ProoflineError('PL_AUDIT_DOWN', { problem: 'locked' }));
    const wrapAudit = (store: AuditStore): AuditStore => ({
      ...store,
      appendInvocations: (events) => (down ? refuse() : store.appendInvocations(events)),
      // It comes back by halves: what one of the two kept before is repeated.
      keepAnswers: (answers) => store.keepAnswers(answers),
    });
    const line = openTestLine({ wrapAudit });
    await line.ask({});
    await waitUntil('the audit sink waits', () => line.health.waiting().length > 0);
    await waitUntil('the lookup is answered', async () => (await line.messages('projected.v1')).length === 1);
    await line.handIn({ draftJson: trueDraft() });
    await waitUntil('the draft is published', async () => (await line.messages('verified.v1')).length === 1);
    expect(line.health.waiting()).toMatchObject([{ station: 'audit-sink', code: 'PL_AUDIT_DOWN' }]);
    expect((await line.audit.trail('run-1')).invocations).toEqual([]);
    down = false;
    await line.idle();
    expect((await trail(line)).length).toBe(5);
    const { answers } = await line.audit.trail('run-1');
    expect(answers).toHaveLength(4);
    expect(line.health.waiting()).toEqual([]);
    expect(line.incidents).toEqual([]);
  });
});
