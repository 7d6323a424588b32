import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditReader } from '../../../src/audit/audit-store.js';
import { isProoflineError } from '../../../src/contracts/errors.js';
import type { DraftSubmitted, GuardVerdict, LookupRequested } from '../../../src/contracts/generated.js';
import { reviewDecision } from '../../../producers/decisions.js';
import { followAnswers } from '../../../src/line/answers.js';
import { openDoors, verdictIdOf } from '../../../src/line/doors.js';
import { encodeRecord } from '../../../src/station/envelope.js';
import type { KafkaTestLine } from '../kafka-line.js';
import type { Span } from './latencies.js';
import { begun, type SoakRun } from './runs.js';

/** Agents that do runs at a steady rate by the clock, whatever becomes of the answers. */
export interface Load {
  readonly counts: Readonly<LoadCounts>;
  /** First answers to lookups, and answers to drafts. */
  readonly lookupSpans: readonly Span[];
  readonly draftSpans: readonly Span[];
  /** Questions asked once more, by the code that said so. */
  readonly retriedFor: Readonly<Record<string, number>>;
  /** Answers that are not what the plan says, and errors that nobody expects. */
  readonly surprises: readonly string[];
  /** Resolves when no more runs begin. */
  readonly ended: Promise<void>;
  /** Resolves when every run that began is done, or with false when that takes too long. */
  finished(deadlineMs: number): Promise<boolean>;
  /** Runs that are not done. */
  open(): string[];
  /** Runs that their deadline must give up. */
  silent(): string[];
  stop(): Promise<void>;
}

export interface LoadCounts {
  /** Lookups, those again and refused ones among them, and drafts. */
  asked: number;
  answered: number;
  runs: number;
  drafts: number;
  /** Decisions of people. */
  decisions: number;
  /** Asked once more since no answer came, or asking itself failed. */
  retried: number;
}

export interface LoadOptions {
  readonly line: KafkaTestLine;
  readonly audit: AuditReader;
  readonly runs: readonly SoakRun[];
  /** New lookups a second. */
  readonly rate: number;
  readonly durationMs: number;
}

/** Then an agent asks again. */
const ANSWER_MS = 30_000;
const RETRY_MS = 250;
/** A decision is answered once, and so is waited for once. */
const DECIDED_MS = 300_000;

export function startLoad({ line, audit, runs, rate, durationMs }: LoadOptions): Load {
  const { bus, codec, partitions, prefix } = line;
  const emitter = { station: 'agent', codec, partitions, prefix, now: Date.now };
  const answers = followAnswers(bus, codec);
  const doors = openDoors({ bus, codec, emitter, answers, audit });
  const counts: LoadCounts = { asked: 0, answered: 0, runs: 0, drafts: 0, decisions: 0, retried: 0 };
  const [lookupSpans, draftSpans]: [Span[], Span[]] = [[], []];
  const retriedFor: Record<string, number> = {};
  const surprises: string[] = [];
  const open = new Map<string, Promise<void>>();
  const silent: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each question that waits to be asked again has one.
  setMaxListeners(0, signal);
  const began = performance.now();

  /** Asks until there is an answer, as an agent does that is told to ask again. */
  async function answerTo<T>(question: () => Promise<T>, due: number, spans: Span[] | null): Promise<T> {
    counts.asked += 1;
    for (;;) {
      try {
        const answer = await question();
        counts.answered += 1;
        spans?.push({ from: due, to: performance.now() });
        return answer;
      } catch (error) {
        if (signal.aborted || !isProoflineError(error) || !error.retryable) throw error;
        counts.retried += 1;
        retriedFor[error.code] = (retriedFor[error.code] ?? 0) + 1;
        await pause(RETRY_MS, undefined, { signal });
      }
    }
  }

  const ask = (lookup: LookupRequested, due = performance.now(), spans: Span[] | null = null) =>
    answerTo(() => doors.lookup(lookup, ANSWER_MS), due, spans);

  async function follow(run: SoakRun, asked: readonly Promise<unknown>[]): Promise<void> {
    await Promise.all(asked);
    for (const lookup of [...run.again, ...run.beyond]) await ask(lookup);
    if (run.silent) {
      silent.push(run.runId);
      return;
    }
    for (const draft of [run.draft, ...run.mended]) {
      counts.drafts += 1;
      const answer = await answerTo(() => doors.submit(draft, ANSWER_MS), performance.now(), draftSpans);
      if (draft === run.draft) expectPlanned(run, answer.verdict);
      const { decision } = answer.reviewed.decision === 'HOLD' ? await decide(run, draft) : answer.reviewed;
      if (decision !== 'REPAIR') return;
    }
  }

  function expectPlanned({ runId, codes }: SoakRun, verdict: GuardVerdict): void {
    const found = [...new Set(verdict.violations.map(({ code }) => code))].toSorted();
    const planned = codes === null ? 'GIVEN_UP' : codes.join();
    if (codes !== null && found.join() !== planned)
      surprises.push(`${runId} was judged ${found.join() || 'true'}, and is ${planned || 'true'}`);
  }

  /** A person's word on a draft that is held, and what becomes of it. */
  async function decide({ runId, person }: SoakRun, { draftId, eventId }: DraftSubmitted) {
    const verdictEventId = verdictIdOf({ runId, eventId });
    const said = { runId, draftId, verdictEventId, decision: person, by: 'alice', reason: 'as I see it' };
    const decision = reviewDecision(said, Date.now());
    const reviewed = answers.wait('reviewed.v1', decision.eventId, DECIDED_MS, signal);
    reviewed.catch(() => undefined);
    const record = encodeRecord(emitter, 'review-decision.v1', decision);
    counts.decisions += 1;
    await answerTo(() => bus.append([record]), performance.now(), null);
    return reviewed;
  }

  function begin(run: SoakRun, asked: readonly Promise<unknown>[]): void {
    const done = follow(run, asked)
      .catch((error: unknown) => {
        if (!signal.aborted) surprises.push(`${run.runId} came to an end: ${String(error)}`);
      })
      .finally(() => open.delete(run.runId));
    open.set(run.runId, done);
    counts.runs += 1;
  }

  async function beginAll(): Promise<void> {
    let next = began;
    for (const planned of runs) {
      const run = begun(planned, Date.now());
      const asked: Promise<unknown>[] = [];
      for (const lookup of run.lookups) {
        await pause(Math.max(0, next - performance.now()), undefined, { signal });
        const answer = ask(lookup, next, lookupSpans);
        answer.catch(() => undefined);
        asked.push(answer);
        next += 1000 / rate;
      }
      begin(run, asked);
      if (performance.now() - began >= durationMs) return;
    }
    surprises.push('the plan had too few runs');
  }

  return {
    counts,
    lookupSpans,
    draftSpans,
    retriedFor,
    surprises,
    ended: beginAll().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
    async finished(deadlineMs) {
      const all = Promise.all(open.values()).then(() => true);
      return Promise.race([all, pause(deadlineMs, false, { ref: false, signal })]);
    },
    open: () => [...open.keys()],
    silent: () => silent,
    async stop() {
      stopping.abort();
      await answers.stop();
    },
  };
}
