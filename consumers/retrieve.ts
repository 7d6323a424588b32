import type { Codec } from '../src/contracts/codec.js';
import { parseJson, type JsonObject } from '../src/contracts/json.js';
import { openStoppedRuns, type StoppedRuns } from '../src/lookup/stopped-runs.js';
import type { Signer } from '../src/ledger/keyring.js';
import { openLedgerLane, type LedgerLane } from '../src/ledger/ledger-lane.js';
import { ledgerKey, type LedgerView } from '../src/ledger/ledger-view.js';
import type { KnowledgeSearch, SearchOutcome } from '../src/retrieval/knowledge-search.js';
import { createLookupWaits } from '../src/retrieval/lookup-waits.js';
import {
  admitRequest,
  decideRetrieve,
  decideTooLarge,
  failed,
  pendingEntry,
  refusalOf,
  repeatOf,
  retrieveDefaults,
  stopOf,
  type Plan,
  type Request,
  type RetrieveConfig,
} from '../src/lookup/retrieve-rule.js';
import { mapBounded } from '../src/station/bounded.js';
import type { LaneContext, Station, StationLane } from '../src/station/station.js';

/**
 * Retrieve: accepts a lookup once, asks the retriever, and passes on what it answered. A lookup that came before
 * passes down the line as REPEAT, and one under a used name with another question, or of a run that may ask no more, as
 * REFUSED.
 */

export interface RetrievePorts {
  readonly search: KnowledgeSearch;
  readonly ledger: LedgerView;
  readonly signer: Signer;
  readonly codec: Codec;
}

/** Plans by the offset of the request. */
type Plans = Map<number, Plan>;

export function retrieveStation(
  ports: RetrievePorts,
  config: RetrieveConfig = retrieveDefaults,
): Station<'lookup-requested.v1', Plans> {
  return {
    name: 'retrieve',
    inputs: ['lookup-requested.v1'],
    knows: 'run-state.v1',
    maxRecords: 500,
    admit: ({ value }) => admitRequest(value),
    async open(context) {
      const ledger = await openLedgerLane(context.lane, ports.ledger, ports.codec);
      const stopped = await openStoppedRuns(context, ports.codec);
      return openRetrieve(ports, config, context, ledger, stopped);
    },
  };
}

function openRetrieve(
  ports: RetrievePorts,
  config: RetrieveConfig,
  context: LaneContext,
  ledger: LedgerLane,
  stopped: StoppedRuns,
): StationLane<'lookup-requested.v1', Plans> {
  const waits = createLookupWaits(config.longestWaitMs);

  async function prepare(requests: readonly Request[]): Promise<Plans> {
    const plans = await classify(requests, ledger);
    const asked = requests.filter((request) => !plans.has(request.record.offset));
    const searches = mapBounded(asked, config.concurrency, async (request) => {
      plans.set(
        request.record.offset,
        await search(request, ports.search, config, context.lane.signal, settle),
      );
    });
    try {
      if (!(await endsWithin(searches, config.earlyPendingMs))) await writePendingEarly(asked);
    } finally {
      // Whatever became of the early entries: a search must not go on while the next attempt begins.
      await searches;
    }
    // What waits for a retriever that is down takes longer than any retrieval.
    if (asked.some(({ record }) => plans.get(record.offset)?.kind === 'down')) await writePendingEarly(asked);
    for (const { record } of asked) markPending(plans.get(record.offset), record.offset);
    return plans;
  }

  const settle = ({ value }: Request, outcome: SearchOutcome): SearchOutcome =>
    waits.settle(ledgerKey(value.runId, value.toolCallId), outcome, context.now());

  /** PENDING is written once: by a step of its own, or by the request's first time round. */
  const pendingWritten = new Set<number>();

  function markPending(plan: Plan | undefined, offset: number): void {
    if (plan?.kind === 'found' || plan?.kind === 'failed') plan.pending = pendingWritten.has(offset);
  }

  async function writePendingEarly(asked: readonly Request[]): Promise<void> {
    const fresh = asked.filter(({ record }) => !pendingWritten.has(record.offset));
    if (fresh.length === 0) return;
    const entries = fresh.map((request) => ({ request, entry: pendingEntry(request, config, ports.signer) }));
    const written = await context.emitEarly(
      entries.map(({ request, entry }) => ({ emission: entry.emission, message: request })),
    );
    // Only what is durable is remembered.
    for (const { request, entry } of entries) ledger.remember(request.value.runId, entry.body);
    ledger.committed(written);
    for (const { record } of fresh) pendingWritten.add(record.offset);
  }

  /** Plans of the requests that need no retriever: those that came before, also earlier in this batch, or too late. */
  async function classify(requests: readonly Request[], lane: LedgerLane): Promise<Plans> {
    const known = await lane.read(
      requests.map(({ value }) => ({ runId: value.runId, toolCallIds: [value.toolCallId], others: 0 })),
    );
    const plans: Plans = new Map();
    const accepted = new Map<string, string>();
    for (const { value, record } of requests) {
      const key = ledgerKey(value.runId, value.toolCallId);
      const plan =
        repeatOf(value, record.offset, known.get(key), accepted.get(key)) ??
        stopOf(known.get(key), stopped.has(value.runId));
      if (plan !== null) plans.set(record.offset, plan);
      else accepted.set(key, value.requestSha256);
      if (known.get(key)?.entry?.requestOffset === record.offset) pendingWritten.add(record.offset);
    }
    return plans;
  }

  return {
    knowledge: stopped.knowledge,
    prepare,
    decide: (request, plans) =>
      decideRetrieve(request, plans.get(request.record.offset), config, ports.signer),
    tooLarge: (request, plans, size) =>
      decideTooLarge(request, plans.get(request.record.offset), size, config, ports.signer),
    remember(outcome, { value }) {
      for (const emission of outcome.kind === 'not-yet' ? [] : (outcome.records ?? [])) {
        if (emission.topic === 'ledger.v1') ledger.remember(value.runId, emission.body);
      }
    },
    committed(written) {
      ledger.committed(written);
      // What is committed never comes again; the batch that waits begins anew.
      pendingWritten.clear();
    },
  };
}

async function search(
  request: Request,
  retriever: KnowledgeSearch,
  config: RetrieveConfig,
  signal: AbortSignal,
  settle: (request: Request, outcome: SearchOutcome) => SearchOutcome,
): Promise<Plan> {
  const { query, mode, topK, filtersJson } = request.value;
  const filters = parseJson(filtersJson);
  const problem = refusalOf(request.value, filters, config);
  if (problem !== null) return failed('PL_RETRIEVAL_REFUSED', { problem });
  const question = { query, mode, filters: filters as JsonObject, topK };
  const outcome = settle(request, await retriever.search(question, { signal }));
  switch (outcome.kind) {
    case 'hits':
      return { ...outcome, kind: 'found', pending: false };
    case 'failed':
      return { ...outcome, pending: false };
    case 'down':
      return outcome;
  }
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
