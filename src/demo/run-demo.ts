import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draftSubmitted } from '../../producers/drafts.js';
import { lookupRequested } from '../../producers/lookups.js';
import { ProoflineError } from '../contracts/errors.js';
import type { AgentView, LedgerEntry, ProjectedEvidence } from '../contracts/generated.js';
import { parseAgentView } from '../evidence/parse-agent-view.js';
import { dataFolder } from '../line/data-folder.js';
import type { SubmissionAnswer } from '../line/doors.js';
import { openLine, type Line } from '../line/embedded-line.js';
import { checkEntry, readRunEntries } from '../line/ledger-entries.js';
import { openRetrieval } from '../line/retrieval.js';
import type { IndexReport } from '../retrieval/local/local-index.js';
import { brokenPromises } from './promise.js';
import { demoScript, type ScriptedDraft, type ScriptedLookup, type ScriptedRun } from './script.js';

/** A lookup as it was answered, and its entry in the ledger. */
export interface DemoLookup {
  readonly query: string;
  readonly projected: ProjectedEvidence;
  /** What the agent was given; null where the lookup failed. */
  readonly view: AgentView | null;
  readonly entry: LedgerEntry;
}

export interface DemoDraft {
  readonly scripted: ScriptedDraft;
  readonly answer: SubmissionAnswer;
  /** In what the answer is not what the story promises; empty where it is. */
  readonly broken: readonly string[];
}

export interface DemoRun {
  readonly scripted: ScriptedRun;
  readonly lookups: readonly DemoLookup[];
  readonly drafts: readonly DemoDraft[];
}

/** What the line answered, all of it read from its records. */
export interface DemoReport {
  readonly index: IndexReport;
  readonly runs: readonly DemoRun[];
  /** Whether every draft came to what the story promises. */
  readonly kept: boolean;
}

export interface DemoOptions {
  /** Holds `docs` and `drafts`. */
  readonly examples: string;
  /** A new or empty folder that is kept; null takes one of its own and removes it again. */
  readonly folder: string | null;
  readonly signal?: AbortSignal;
}

const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Runs the whole line over the example documents, asks and hands in what the script says, and lets the caller
 * look at report and line before the line stops.
 * @throws ProoflineError PL_INPUT_INVALID (the folder is not empty, an example cannot be read), PL_TIMEOUT, or
 *   what opening the line throws
 */
export async function runDemo<T>(
  options: DemoOptions,
  look: (report: DemoReport, line: Line) => Promise<T>,
): Promise<T> {
  const { folder } = options;
  if (folder !== null) await refuseUsedFolder(folder);
  const used = folder ?? (await mkdtemp(join(tmpdir(), 'proofline-demo-')));
  try {
    return await inFolder(used, options, look);
  } finally {
    if (folder === null) await rm(used, { recursive: true, force: true });
  }
}

/** The demo would index its own documents in place of those that are there. */
async function refuseUsedFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ProoflineError('PL_DATA_FOLDER_UNUSABLE', { folder, problem: (error as Error).message });
  });
  if (names.length > 0) {
    throw new ProoflineError('PL_INPUT_INVALID', {
      problem: `the demo keeps a new folder only, and ${folder} is not empty: name another with --data`,
    });
  }
}

async function inFolder<T>(
  folder: string,
  { examples, signal }: DemoOptions,
  look: (report: DemoReport, line: Line) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const retrieval = openRetrieval(dataFolder(folder), null);
  try {
    const index = await retrieval.index(join(examples, 'docs'), signal === undefined ? {} : { signal });
    const line = openLine({ folder, search: retrieval.search });
    try {
      return await look(await play(line, join(examples, 'drafts'), index, signal), line);
    } finally {
      await line.stop();
    }
  } finally {
    await retrieval.search.close();
  }
}

async function play(
  line: Line,
  drafts: string,
  index: IndexReport,
  signal: AbortSignal | undefined,
): Promise<DemoReport> {
  const runs: DemoRun[] = [];
  for (const scripted of demoScript) {
    signal?.throwIfAborted();
    runs.push(await playRun(line, drafts, scripted));
  }
  const kept = runs.every((run) => run.drafts.every(({ broken }) => broken.length === 0));
  return { index, runs, kept };
}

/** One thing after the other, as an agent does: it asks, reads, and hands in; what was rejected it writes anew. */
async function playRun(line: Line, folder: string, scripted: ScriptedRun): Promise<DemoRun> {
  const answers: ProjectedEvidence[] = [];
  for (const lookup of scripted.lookups) answers.push(await ask(line, scripted.runId, lookup));
  const drafts: DemoDraft[] = [];
  for (const [i, draft] of scripted.drafts.entries())
    drafts.push(await handIn(line, folder, scripted.runId, i + 1, draft));
  return { scripted, lookups: await withEntries(line, scripted, answers), drafts };
}

function ask(line: Line, runId: string, { toolCallId, query }: ScriptedLookup): Promise<ProjectedEvidence> {
  return line.lookup(lookupRequested({ runId, toolCallId, query }, Date.now()), ANSWER_TIMEOUT_MS);
}

async function handIn(
  line: Line,
  folder: string,
  runId: string,
  attempt: number,
  scripted: ScriptedDraft,
): Promise<DemoDraft> {
  const draftJson = await readDraftFile(join(folder, scripted.file));
  const draft = draftSubmitted({ runId, draftId: scripted.draftId, draftJson, attempt }, Date.now());
  const answer = await line.submit(draft, ANSWER_TIMEOUT_MS);
  return { scripted, answer, broken: brokenPromises(scripted.promise, answer) };
}

async function readDraftFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ProoflineError('PL_INPUT_INVALID', {
      problem: `the draft ${file} cannot be read: ${(error as Error).message}`,
    });
  }
}

async function withEntries(
  line: Line,
  { runId, lookups }: ScriptedRun,
  answers: readonly ProjectedEvidence[],
): Promise<readonly DemoLookup[]> {
  const entries = new Map<string, LedgerEntry>();
  for (const record of await readRunEntries(line.bus, line.codec, runId)) {
    const { toolCallId, entry } = checkEntry(line.codec, line.keyring, record);
    if (entry !== null) entries.set(toolCallId, entry);
  }
  return answers.map((projected, i) => {
    const entry = entries.get(projected.toolCallId);
    if (entry === undefined) throw new Error('a lookup was answered and is not in the ledger');
    return { query: lookups[i]?.query ?? '', projected, view: viewOf(projected), entry };
  });
}

function viewOf({ agentView, toolCallId }: ProjectedEvidence): AgentView | null {
  if (agentView === null) return null;
  const reading = parseAgentView(agentView, toolCallId);
  return 'view' in reading ? reading.view : null;
}
