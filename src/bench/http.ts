import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fastify } from 'fastify';
import { harnessDefaults } from '../../consumers/harness.js';
import { lookupRequested } from '../../producers/lookups.js';
import { readConfig } from '../config/config.js';
import { createGatewayServer } from '../gateway/gateway-server.js';
import { openLine, type Line } from '../line/embedded-line.js';
import { lineDefaults } from '../line/stations.js';
import { createLog } from '../observe/log.js';
import { createObservability } from '../observe/observability.js';
import type { KnowledgeSearch } from '../retrieval/knowledge-search.js';
import { memorySearch } from '../retrieval/memory.js';
import type { Load, Loaded } from './http-load.js';
import { percentile, type Figure } from './measure.js';
import { boundless } from './runs.js';
import { sampleHits } from './sample-evidence.js';

/** The gateway over the embedded line. Baselines: the line without it, and a bare fastify echo of the same bytes. */

export interface HttpLoad {
  /** Lookups of each measurement. */
  readonly lookups: number;
  /** Runs that ask at a time. */
  readonly runs: number;
  /** Requests that wait at a time, for their memory. */
  readonly waits: number;
}

const HITS = 5;
const CHARS = 200;
const MIB = 1024 * 1024;
const ANSWER_MS = 60_000;
const QUERY = 'gateway timeout';

export async function benchHttp(load: HttpLoad, onStage: (stage: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'proofline-bench-'));
  const search = holdable(memorySearch(sampleHits(1, HITS, CHARS)));
  const log = createLog('silent', () => undefined);
  const observe = await createObservability({ log, env: {} });
  const settings = { ...lineDefaults, harness: boundless(harnessDefaults) };
  const line = openLine({ folder, search, observe, settings });
  const server = createGatewayServer({ config: roomy(load), host: HOST, observe, line: () => line });
  const callers = fork(fileURLToPath(new URL(`./http-load${extname(import.meta.url)}`, import.meta.url)));
  try {
    const port = portOf(await server.listen({ host: HOST, port: 0 }));
    onStage('warm-up');
    await throughLine(line, 'warm-line', load);
    assertAnswered(await throughHttp(callers, port, 'warm-http', load));
    onStage('the line and the gateway in turns');
    const { bare, gateway } = await inTurns(line, callers, port, 'busy', load);
    onStage('the same, with runs that think');
    const thinking = await inTurns(line, callers, port, 'thinking', { ...load, thinkMs: THINK_MS });
    onStage('a bare echo of the same bytes');
    const echo = await throughEcho(callers, await viewOf(line), load);
    onStage(`${load.waits} requests that wait`);
    const memory = await memoryOfWaits(callers, port, search, load.waits);
    return figures(load, { bare, gateway, thinking, echo, memory });
  } finally {
    callers.kill();
    search.release();
    await server.drain();
    await server.close();
    await line.stop();
    await observe.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The line alone and the gateway, in turns. */
interface Compared {
  readonly bare: Timed;
  readonly gateway: Timed;
  /** Milliseconds at the median of the turns' medians. */
  readonly overhead: number;
}

interface Measured extends Pick<Compared, 'bare' | 'gateway'> {
  /** With runs that leave the machine time between their lookups. */
  readonly thinking: Compared;
  readonly echo: Timed;
  /** Bytes. */
  readonly memory: number;
}

function figures({ runs, waits }: HttpLoad, { bare, gateway, thinking, echo, memory }: Measured): Figure[] {
  const at = `${runs} runs at a time`;
  const p = ({ times }: Timed, share: number): number => percentile(times, share);
  const alone = (value: number) => ({ name: 'the line alone', value });
  const rate = ({ times, seconds }: Timed): number => times.length / seconds;
  return [
    {
      name: `lookup through HTTP, ${at}, p50`,
      value: p(gateway, 50),
      unit: 'ms',
      baseline: alone(p(bare, 50)),
    },
    { name: 'and p99', value: p(gateway, 99), unit: 'ms', baseline: alone(p(bare, 99)) },
    {
      name: `${runs} runs that think ${THINK_MS} ms after each answer, p50`,
      value: p(thinking.gateway, 50),
      unit: 'ms',
      baseline: alone(p(thinking.bare, 50)),
    },
    {
      name: 'overhead of the gateway for them, p50',
      value: thinking.overhead,
      unit: 'ms',
      baseline: { name: `echo, ${at}`, value: p(echo, 50) },
    },
    { name: `lookups through HTTP, ${at}`, value: rate(gateway), unit: 'per s', baseline: alone(rate(bare)) },
    { name: 'an echo of the same bytes', value: rate(echo), unit: 'per s' },
    { name: `memory of ${waits} requests that wait`, value: memory / MIB, unit: 'MiB' },
  ];
}

type Timed = Omit<Loaded, 'statuses'>;

interface Paced extends HttpLoad {
  /** Milliseconds between an answer and the run's next lookup; 0 by default. */
  readonly thinkMs?: number;
}

const THINK_MS = 200;
const LOOKUPS_A_RUN = 5;

/** Turns that follow each other, so that what else the machine does falls on both. */
const TURNS = 10;

async function inTurns(
  line: Line,
  callers: ChildProcess,
  port: number,
  name: string,
  load: Paced,
): Promise<Compared> {
  const part = { ...load, lookups: Math.ceil(load.lookups / TURNS) };
  const [bare, gateway]: [Timed[], Timed[]] = [[], []];
  const overheads: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const without = await throughLine(line, `${name}-line-${turn}`, part);
    const through = await throughHttp(callers, port, `${name}-http-${turn}`, part);
    assertAnswered(through);
    bare.push(without);
    gateway.push(through);
    overheads.push(percentile(through.times, 50) - percentile(without.times, 50));
  }
  return { bare: together(bare), gateway: together(gateway), overhead: percentile(overheads, 50) };
}

function together(parts: readonly Timed[]): Timed {
  return {
    times: parts.flatMap(({ times }) => times),
    seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

const HOST = '127.0.0.1';

/** All come from one address here. */
function roomy({ waits }: HttpLoad): ReturnType<typeof readConfig>['config'] {
  const { config } = readConfig({});
  const room = Math.max(waits, 1000) * 2;
  return { ...config, gateway: { ...config.gateway, rate: 1_000_000, waits: room, waitsEach: room } };
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

interface Holdable extends KnowledgeSearch {
  /** From now on nothing is answered. */
  hold(): void;
  release(): void;
}

function holdable(search: KnowledgeSearch): Holdable {
  let gate: Promise<void> | null = null;
  let open = (): void => undefined;
  return {
    name: search.name,
    async search(query, options) {
      await gate;
      return search.search(query, options);
    },
    close: () => search.close(),
    hold: () => void (gate = new Promise((resolve) => (open = resolve))),
    release: () => open(),
  };
}

async function throughLine(line: Line, name: string, { lookups, runs, thinkMs = 0 }: Paced): Promise<Timed> {
  const times: number[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < lookups) {
      const i = next++;
      const start = performance.now();
      const lookup = { runId: runOf(name, i), toolCallId: callOf(i), query: QUERY };
      await line.lookup(lookupRequested(lookup, Date.now()), ANSWER_MS);
      times.push(performance.now() - start);
      if (thinkMs > 0) await pause(thinkMs);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: runs }, run));
  return { times, seconds: (performance.now() - start) / 1000 };
}

const runOf = (name: string, i: number): string => `${name}-${Math.floor(i / LOOKUPS_A_RUN)}`;
const callOf = (i: number): string => `call-${i % LOOKUPS_A_RUN}`;

function throughHttp(
  callers: ChildProcess,
  port: number,
  name: string,
  { lookups, runs, thinkMs = 0 }: Paced,
): Promise<Loaded> {
  const all = Array.from({ length: lookups }, (_, i) => i);
  return called(callers, {
    port,
    concurrency: runs,
    thinkMs,
    paths: all.map((i) => `/v1/runs/${runOf(name, i)}/lookups?wait=60`),
    bodies: all.map((i) => JSON.stringify({ tool_call_id: callOf(i), query: QUERY })),
  });
}

function called(callers: ChildProcess, load: Load): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the callers ended'));
    callers.once('exit', onExit);
    callers.once('message', (loaded) => {
      callers.off('exit', onExit);
      resolve(loaded as Loaded);
    });
    callers.send(load);
  });
}

async function viewOf(line: Line): Promise<string> {
  const lookup = { runId: 'echo', toolCallId: 'call-1', query: QUERY };
  const { agentView } = await line.lookup(lookupRequested(lookup, Date.now()), ANSWER_MS);
  return agentView ?? '';
}

/** Takes the same bytes and gives the same bytes. */
async function throughEcho(
  callers: ChildProcess,
  view: string,
  { lookups, runs }: HttpLoad,
): Promise<Loaded> {
  const app = fastify();
  app.post('/echo', (_request, reply) => reply.type('application/json').send(view));
  const port = portOf(await app.listen({ host: HOST, port: 0 }));
  try {
    const body = JSON.stringify({ tool_call_id: 'call-1', query: QUERY });
    const load = { port, concurrency: runs, thinkMs: 0, paths: Array<string>(lookups).fill('/echo') };
    const bodies = Array<string>(lookups).fill(body);
    await called(callers, { ...load, bodies });
    return await called(callers, { ...load, bodies });
  } finally {
    await app.close();
  }
}

/** Bytes that as many requests take while they wait: what the process grew by, or what its heap did. */
async function memoryOfWaits(
  callers: ChildProcess,
  port: number,
  search: Holdable,
  waits: number,
): Promise<number> {
  search.hold();
  const before = memoryNow();
  const answered = throughHttp(callers, port, 'waiting', { lookups: waits, runs: waits, waits });
  await pause(SETTLE_MS);
  const after = memoryNow();
  search.release();
  assertAnswered(await answered);
  return Math.max(after.rss - before.rss, after.heap - before.heap);
}

/** Long enough for all of them to be there. */
const SETTLE_MS = 6000;

/** Without what nobody holds any more. */
function memoryNow(): { readonly rss: number; readonly heap: number } {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}

/** Refusals are quick: a figure with them in it would say nothing. */
function assertAnswered(...all: readonly Loaded[]): void {
  for (const { statuses, times } of all)
    if (statuses['200'] !== times.length)
      throw new Error(`not all were answered: ${JSON.stringify(statuses)}`);
}
