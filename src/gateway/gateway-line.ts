import type { AuditReader } from '../audit/audit-store.js';
import type { Bus } from '../bus/bus.js';
import type { Codec } from '../contracts/codec.js';
import type { Keyring } from '../ledger/keyring.js';
import type { LedgerView } from '../ledger/ledger-view.js';
import type { Answers } from '../line/answers.js';
import type { Doors } from '../line/doors.js';
import type { Emitter } from '../station/envelope.js';

/** The line that a gateway stands before: the embedded one, or one in Kafka whose stations may run elsewhere. */
export interface GatewayLine extends Doors {
  readonly bus: Bus;
  readonly codec: Codec;
  readonly ledger: LedgerView;
  readonly audit: AuditReader;
  readonly answers: Answers;
  readonly emitter: Emitter;
  /** Checks the signatures that a trail tells of; null where there is no key. */
  readonly keyring: Keyring | null;
  /** @throws ProoflineError where no lookup could be answered, which waiting does not mend */
  assertCanLookUp?(): void;
}
