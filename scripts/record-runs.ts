/**
 * Records the runs of test/data/runs: plays every scenario on the embedded line over examples/docs, and keeps of each
 * run what replaying it takes. A test replays them, so that a rule that judges differently shows itself.
 *
 *   npx tsx scripts/record-runs.ts
 *
 * Clock, ids and signing key are fixed: recorded again without a change in the rules, only what depends on how records
 * fell together (where the guard read the ledger) can differ.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../src/contracts/json.js';
import type { Judge } from '../src/judge/judge.js';
import { memoryJudge } from '../src/judge/memory.js';
import { keyIdOf, writeKeyFile } from '../src/ledger/key-files.js';
import { dataFolder } from '../src/line/data-folder.js';
import { openLine, type Line } from '../src/line/embedded-line.js';
import { lineDefaults } from '../src/line/stations.js';
import { openRetrieval } from '../src/line/retrieval.js';
import { readRun, snapshotJson } from '../src/line/run-snapshot.js';
import type { KnowledgeSearch } from '../src/retrieval/knowledge-search.js';
import { agentOf, until, type Clock } from './recorded-runs/agent.js';
import {
  DOUBTED,
  FAILING_QUERY,
  judgedScenarios,
  scenarios,
  SLOW_QUERY,
  UNHEARD,
} from './recorded-runs/scenarios.js';

const FOLDER = 'test/data/runs';
const START = Date.parse('2026-11-01T08:00:00Z');

async function record(data: string, keys: Keys, judge: Judge | null): Promise<void> {
  writeKeyFile(makeFolder(dataFolder(data).keys), keys.keyId, 'private', keys.privateKey);
  writeKeyFile(dataFolder(data).keys, keys.keyId, 'public', keys.publicKey);
  const retrieval = openRetrieval(dataFolder(data), null);
  await retrieval.index('examples/docs');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const clock = createClock();
  const search = scripted(retrieval.search, released);
  const settings = judge === null ? lineDefaults : judgedSettings;
  const line = openLine({ folder: data, search, judge, settings, partitions: 4, now: () => clock.now() });
  try {
    for (const [runId, play] of judge === null ? scenarios(release) : judgedScenarios) {
      await play(agentOf(line, runId, clock));
      await write(line, runId);
    }
  } finally {
    release();
    await line.stop();
  }
}

const { review } = lineDefaults;
const judgedSettings = {
  ...lineDefaults,
  review: { ...review, judge: { ...review.judge, mode: 'second-opinion' as const } },
};

/** Doubts what it is told to doubt, and answers in prose where it is to be of no use. */
function scriptedJudge(): Judge {
  return memoryJudge(({ answer }, statements) => {
    if (answer.includes(UNHEARD)) return 'I would rather not say.';
    const isGood = !answer.includes(DOUBTED);
    const claims = statements.map((_, i) => ({ id: i + 1, supported: isGood ? 'yes' : 'no', why: 'E1' }));
    const score = isGood ? 0.95 : 0.2;
    return {
      claims,
      faithfulness_score: score,
      context_relevance_score: 0.9,
      answer_relevance_score: 0.9,
      reason: 'scripted',
    };
  });
}

/** A key for tests alone, always the same one. */
function makeKeys() {
  const seed = Buffer.alloc(32, 'recorded runs');
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, keyId: keyIdOf(publicKey) };
}

type Keys = ReturnType<typeof makeKeys>;

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function createClock(): Clock {
  let now = START;
  return { now: () => now, pass: (ms) => void (now += ms) };
}

function scripted(search: KnowledgeSearch, released: Promise<void>): KnowledgeSearch {
  const failure = { code: 'PL_RETRIEVAL_FAILED', message: 'The search failed at it.', retryable: true };
  return {
    name: search.name,
    async search(query, options) {
      if (query.query === FAILING_QUERY) return { kind: 'failed', failure };
      if (query.query === SLOW_QUERY) await released;
      return search.search(query, options);
    },
    close: () => search.close(),
  };
}

/** Sections that no replay looks at. */
const LEFT_OUT = ['requests', 'raw_hits', 'lookup_results', 'run_state', 'dead_letters'];
/** The stations whose notes it looks at. */
const NOTED: readonly unknown[] = ['project', 'guard', 'review'];

async function write(line: Line, runId: string): Promise<void> {
  await until(() => isNoted(line, runId));
  const data = await readRun(line, runId);
  if (data === null) throw new Error(`nothing is known of ${runId}`);
  const snapshot = snapshotJson(data);
  const kept = Object.fromEntries(
    Object.entries(snapshot).filter(([section]) => !LEFT_OUT.includes(section)),
  );
  const audit = snapshot['audit'] as {
    readonly invocations: readonly JsonObject[];
    readonly truncated: boolean;
  };
  const invocations = audit.invocations.filter(({ station }) => NOTED.includes(station));
  const json = {
    ...kept,
    made_by: 'scripts/record-runs.ts',
    epoch: 'recorded',
    audit: { ...audit, invocations },
  };
  writeFileSync(`${FOLDER}/${runId}.json`, `${JSON.stringify(json, null, 1)}\n`);
}

/** The audit comes a moment later than the answers. */
async function isNoted({ audit, bus, codec, keyring }: Line, runId: string): Promise<boolean> {
  const data = await readRun({ audit, bus, codec, keyring }, runId);
  const noted = new Set(
    data?.audit.invocations.map(({ station, causedBy }) => `${station} ${causedBy ?? ''}`),
  );
  const reviewed = data?.records['reviewed.v1'] ?? [];
  return (
    reviewed.length > 0 && reviewed.every(({ message }) => noted.has(`review ${message.causedBy ?? ''}`))
  );
}

const keys = makeKeys();
rmSync(FOLDER, { recursive: true, force: true });
writeKeyFile(makeFolder(`${FOLDER}/keys`), keys.keyId, 'public', keys.publicKey);
for (const judge of [null, scriptedJudge()]) {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-record-'));
  try {
    await record(folder, keys, judge);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
process.stdout.write(`${readdirSync(FOLDER).length - 1} runs in ${FOLDER}\n`);
