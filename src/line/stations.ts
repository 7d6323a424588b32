import { auditSinkStation } from '../../consumers/audit-sink.js';
import { guardDefaults, guardStation, type GuardConfig } from '../../consumers/guard.js';
import { harnessDefaults, harnessStation, type HarnessConfig } from '../../consumers/harness.js';
import { runLedgerView } from '../../consumers/ledger-view.js';
import { postprocessStation } from '../../consumers/postprocess.js';
import { projectDefaults, projectStation, type ProjectConfig } from '../../consumers/project.js';
import { retrieveStation } from '../../consumers/retrieve.js';
import { reviewDefaults, reviewStation, type ReviewConfig } from '../../consumers/review.js';
import type { AuditStore } from '../audit/audit-store.js';
import type { Bus, Consumption } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { Judge } from '../judge/judge.js';
import type { Keyring, Signer } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import {
  cachedVerifier,
  createSignatureMemory,
  rememberedSigner,
  type EntryVerifier,
} from '../ledger/signing.js';
import { retrieveDefaults, type RetrieveConfig } from '../lookup/retrieve-rule.js';
import type { KnowledgeSearch } from '../retrieval/knowledge-search.js';
import type { LaneEnvironment } from '../station/lane-environment.js';
import { runStation } from '../station/run-station.js';
import type { StationName } from './station-names.js';

/** The stations of the line, each once, and what they work with. */

/** Limits and times of the stations. */
export interface LineSettings {
  readonly retrieve: RetrieveConfig;
  /** Its limits hold for postprocess too. */
  readonly project: ProjectConfig;
  readonly harness: HarnessConfig;
  readonly guard: GuardConfig;
  readonly review: ReviewConfig;
}

export const lineDefaults: LineSettings = {
  retrieve: retrieveDefaults,
  project: projectDefaults,
  harness: harnessDefaults,
  guard: guardDefaults,
  review: reviewDefaults,
};

export interface StationPorts {
  readonly codec: Codec;
  readonly keyring: Keyring;
  readonly signer: Signer;
  readonly verify: EntryVerifier;
  readonly ledger: LedgerView;
  readonly audit: AuditStore;
  readonly search: KnowledgeSearch;
  /** The second opinion of review; without one rules decide alone. */
  readonly judge?: Judge | null;
}

type Run = (bus: Bus, env: LaneEnvironment, ports: StationPorts, settings: LineSettings) => Consumption;

const stations = {
  'ledger-view': (bus, env, { ledger }) => runLedgerView(bus, env, ledger),
  retrieve: (bus, env, ports, { retrieve }) => runStation(bus, env, retrieveStation(ports, retrieve)),
  postprocess: (bus, env, _ports, { project }) => runStation(bus, env, postprocessStation(project.limits)),
  project: (bus, env, ports, { project }) => runStation(bus, env, projectStation(ports, project)),
  harness: (bus, env, ports, { harness }) => runStation(bus, env, harnessStation(ports, harness)),
  guard: (bus, env, ports, { guard }) => runStation(bus, env, guardStation(ports, guard)),
  review: (bus, env, ports, { review }) => runStation(bus, env, reviewStation(ports, review)),
  'audit-sink': (bus, env, { audit }) => runStation(bus, env, auditSinkStation(audit)),
} satisfies Record<StationName, Run>;

export interface StationsToRun {
  readonly names: readonly StationName[];
  readonly bus: Bus;
  readonly ports: StationPorts;
  readonly settings: LineSettings;
  readonly envOf: (station: string) => LaneEnvironment;
}

export function runStations({ names, bus, ports, settings, envOf }: StationsToRun): readonly Consumption[] {
  return names.map((name) => stations[name](bus, envOf(name), ports, settings));
}

/**
 * What signs, and what verifies and need not verify what was signed here.
 * @throws ProoflineError PL_KEY_MISSING where the keyring only verifies.
 */
export function signingPorts(
  keyring: Keyring,
  folder: string,
): Pick<StationPorts, 'keyring' | 'signer' | 'verify'> {
  if (keyring.signer === null) throw new ProoflineError('PL_KEY_MISSING', { folder });
  const memory = createSignatureMemory();
  return {
    keyring,
    signer: rememberedSigner(keyring.signer, memory),
    verify: cachedVerifier(keyring, memory),
  };
}
