import { expect } from 'vitest';
import type { LedgerView } from '../../src/ledger/ledger-view.js';
import { freshDump, openRedisView, type RedisView } from './ledger-redis.js';
import { openTestLine, type TestLine } from './line.js';
import { trueDraft } from './line-drafts.js';
import { waitUntil } from './wait.js';

/** The embedded line over a ledger view in Redis, with agents that ask and hand in true drafts at once. */
export interface RedisLine extends RedisView {
  readonly line: TestLine;
  /** How many verdicts there are. */
  judged(): number;
  /** Resolves when so many more lookups have come to their verdict. */
  more(count: number): Promise<void>;
  /**
   * Lets the agents end, and looks at what became of it all: every draft was judged, none was accused, and the view is
   * what one is that nothing ever happened to.
   */
  expectNothingLost(): Promise<void>;
}

/** How many lookups are on their way at a time. */
const AT_ONCE = 12;
const JUDGED_MS = 40_000;

export function openRedisLine(url: string): RedisLine {
  let real: LedgerView | null = null;
  const line = openTestLine({ stations: [], wrapLedger: () => late(() => real!), guard: { catchUpMs: 300 } });
  const station = openRedisView(line.bus, url);
  real = station.view;
  station.start();
  line.start('retrieve', 'postprocess', 'project', 'guard');

  let asked = 0;
  let verdicts = 0;
  let stopping = false;
  /** A call, since it changes while others run, which the type checker does not see. */
  const isStopping = (): boolean => stopping;
  const failures: unknown[] = [];
  const agents = line.bus.follow(['projected.v1', 'verdict.v1'], (records) => {
    for (const { topic, value } of records) {
      if (topic === 'verdict.v1') verdicts += 1;
      else submit(line, value!).catch((error: unknown) => failures.push(error));
    }
  });
  const asking = (async () => {
    while (!isStopping()) {
      const i = asked++;
      await line.ask({ runId: `run-${i}`, toolCallId: `call-${i % 40}`, query: `question ${i}` });
      await waitUntil('some are done', () => isStopping() || asked - verdicts < AT_ONCE, JUDGED_MS);
    }
  })();
  asking.catch(() => undefined);

  const judged = (): number => verdicts;
  return {
    ...station,
    line,
    judged,
    async more(count) {
      const until = verdicts + count;
      await waitUntil(`${count} more verdicts`, () => verdicts >= until, JUDGED_MS);
    },
    async expectNothingLost() {
      stopping = true;
      await asking;
      await waitUntil('every draft is judged', () => verdicts === asked, JUDGED_MS);
      await waitUntil('the view has caught up', () => station.caughtUp());
      await agents.stop();
      const all = await line.messages('verdict.v1');
      expect(all.filter(({ status }) => status !== 'PASSED').map(({ violations }) => violations)).toEqual([]);
      expect(new Set(all.map(({ runId }) => runId)).size).toBe(asked);
      expect(failures).toEqual([]);
      expect(await line.messages('dead-letter.v1')).toEqual([]);
      expect(await station.dump()).toEqual(await freshDump(line.bus, url));
      for (const call of ['call-0', 'call-7'])
        expect(await station.view.foreignRun(call, 'run-x')).not.toBeNull();
      expect(station.incidents.filter(({ code }) => code === 'PL_LEDGER_TAKEN_BACK')).toEqual([]);
    },
    async close() {
      stopping = true;
      await asking.catch(() => undefined);
      await agents.stop();
      await station.stop();
      await line.close();
      await station.close();
    },
  };
}

/** The agent hands its draft in as soon as it sees the projection. */
async function submit(line: TestLine, value: Buffer): Promise<void> {
  const { runId, toolCallId } = line.codec.decode('projected.v1', value);
  const query = `question ${runId.slice('run-'.length)}`;
  await line.handIn({ runId, draftId: 'draft-1', draftJson: trueDraft([{ toolCallId, query }]) });
}

/** A view that is only there later. */
function late(view: () => LedgerView): LedgerView {
  return {
    position: (...args) => view().position(...args),
    open: (...args) => view().open(...args),
    apply: (...args) => view().apply(...args),
    rebuild: (...args) => view().rebuild(...args),
    read: (...args) => view().read(...args),
    foreignRun: (...args) => view().foreignRun(...args),
    expiredBefore: (...args) => view().expiredBefore(...args),
    whenPast: (...args) => view().whenPast(...args),
  };
}
