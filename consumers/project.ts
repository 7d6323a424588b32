import type { Codec } from '../src/contracts/codec.js';
import type { EvidenceLimits } from '../src/evidence/limits.js';
import { evidenceLimits } from '../src/evidence/limits.js';
import { parseAgentView } from '../src/evidence/parse-agent-view.js';
import type { Keyring, Signer } from '../src/ledger/keyring.js';
import { openLedgerLane, type KnownEntry, type LedgerLane } from '../src/ledger/ledger-lane.js';
import type { LedgerView } from '../src/ledger/ledger-view.js';
import type { EntryVerifier, Verification } from '../src/ledger/signing.js';
import { tombstones } from '../src/ledger/tombstones.js';
import {
  decideProject,
  digestsOf,
  failTooLarge,
  type Governed,
  type ProjectContext,
} from '../src/lookup/project-rule.js';
import type { LaneContext, Station, StationLane } from '../src/station/station.js';

/** Project: freezes the agent view of a lookup in the ledger and answers the agent, once. */

export interface ProjectConfig {
  readonly limits: EvidenceLimits;
  /** How many of a run's other lookups are looked at for what they showed already. */
  readonly gainLookback: number;
  /** How long an entry is kept after it expired; an expired entry must still be found as expired. */
  readonly ledgerRetentionMs: number;
}

export const projectDefaults: ProjectConfig = {
  limits: evidenceLimits,
  gainLookback: 64,
  ledgerRetentionMs: 30 * 86_400_000,
};

export interface ProjectPorts {
  readonly ledger: LedgerView;
  readonly signer: Signer;
  readonly keyring: Keyring;
  readonly verify: EntryVerifier;
  readonly codec: Codec;
}

/** The entries of the batch's runs by run and call, this lane's own writes included. */
type Entries = Map<string, Map<string, KnownEntry>>;

export function projectStation(
  ports: ProjectPorts,
  config: ProjectConfig = projectDefaults,
): Station<'postprocessed.v1', Entries> {
  const digests = rememberedDigests();
  return {
    name: 'project',
    inputs: ['postprocessed.v1'],
    maxRecords: 500,
    async open(context) {
      const ledger = await openLedgerLane(context.lane, ports.ledger, ports.codec);
      return openProject(ports, config, context, ledger, digests);
    },
  };
}

function openProject(
  ports: ProjectPorts,
  config: ProjectConfig,
  context: LaneContext,
  ledger: LedgerLane,
  digests: ViewDigests,
): StationLane<'postprocessed.v1', Entries> {
  /** Whether the lookup's entry is what a station signed, under this run's and this call's name. */
  function check({ value: { runId, toolCallId } }: Governed, entries: Entries): Verification {
    const entry = entries.get(runId)?.get(toolCallId)?.entry ?? null;
    return entry === null ? 'ABSENT' : ports.verify({ ...entry, runId, toolCallId });
  }

  return {
    async prepare(messages) {
      const known = await ledger.read(queriesOf(messages, config.gainLookback));
      const entries: Entries = new Map();
      for (const entry of known.values()) put(entries, entry);
      const repeats = messages.filter((message) => message.value.outcome === 'REPEAT');
      // The operator may have added the key since.
      if (repeats.some((message) => typeof check(message, entries) === 'object')) ports.keyring.reload();
      return entries;
    },
    decide(message, entries) {
      const { runId, toolCallId } = message.value;
      const ofRun = entries.get(runId);
      const projectContext: ProjectContext = {
        entry: ofRun?.get(toolCallId)?.entry,
        checkSignature: () => check(message, entries),
        shownBefore: () => shownBefore(ofRun, toolCallId, digests),
        signer: ports.signer,
        limits: config.limits,
      };
      return decideProject(message, projectContext);
    },
    tooLarge: (message, _entries, size) => failTooLarge(message, size, ports.signer),
    remember(outcome, { value }, entries) {
      for (const emission of outcome.kind === 'not-yet' ? [] : (outcome.records ?? [])) {
        if (emission.topic !== 'ledger.v1') continue;
        ledger.remember(value.runId, emission.body);
        const { toolCallId } = emission.body;
        put(entries, { runId: value.runId, toolCallId, entry: emission.body });
      }
    },
    committed: (written) => ledger.committed(written),
    maintain: () => tombstones(context, ports.ledger, context.now() - config.ledgerRetentionMs),
  };
}

/** One query a run, with all its calls of the batch. */
function queriesOf(messages: readonly Governed[], others: number) {
  const calls = new Map<string, Set<string>>();
  for (const { value } of messages) {
    calls.set(value.runId, (calls.get(value.runId) ?? new Set()).add(value.toolCallId));
  }
  return [...calls].map(([runId, toolCallIds]) => ({ runId, toolCallIds: [...toolCallIds], others }));
}

function put(entries: Entries, known: KnownEntry): void {
  const ofRun = entries.get(known.runId) ?? new Map<string, KnownEntry>();
  entries.set(known.runId, ofRun.set(known.toolCallId, known));
}

/** Digests of what the run's other lookups showed. */
function shownBefore(
  ofRun: ReadonlyMap<string, KnownEntry> | undefined,
  exceptCall: string,
  digests: ViewDigests,
): Set<string> {
  const shown = new Set<string>();
  for (const { toolCallId, entry } of ofRun?.values() ?? []) {
    const view = entry?.agentView ?? null;
    if (toolCallId === exceptCall || view === null) continue;
    for (const digest of digests(view, toolCallId)) shown.add(digest);
  }
  return shown;
}

/** Digests of the items of an agent view; none of one that cannot be read. */
type ViewDigests = (view: string, toolCallId: string) => readonly string[];

const REMEMBERED_VIEWS = 500;

/** Remembers: each view of a run is asked for again by all of the run's later lookups. */
function rememberedDigests(): ViewDigests {
  /** By view, which names its call: under another one it cannot be read. */
  const remembered = new Map<string, { readonly toolCallId: string; readonly digests: readonly string[] }>();
  return (view, toolCallId) => {
    const known = remembered.get(view);
    if (known?.toolCallId === toolCallId) return known.digests;
    const reading = parseAgentView(view, toolCallId);
    const digests = 'view' in reading ? digestsOf(reading.view.evidence) : [];
    if (remembered.size >= REMEMBERED_VIEWS) remembered.clear();
    remembered.set(view, { toolCallId, digests });
    return digests;
  };
}
