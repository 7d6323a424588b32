/**
 * The embedded line in a process that is killed: `line-kill-child FOLDER RUNS NOW LIVES SEED`. It publishes its share
 * of what is not published yet, a little at a time, drafts the moment their evidence is there, and now and then
 * something again. It prints `up`, and `answered` for each answer that it sees. With LIVES 0 it publishes all, waits until everything is done, and prints `done`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { NewRecord } from '../../src/bus/bus.js';
import { topicNames } from '../../src/contracts/topics.js';
import { openLine, type Line } from '../../src/line/embedded-line.js';
import type { KnowledgeSearch } from '../../src/retrieval/knowledge-search.js';
import { encodeRecord } from '../../src/station/envelope.js';
import { readAll } from './bus.js';
import { answerTo, PARTITIONS, planOf, seeded, type PlannedRun } from './line-kill-plan.js';

const [folder = '', runs, now, lives, seed] = process.argv.slice(2);
const random = seeded(Number(seed));
const plan = planOf(Number(runs), Number(now));

const search: KnowledgeSearch = {
  name: 'slow',
  async search({ query }, { signal } = {}) {
    const { ms, outcome } = answerTo(query);
    if (ms > 0) await pause(ms, undefined, signal === undefined ? {} : { signal });
    return outcome;
  },
  close: () => Promise.resolve(),
};

/** What the logs hold, by the names of what was published, answered and handed in. */
interface Known {
  readonly asked: Set<string>;
  readonly answered: Set<string>;
  readonly handedIn: Set<string>;
}

async function readKnown(line: Line): Promise<Known> {
  const known: Known = { asked: new Set(), answered: new Set(), handedIn: new Set() };
  for (let p = 0; p < PARTITIONS; p++) {
    for (const { value } of await readAll(line.bus, 'lookup-requested.v1', p))
      known.asked.add(line.codec.decode('lookup-requested.v1', value!).eventId);
    for (const { value } of await readAll(line.bus, 'draft-submitted.v1', p))
      known.handedIn.add(line.codec.decode('draft-submitted.v1', value!).runId);
    for (const { value } of await readAll(line.bus, 'projected.v1', p))
      known.answered.add(line.codec.decode('projected.v1', value!).requestEventId);
  }
  return known;
}

async function main(): Promise<void> {
  const line = openLine({ folder, search, partitions: PARTITIONS });
  const known = await readKnown(line);
  followAnswers(line, known);
  console.log('up');
  for (const { runId } of plan) await handInWhenAnswered(line, known, runId);
  await publishShare(line, known);
  if (Number(lives) > 0) return;
  while (!(await isDone(line))) await pause(20);
  await line.stop();
  console.log('done');
}

const byRun = new Map(plan.map((run) => [run.runId, run]));

function followAnswers(line: Line, known: Known): void {
  line.bus.follow(['projected.v1'], (records) => {
    for (const { value } of records) {
      const { requestEventId, runId } = line.codec.decode('projected.v1', value!);
      known.answered.add(requestEventId);
      console.log('answered');
      void handInWhenAnswered(line, known, runId);
    }
  });
}

async function handInWhenAnswered(line: Line, known: Known, runId: string): Promise<void> {
  const run = byRun.get(runId)!;
  if (known.handedIn.has(runId) || !run.lookups.every(({ eventId }) => known.answered.has(eventId))) return;
  known.handedIn.add(runId);
  await line.bus.append([draftRecord(line, run)]);
}

function draftRecord(line: Line, run: PlannedRun): NewRecord {
  return encodeRecord(line.emitter, 'draft-submitted.v1', run.draft);
}

/** In an order of its own in every life, so that runs are under way side by side. */
async function publishShare(line: Line, known: Known): Promise<void> {
  const lookups = plan.flatMap((run) => run.lookups);
  const left = lookups.filter(({ eventId }) => !known.asked.has(eventId));
  const share = Number(lives) === 0 ? left : left.slice(0, Math.ceil((1.2 * left.length) / Number(lives)));
  for (const request of share) {
    await line.bus.append([encodeRecord(line.emitter, 'lookup-requested.v1', request)]);
    if (random() < 0.1) await publishAgain(line, known);
    if (Number(lives) > 0) await pause(random() * 30);
  }
}

/** A lookup or a draft of a run that was handed in: what an agent does that missed its answer. */
async function publishAgain(line: Line, known: Known): Promise<void> {
  const ended = plan.filter(({ runId }) => known.handedIn.has(runId));
  const run = ended[Math.floor(random() * ended.length)];
  if (run === undefined) return;
  const lookup = run.lookups[Math.floor(random() * run.lookups.length)]!;
  const again =
    random() < 0.5 ? draftRecord(line, run) : encodeRecord(line.emitter, 'lookup-requested.v1', lookup);
  await line.bus.append([again]);
}

const INPUTS = {
  retrieve: ['lookup-requested.v1'],
  postprocess: ['raw-hits.v1'],
  project: ['postprocessed.v1'],
  'ledger-view': ['ledger.v1'],
  guard: ['draft-submitted.v1'],
  review: ['verdict.v1'],
  'audit-sink': ['tool-invocation.v1', 'projected.v1', 'verdict.v1', 'reviewed.v1', 'verified.v1'],
} as const;

async function isDone(line: Line): Promise<boolean> {
  const { asked, answered, handedIn } = await readKnown(line);
  if (asked.size < 4 * plan.length || answered.size < asked.size || handedIn.size < plan.length) return false;
  for (const [group, inputs] of Object.entries(INPUTS)) {
    for (const topic of topicNames.filter((name) => (inputs as readonly string[]).includes(name))) {
      for (let p = 0; p < PARTITIONS; p++) {
        const { end } = await line.bus.bounds(topic, p);
        if (((await line.bus.committed(group, topic, p)) ?? 0) < end) return false;
      }
    }
  }
  return true;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
