import type { Codec } from '../contracts/codec.js';
import { ProoflineError } from '../contracts/errors.js';
import type { EvidenceEntry } from '../guard/entries.js';
import { readEntry } from './entry-state.js';
import type { Keyring } from './keyring.js';
import type { ViewEntry } from './ledger-view.js';
import type { EntryVerifier, Verification } from './signing.js';

/** Where entries were read. */
export interface ReadAt {
  readonly partition: number;
  readonly offset: number;
}

/** Turns entries of the view into what the guard is handed: decoded, their signatures checked. */
export interface EntryReader {
  /** @throws ProoflineError PL_KEY_UNKNOWN when an entry is signed by a key that the operator has not given us. */
  read(entry: ViewEntry, at: ReadAt): EvidenceEntry;
}

export function createEntryReader(codec: Codec, keyring: Keyring, verify: EntryVerifier): EntryReader {
  function check(entry: Parameters<EntryVerifier>[0]): 'VALID' | 'INVALID' | 'ABSENT' {
    const known = (verification: Verification): verification is 'VALID' | 'INVALID' | 'ABSENT' =>
      typeof verification === 'string';
    let verification = verify(entry);
    if (known(verification)) return verification;
    // The operator may have added the key since.
    keyring.reload();
    verification = verify(entry);
    if (known(verification)) return verification;
    throw new ProoflineError('PL_KEY_UNKNOWN', { key_id: verification.unknownKey });
  }

  return {
    read({ runId, toolCallId, value }, { partition, offset }) {
      const entry = readEntry(codec, value);
      if (entry === null) return unreadable(runId, toolCallId, { partition, offset });
      const { state, agentView, agentViewSha256, blocks, dropped, cuts, noEvidenceBasis, expiresAt } = entry;
      // An entry under another's key is not what its signature says.
      const ofKey = entry.runId === runId && entry.toolCallId === toolCallId;
      return {
        runId,
        toolCallId,
        state,
        agentView,
        agentViewSha256,
        blocks,
        dropped,
        cuts,
        noEvidenceBasis,
        expiresAt,
        signature: ofKey ? check(entry) : 'INVALID',
        partition,
        offset,
      };
    },
  };
}

function unreadable(runId: string, toolCallId: string, at: ReadAt): EvidenceEntry {
  return {
    runId,
    toolCallId,
    state: 'UNREADABLE',
    agentView: null,
    agentViewSha256: null,
    blocks: [],
    dropped: [],
    cuts: [],
    noEvidenceBasis: null,
    expiresAt: null,
    signature: 'ABSENT',
    ...at,
  };
}
