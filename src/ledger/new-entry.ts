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
  const unsigned = {
    ...frame,
    agentView: null,
    agentViewSha256: null,
    blocks: [],
    dropped: [],
    cuts: [],
    noEvidenceBasis: null,
    failure: null,
    ...state,
  };
  const body: Body = { ...unsigned, signature: signEntry({ runId, ...unsigned }, signer), ext: {} };
  return { body, emission: { topic: 'ledger.v1', key: ledgerKey(runId, frame.toolCallId), body } };
}
