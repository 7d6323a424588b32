import type { LedgerEntry } from '../contracts/generated.js';
import type { Emission, Envelope } from '../station/station.js';
import type { Signer } from './keyring.js';
import { ledgerKey } from './ledger-view.js';
import { signEntry } from './signing.js';

type Body = Omit<LedgerEntry, Envelope>;

/** What every entry of a lookup says. */
export type EntryFrame = Pick<
  Body,
  'toolCallId' | 'toolName' | 'requestEventId' | 'requestSha256' | 'requestOffset' | 'expiresAt'
>;

/** A signed entry, and the record that carries it. */
export interface NewEntry {
  readonly body: Body;
  readonly emission: Emission;
}

/** An entry with what is not said left empty, signed by the station that writes it. */
export function newEntry(
  runId: string,
  frame: EntryFrame,
  state: Pick<Body, 'state'> &
    Partial<
      Pick<
        Body,
        'agentView' | 'agentViewSha256' | 'blocks' | 'dropped' | 'cuts' | 'noEvidenceBasis' | 'failure'
      >
    >,
  signer: Signer,
): NewEntry {
  const { agentViewSha256 = null, blocks = [], dropped = [], cuts = [] } = state;
  const signed = {
    runId,
    toolCallId: frame.toolCallId,
    state: state.state,
    requestEventId: frame.requestEventId,
    agentViewSha256,
    blocks,
    dropped,
    cuts,
    expiresAt: frame.expiresAt,
  };
  // Field by field: objects that are spread into one another take longer to put together than to sign.
  const body: Body = {
    toolCallId: frame.toolCallId,
    toolName: frame.toolName,
    state: state.state,
    requestEventId: frame.requestEventId,
    requestSha256: frame.requestSha256,
    requestOffset: frame.requestOffset,
    agentView: state.agentView ?? null,
    agentViewSha256,
    blocks,
    dropped,
    cuts,
    noEvidenceBasis: state.noEvidenceBasis ?? null,
    failure: state.failure ?? null,
    expiresAt: frame.expiresAt,
    signature: signEntry(signed, signer),
    ext: {},
  };
  return { body, emission: { topic: 'ledger.v1', key: ledgerKey(runId, frame.toolCallId), body } };
}
