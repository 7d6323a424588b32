import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Lane } from '../bus/bus.js';
import { ProoflineError } from '../contracts/errors.js';
import type { LedgerRebuild, LedgerRecord, LedgerView, OpenedPartition } from './ledger-view.js';

/** What the lane of a partition applies its records to: the view, or a rebuild until it takes the view's place. */
export interface ViewTarget {
  /** Where to read on. */
  position(): number;
  rebuilding(): boolean;
  /**
   * Applies the records, which lie from the position up to `to`; answers with how many would have taken an entry back.
   * Without records it finds out whether the view is still what it was.
   * @throws ProoflineError PL_LEDGER_BEHIND when it is not: then it has to be opened again.
   */
  apply(to: number, records: readonly LedgerRecord[]): Promise<number>;
  /** @throws ProoflineError PL_LEDGER_BEHIND when the log is not the one that the view was read from. */
  check(): Promise<void>;
  /** Moves the group's offset to the position, after that check: it tells the log once more that it is the view's. */
  commit(): Promise<void>;
  /** True where view and log lie in one store: they cannot part. */
  readonly oneStore: boolean;
}

export interface TargetOptions {
  readonly bus: Bus;
  readonly lane: Lane;
  readonly view: LedgerView;
  readonly group: string;
}

const TOPIC = 'ledger.v1';
/** A broker answers a commit a little before it shows the mark. */
const SHOWN_MS = 3000;
const LOOK_MS = 50;

/**
 * Goes on with the view where it may be believed, else begins it anew. The view's source is committed as the mark of
 * the group's offset: the broker deletes it with the log, so that a log that was made anew has none, or another's.
 */
export async function openViewTarget(options: TargetOptions): Promise<ViewTarget> {
  const { view, lane } = options;
  const opened = await view.open(lane.partition);
  if (opened !== null && (await isOfThisLog(options, opened)))
    return createTarget(options, { ...opened, rebuild: null, barrier: -1 });
  return rebuildTarget(options);
}

/** The mark of the log says so, and it does not end before the view. */
async function isOfThisLog(options: TargetOptions, { position, source }: OpenedPartition): Promise<boolean> {
  const { bus, lane } = options;
  const { end } = await bus.bounds(TOPIC, lane.partition);
  return position <= end && (source === null || source === (await markOf(options)));
}

function markOf({ bus, lane, group }: TargetOptions): Promise<string | null> {
  return bus.mark(group, TOPIC, lane.partition);
}

async function rebuildTarget(options: TargetOptions): Promise<ViewTarget> {
  const { view, lane } = options;
  const mark = randomUUID();
  // Before anything is read, so that a log that takes the place of this one meanwhile lacks it; and before the view is
  // touched, which a lane that has a successor may no longer do.
  await lane.step({ records: [], next: { [TOPIC]: 0 }, mark });
  const rebuild = await view.rebuild(lane.partition, mark);
  const barrier = await lane.barrier(TOPIC);
  const target = createTarget(options, { position: 0, source: rebuild.source, rebuild, barrier });
  // Nothing may ever come into an empty log.
  await target.apply(0, []);
  return target;
}

interface Beginning {
  readonly position: number;
  readonly source: string | null;
  readonly rebuild: LedgerRebuild | null;
  /** The rebuild is finished once the position is greater. */
  readonly barrier: number;
}

function createTarget(options: TargetOptions, beginning: Beginning): ViewTarget {
  const { view, lane } = options;
  const { source, barrier } = beginning;
  const { partition } = lane;
  let { position, rebuild } = beginning;

  async function check(): Promise<void> {
    const deadline = performance.now() + SHOWN_MS;
    while (source !== null && (await markOf(options)) !== source) {
      if (performance.now() > deadline) throw behind('the log was made anew, or its mark is lost');
      await sleep(LOOK_MS);
    }
  }

  async function finish(whole: LedgerRebuild): Promise<void> {
    await check();
    if (!(await whole.finish())) throw behind('its rebuild is gone');
    rebuild = null;
  }

  return {
    oneStore: source === null,
    position: () => position,
    rebuilding: () => rebuild !== null,
    async apply(to, records) {
      const result = await (rebuild ?? view).apply({ partition, from: position, to, records });
      if (result.kind === 'lost') throw behind('what it held is gone');
      if (result.kind === 'gap') throw behind(`it is at ${result.position}, before ${position}`);
      if (rebuild !== null && to > barrier) await finish(rebuild);
      position = to;
      return result.takenBack;
    },
    check,
    async commit() {
      await check();
      const mark = source === null ? {} : { mark: source };
      await lane.step({ records: [], next: { [TOPIC]: position }, ...mark });
    },
  };
}

function behind(problem: string): ProoflineError {
  return new ProoflineError('PL_LEDGER_BEHIND', { problem });
}
