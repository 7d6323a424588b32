import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, AnswerKind, AuditReader, AuditStore } from '../../src/audit/audit-store.js';
import { sha256 } from '../../src/contracts/digest.js';
import type { ToolInvocation } from '../../src/contracts/generated.js';

/** Storage of its own for one test; everything opened on it is closed by `dispose`, which also removes it. */
export interface AuditStorage {
  /** A store on the storage; also a second time, beside or after others. */
  openStore(): Promise<AuditStore>;
  openReader(): Promise<AuditReader>;
  dispose(): Promise<void>;
}

const NOON = Date.parse('2026-01-02T12:00:00Z');

/** An invocation as postprocess writes it, with the fields that a test is about. */
export function invocation(
  fields: Partial<ToolInvocation> & Pick<ToolInvocation, 'eventId'>,
): ToolInvocation {
  return {
    causedBy: 'c'.repeat(32),
    runId: 'run-1',
    occurredAt: NOON,
    station: 'postprocess',
    version: '1.0.0',
    kind: 'POSTPROCESS',
    toolCallId: 'call_x1',
    toolName: 'lookup_knowledge',
    draftId: null,
    outcome: 'HITS',
    code: null,
    query: '网关超时怎么排查',
    evidenceStatus: 'EVIDENCE_FOUND',
    relevanceLevel: 'PRECISE',
    topSimilarity: 0.875,
    isLowQuality: false,
    countIn: 7,
    countOut: 5,
    dropped: [{ evidenceKey: 'd#chunk-2', documentId: 'd', originalRank: null, reason: 'DOC_CAP' }],
    cuts: [{ code: 'EXCERPT_CUT', documentId: 'd#chunk-1' }],
    retrievalTraceJson: '{"mode":"hybrid"}',
    violationCodes: [],
    factsJson: '{}',
    measured: { startedAt: NOON + 5, finishedAt: NOON + 9 },
    ext: {},
    ...fields,
  };
}

export function answer(fields: Partial<Answer> = {}): Answer {
  return {
    runId: 'run-1',
    kind: 'LOOKUP',
    id: 'request-1',
    eventId: 'e'.repeat(32),
    occurredAt: NOON,
    value: Buffer.from([0, 127, 0, 0, 4, 255]),
    ...fields,
  };
}

const ids = (events: readonly ToolInvocation[]) => events.map(({ eventId }) => eventId);

/** What every AuditStore does. `make` gives new, empty storage. */
export function describeAuditStore(name: string, make: () => Promise<AuditStorage>): void {
  describe(`AuditStore: ${name}`, () => {
    let storage: AuditStorage;
    let store: AuditStore;

    beforeEach(async () => {
      storage = await make();
      store = await storage.openStore();
    });
    afterEach(() => storage.dispose());

    describe('invocations', () => {
      it('come back whole', async () => {
        const full = invocation({
          eventId: '1',
          draftId: 'draft-1',
          code: 'PL_X',
          ext: { someKey: 'v', a_b: '' },
        });
        const bare = invocation({
          eventId: '2',
          occurredAt: NOON + 1,
          causedBy: null,
          toolCallId: null,
          toolName: null,
          query: null,
          evidenceStatus: null,
          relevanceLevel: null,
          topSimilarity: null,
          isLowQuality: null,
          retrievalTraceJson: null,
          dropped: [],
          cuts: [],
        });
        await store.appendInvocations([full, bare]);
        const trail = await store.trail('run-1');
        expect(trail).toEqual({ invocations: [full, bare], answers: [], truncated: false });
      });

      it('of the same event are kept once, the first one, in one call or in several', async () => {
        const first = invocation({ eventId: '1', measured: { startedAt: NOON, finishedAt: NOON } });
        const repeat = invocation({ eventId: '1', measured: { startedAt: NOON + 7, finishedAt: NOON + 8 } });
        await store.appendInvocations([first, repeat]);
        await store.appendInvocations([repeat, invocation({ eventId: '2' })]);
        const { invocations } = await store.trail('run-1');
        expect(ids(invocations)).toEqual(['1', '2']);
        expect(invocations[0]).toEqual(first);
      });

      it('stand in order of event time, then start, then arrival', async () => {
        const at = (eventId: string, occurredAt: number, startedAt: number) =>
          invocation({ eventId, occurredAt, measured: { startedAt, finishedAt: startedAt } });
        await store.appendInvocations([at('late', NOON + 2, 1), at('z', NOON, 5), at('a', NOON, 5)]);
        await store.appendInvocations([at('early', NOON - 1, 9), at('b', NOON, 5), at('sooner', NOON, 4)]);
        const { invocations } = await store.trail('run-1');
        expect(ids(invocations)).toEqual(['early', 'sooner', 'z', 'a', 'b', 'late']);
      });

      it('are found under their own run only, whatever it is called', async () => {
        const runs = ['run-1', 'run-10', 'RUN-1', 'run_1', 'run%', '*'];
        await store.appendInvocations(runs.map((runId) => invocation({ eventId: runId, runId })));
        for (const runId of runs) expect(ids((await store.trail(runId)).invocations)).toEqual([runId]);
      });

      it('of a run that is not known are none', async () => {
        expect(await store.trail('nobody')).toEqual({ invocations: [], answers: [], truncated: false });
      });

      it('are read up to a limit, and it is said that there are more', async () => {
        await store.appendInvocations(['1', '2', '3'].map((eventId) => invocation({ eventId })));
        const cut = await store.trail('run-1', 2);
        expect([ids(cut.invocations), cut.truncated]).toEqual([['1', '2'], true]);
        expect((await store.trail('run-1', 3)).truncated).toBe(false);
        expect((await store.trail('run-1', 0)).invocations).toEqual([]);
        expect((await store.trail('run-1', -2)).invocations).toEqual([]);
      });

      it('may come in no number at all, and in large ones', async () => {
        await store.appendInvocations([]);
        const many = Array.from({ length: 3_000 }, (_, i) => invocation({ eventId: `e${i}` }));
        await store.appendInvocations(many);
        expect(ids((await store.trail('run-1')).invocations)).toEqual(ids(many));
      });

      it('come in from several calls at once without a loss', async () => {
        const batches = Array.from({ length: 40 }, (_, b) =>
          // Each batch repeats the last event of the one before it.
          Array.from({ length: 6 }, (_, i) => invocation({ eventId: `e${b * 5 + i}` })),
        );
        await Promise.all(batches.map((batch) => store.appendInvocations(batch)));
        const found = ids((await store.trail('run-1')).invocations);
        expect(new Set(found)).toEqual(new Set(Array.from({ length: 201 }, (_, i) => `e${i}`)));
        expect(found).toHaveLength(201);
      });
    });

    describe('hostile text', () => {
      const hostile: Record<string, string> = {
        'NUL characters': 'a\u0000b\u0000',
        'other control characters': '\u0001\u001f\u007f\u2028\ufeff\r\n',
        'quotes and backslashes': `'; DROP TABLE tool_invocation; -- "\\ud800 \\u0000 $1 ? @x`,
        'characters beyond the BMP': '👩‍👩‍👧 𠮷 网关',
      };
      it.each(Object.entries(hostile))('comes back as it was: %s', async (_name, text) => {
        const event = everyTextIs(text);
        await store.appendInvocations([event]);
        await store.keepAnswers([answer({ runId: text, id: text, eventId: text })]);
        const { invocations, answers } = await store.trail(text);
        expect(invocations).toEqual([event]);
        expect(answers).toEqual([await store.answer(text, 'LOOKUP', text)]);
      });

      it('of a million characters comes back as it was', async () => {
        const text = '网x'.repeat(500_000);
        const event = invocation({ eventId: '1', query: text, factsJson: JSON.stringify({ text }) });
        await store.appendInvocations([event]);
        const [found] = (await store.trail('run-1')).invocations;
        expect(found?.query === text && found.factsJson === event.factsJson).toBe(true);
      });

      it('with lone surrogates is made well-formed', async () => {
        const broken = 'x\ud800y\udc00z \\ud800';
        const whole = broken.toWellFormed();
        await store.appendInvocations([everyTextIs(broken)]);
        await store.keepAnswers([answer({ runId: broken, id: broken, eventId: broken })]);
        const { invocations, answers } = await store.trail(whole);
        expect(invocations).toEqual([everyTextIs(whole)]);
        expect(answers).toEqual([answer({ runId: whole, id: whole, eventId: whole })]);
      });

      it('as a key longer than any index holds is found by, and comes back, as it was', async () => {
        // What repeats itself would be compressed to little.
        const digits = Array.from({ length: 160 }, (_, i) => sha256(String(i))).join('');
        const longs = [digits, `${digits}0`, digits.replaceAll('1', '网'), digits.replaceAll('2', '\u0000')];
        for (const text of longs) {
          await store.appendInvocations([invocation({ eventId: text, runId: text })]);
          await store.keepAnswers([answer({ runId: text, id: text }), answer({ id: text })]);
          expect((await store.trail(text)).invocations.map(({ eventId }) => eventId)).toEqual([text]);
          expect((await store.answer(text, 'LOOKUP', text))?.runId).toBe(text);
          expect((await store.answer('run-1', 'LOOKUP', text))?.id).toBe(text);
        }
        const runs = (await store.recentRuns(10)).map(({ runId }) => runId);
        expect(runs.sort()).toEqual(longs.sort());
      });

      it('as a name in ext is data and nothing else', async () => {
        const ext = JSON.parse(
          '{"__proto__":"a","constructor":"b","snake_case":"c","camelCase":"d","":"e"}',
        ) as object;
        const event = invocation({ eventId: '1', ext: { ...ext } });
        await store.appendInvocations([event]);
        const [found] = (await store.trail('run-1')).invocations;
        expect(Object.entries(found?.ext ?? {})).toEqual(Object.entries(ext));
      });

      it('of any kind comes back as it was, and so does any number', async () => {
        let run = 0;
        await fc.assert(
          fc.asyncProperty(fc.string({ unit: 'binary' }), anyInstant, anyInstant, async (text, at, start) => {
            const runId = `run-${++run}`;
            const event = {
              ...everyTextIs(text),
              eventId: runId,
              runId,
              occurredAt: at,
              measured: { startedAt: start, finishedAt: start },
            };
            await store.appendInvocations([event]);
            expect((await store.trail(runId)).invocations).toEqual([event]);
          }),
        );
      });
    });

    describe('answers', () => {
      it('are found by run, kind and id, byte for byte', async () => {
        const kinds: AnswerKind[] = ['LOOKUP', 'VERDICT', 'REVIEWED', 'REPAIR', 'OUTCOME'];
        const all = kinds.map((kind, i) => answer({ kind, id: 'same', value: Buffer.from([i, 0, 255]) }));
        await store.keepAnswers([...all, answer({ runId: 'run-2', id: 'same', value: Buffer.alloc(0) })]);
        for (const kept of all) expect(await store.answer('run-1', kept.kind, 'same')).toEqual(kept);
        expect((await store.answer('run-2', 'LOOKUP', 'same'))?.value).toEqual(Buffer.alloc(0));
      });

      it('that are not there are null', async () => {
        await store.keepAnswers([answer({ id: 'known' })]);
        expect(await store.answer('run-1', 'LOOKUP', 'unknown')).toBeNull();
        expect(await store.answer('run-1', 'VERDICT', 'known')).toBeNull();
        expect(await store.answer('run-2', 'LOOKUP', 'known')).toBeNull();
      });

      it('of the same run, kind and id are kept once: the first one, also when a later event is older', async () => {
        const first = answer({ eventId: 'first', value: Buffer.from('first') });
        const second = answer({ eventId: 'second', occurredAt: NOON - 1, value: Buffer.from('second') });
        await store.keepAnswers([first, second]);
        await store.keepAnswers([second]);
        expect(await store.answer('run-1', 'LOOKUP', 'request-1')).toEqual(first);
        expect((await store.trail('run-1')).answers).toEqual([first]);
      });

      it('stand in the trail in order of event time, then arrival, up to the limit', async () => {
        const at = (id: string, occurredAt: number) => answer({ id, occurredAt });
        await store.keepAnswers([at('z', NOON), at('late', NOON + 1), at('a', NOON)]);
        await store.keepAnswers([at('early', NOON - 1)]);
        const order = async (limit?: number) =>
          (await store.trail('run-1', limit)).answers.map(({ id }) => id);
        expect(await order()).toEqual(['early', 'z', 'a', 'late']);
        expect(await order(2)).toEqual(['early', 'z']);
        expect((await store.trail('run-1', 2)).truncated).toBe(true);
      });

      it('may be as large as a record can be', async () => {
        const value = Buffer.alloc(4 * 1024 * 1024, 0xa5);
        await store.keepAnswers([answer({ value })]);
        expect((await store.answer('run-1', 'LOOKUP', 'request-1'))?.value.equals(value)).toBe(true);
      });
    });

    describe('recent runs', () => {
      const seen = (runId: string, ...instants: number[]) =>
        instants.map((occurredAt) => invocation({ eventId: `${runId} ${occurredAt}`, runId, occurredAt }));

      it('are those with the latest invocations, latest first, then by name', async () => {
        await store.appendInvocations([
          ...seen('old', NOON),
          ...seen('long', NOON - 9, NOON + 3, NOON + 1),
          ...seen('b', NOON + 2),
          ...seen('B', NOON + 2),
          ...seen('a', NOON + 2),
        ]);
        const all = [
          { runId: 'long', firstAt: NOON - 9, lastAt: NOON + 3 },
          { runId: 'B', firstAt: NOON + 2, lastAt: NOON + 2 },
          { runId: 'a', firstAt: NOON + 2, lastAt: NOON + 2 },
          { runId: 'b', firstAt: NOON + 2, lastAt: NOON + 2 },
          { runId: 'old', firstAt: NOON, lastAt: NOON },
        ];
        expect(await store.recentRuns(10)).toEqual(all);
        expect(await store.recentRuns(2)).toEqual(all.slice(0, 2));
        expect(await store.recentRuns(0)).toEqual([]);
      });

      it('are none in the beginning', async () => {
        expect(await store.recentRuns(10)).toEqual([]);
      });
    });

    describe('retention', () => {
      it('deletes what occurred before the instant, and says how much that was', async () => {
        const at = (occurredAt: number) => invocation({ eventId: String(occurredAt), occurredAt });
        await store.appendInvocations([at(NOON - 1), at(NOON), at(NOON + 1)]);
        await store.keepAnswers([answer({ id: 'old', occurredAt: NOON - 1 }), answer({ id: 'new' })]);
        expect(await store.deleteBefore(NOON)).toBe(2);
        const { invocations, answers } = await store.trail('run-1');
        expect(ids(invocations)).toEqual([String(NOON), String(NOON + 1)]);
        expect(answers.map(({ id }) => id)).toEqual(['new']);
        expect(await store.deleteBefore(NOON)).toBe(0);
      });

      it('deletes many at once, while others are added', async () => {
        const old = Array.from({ length: 2_500 }, (_, i) =>
          invocation({ eventId: `o${i}`, occurredAt: NOON - 1 }),
        );
        await store.appendInvocations(old);
        const deleting = store.deleteBefore(NOON);
        await store.appendInvocations([invocation({ eventId: 'new' })]);
        expect(await deleting).toBe(2_500);
        expect(ids((await store.trail('run-1')).invocations)).toEqual(['new']);
      });

      it('counts before, tells how far it came, and ends where it is stopped', async () => {
        const old = Array.from({ length: 2_500 }, (_, i) =>
          invocation({ eventId: `o${i}`, occurredAt: NOON - 1 }),
        );
        await store.appendInvocations([...old, invocation({ eventId: 'new' })]);
        await store.keepAnswers([answer({ occurredAt: NOON - 1 })]);
        expect(await store.countBefore(NOON)).toBe(2_501);
        const stopping = new AbortController();
        const told: number[] = [];
        const onProgress = (deleted: number): void => {
          told.push(deleted);
          stopping.abort(new Error('stopped'));
        };
        await expect(store.deleteBefore(NOON, { onProgress, signal: stopping.signal })).rejects.toThrow(
          'stopped',
        );
        expect(await store.countBefore(NOON)).toBe(2_501 - told[0]!);
        expect(told).toHaveLength(1);
        expect(await store.deleteBefore(NOON, { onProgress })).toBe(2_501 - told[0]!);
        expect(told.at(-1)).toBe(2_501 - told[0]!);
        expect(await store.countBefore(NOON)).toBe(0);
        expect(ids((await store.trail('run-1')).invocations)).toEqual(['new']);
      });

      it('keeps the order of arrival for what comes after it', async () => {
        await store.appendInvocations(
          ['3', '2'].map((eventId) => invocation({ eventId, occurredAt: NOON - 1 })),
        );
        await store.deleteBefore(NOON);
        await store.appendInvocations([invocation({ eventId: '1' }), invocation({ eventId: '0' })]);
        expect(ids((await store.trail('run-1')).invocations)).toEqual(['1', '0']);
      });
    });

    describe('how much there is', () => {
      it('is nothing in the beginning', async () => {
        const none = { rows: 0, oldestAt: null, newestAt: null };
        expect(await store.stats()).toMatchObject({ invocations: none, answers: none });
      });

      it('is rows, from when to when, and bytes', async () => {
        const before = (await store.stats()).bytes;
        await store.appendInvocations([
          invocation({ eventId: '1', occurredAt: NOON + 5, factsJson: JSON.stringify(bulk()) }),
          invocation({ eventId: '2', occurredAt: Number.MIN_SAFE_INTEGER }),
        ]);
        await store.keepAnswers([answer(), answer({ id: '2', occurredAt: Number.MAX_SAFE_INTEGER })]);
        const { invocations, answers, bytes } = await store.stats();
        expect(invocations).toEqual({ rows: 2, oldestAt: Number.MIN_SAFE_INTEGER, newestAt: NOON + 5 });
        expect(answers).toEqual({ rows: 2, oldestAt: NOON, newestAt: Number.MAX_SAFE_INTEGER });
        expect(bytes).toBeGreaterThan(before);
      });
    });

    describe('beside and after others', () => {
      it('a reader sees what was acknowledged, at once and without waiting for the writer', async () => {
        const reader = await storage.openReader();
        for (let i = 0; i < 20; i++) {
          await store.appendInvocations([invocation({ eventId: `e${i}` })]);
          await store.keepAnswers([answer({ id: `a${i}` })]);
          expect((await reader.trail('run-1')).invocations).toHaveLength(i + 1);
          expect(await reader.answer('run-1', 'LOOKUP', `a${i}`)).not.toBeNull();
          expect(await reader.recentRuns(1)).toHaveLength(1);
        }
      });

      it('what was acknowledged is there after a writer that never closed', async () => {
        await store.appendInvocations([invocation({ eventId: '1' })]);
        await store.keepAnswers([answer()]);
        const next = await storage.openStore();
        await next.appendInvocations([invocation({ eventId: '1' }), invocation({ eventId: '2' })]);
        expect(ids((await next.trail('run-1')).invocations)).toEqual(['1', '2']);
        expect(await next.answer('run-1', 'LOOKUP', 'request-1')).toEqual(answer());
      });

      it('what was kept is there after closing and opening again', async () => {
        await store.appendInvocations([invocation({ eventId: '1' })]);
        await store.close();
        const next = await storage.openStore();
        expect(ids((await next.trail('run-1')).invocations)).toEqual(['1']);
      });

      it('closing twice does nothing, and a closed store answers PL_AUDIT_DOWN', async () => {
        await store.close();
        await store.close();
        const down = { code: 'PL_AUDIT_DOWN' };
        await expect(store.trail('run-1')).rejects.toMatchObject(down);
        await expect(store.answer('run-1', 'LOOKUP', 'x')).rejects.toMatchObject(down);
        await expect(store.recentRuns(1)).rejects.toMatchObject(down);
        await expect(store.stats()).rejects.toMatchObject(down);
        await expect(store.countBefore(0)).rejects.toMatchObject(down);
        await expect(store.appendInvocations([invocation({ eventId: '1' })])).rejects.toMatchObject(down);
        await expect(store.keepAnswers([answer()])).rejects.toMatchObject(down);
        await expect(store.deleteBefore(0)).rejects.toMatchObject(down);
      });
    });
  });
}

/** Numbers that do not compress to little. */
const bulk = (): number[] => Array.from({ length: 50_000 }, (_, i) => (i * 7_919) % 104_729);

/** Event times come from producers: any whole number that Avro carries into JavaScript. */
const anyInstant = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: 0, max: 4_102_444_800_000 }));

function everyTextIs(text: string): ToolInvocation {
  return invocation({
    eventId: text,
    causedBy: text,
    runId: text,
    station: text,
    version: text,
    kind: text,
    toolCallId: text,
    toolName: text,
    draftId: text,
    outcome: text,
    code: text,
    query: text,
    dropped: [{ evidenceKey: text, documentId: text, originalRank: 3, reason: text }],
    cuts: [{ code: text, documentId: text }],
    retrievalTraceJson: text,
    violationCodes: [text],
    factsJson: text,
    ext: { [`k${text}`]: text },
  });
}
