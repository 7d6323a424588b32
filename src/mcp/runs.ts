import { sha256 } from '../contracts/digest.js';

/**
 * Which run a session's calls belong to. A run is one report: once it has its outcome, or was left alone for so long
 * that its deadline gave it one, the next lookup begins a new one, unless the run was named from outside. The model
 * never names it: by changing it, it would escape the run's budget.
 */
export interface Runs {
  /** The run that a lookup belongs to. */
  forLookup(): string;
  /** The draft that a text is: the same text in the same run is the same draft, and costs no second attempt. */
  draftOf(draftJson: string): KnownDraft;
  /** The draft of this id, where this session handed it in; else the id in the run at hand. */
  named(draftId: string): KnownDraft;
  /** The run has its outcome. */
  ended(runId: string): void;
  /** The id under which the question is asked: that of its last call, where that has no answer yet. */
  callOf(runId: string, query: string): string;
  /** The call has no answer yet: asked again, it is the same call. */
  pending(runId: string, query: string, toolCallId: string): void;
}

export interface KnownDraft {
  readonly runId: string;
  readonly draftId: string;
  readonly attempt: number;
}

export interface RunsOptions {
  /** A run that was named from outside; null makes runs up. */
  readonly fixed: string | null;
  /** What ids of made up runs begin with. */
  readonly prefix: string;
  /** Random characters that are valid in an id. */
  readonly random: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** As long as a run has by default, from its first lookup to its outcome. */
const LEFT_ALONE_MS = 30 * 60 * 1000;

/** How many drafts, and how many calls without an answer, are remembered. */
const REMEMBERED = 1000;

export function createRuns({ fixed, prefix, random, now }: RunsOptions): Runs {
  const drafts = new Map<string, KnownDraft>();
  const calls = new Map<string, string>();
  const nextRun = (): string => fixed ?? `${prefix}${random()}`;
  let run = nextRun();
  let attempts = 0;
  let isOver = false;
  let usedAt = now();

  return {
    forLookup() {
      isOver ||= now() - usedAt >= LEFT_ALONE_MS;
      if (isOver && fixed === null) [run, attempts] = [nextRun(), 0];
      isOver = false;
      usedAt = now();
      return run;
    },
    draftOf(draftJson) {
      usedAt = now();
      const draftId = `draft_${sha256(`${run}\n${draftJson.toWellFormed()}`).slice(0, 16)}`;
      const known = drafts.get(draftId);
      if (known !== undefined) return known;
      const draft = { runId: run, draftId, attempt: ++attempts };
      remember(drafts, draftId, draft);
      return draft;
    },
    named: (draftId) => drafts.get(draftId) ?? { runId: run, draftId, attempt: 1 },
    ended(runId) {
      if (runId === run) isOver = true;
    },
    callOf(runId, query) {
      const name = callName(runId, query);
      const toolCallId = calls.get(name);
      calls.delete(name);
      return toolCallId ?? `call_${random().slice(0, 12)}`;
    },
    pending: (runId, query, toolCallId) => remember(calls, callName(runId, query), toolCallId),
  };
}

function callName(runId: string, query: string): string {
  return sha256(`${runId}\n${query}`);
}

/** The oldest is forgotten. */
function remember<T>(known: Map<string, T>, name: string, value: T): void {
  known.set(name, value);
  if (known.size <= REMEMBERED) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
