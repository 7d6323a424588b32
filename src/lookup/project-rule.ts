import { sha256 } from '../contracts/digest.js';
import { errorMessage, errorTable, type ErrorCode } from '../contracts/errors.js';
import type {
  EvidenceItem,
  Failure,
  Gain,
  LedgerEntry,
  PostprocessedEvidence,
  ProjectedEvidence,
} from '../contracts/generated.js';
import { gainOf, itemDigest } from '../evidence/gain.js';
import type { EvidenceLimits } from '../evidence/limits.js';
import { project, type Projection } from '../evidence/project.js';
import type { Signer } from '../ledger/keyring.js';
import type { Verification } from '../ledger/signing.js';
import { newEntry, type EntryFrame } from '../ledger/new-entry.js';
import { invocation } from '../station/invocation.js';
import type { Emission, Envelope, Invocation, Message, Outcome, RecordSize } from '../station/station.js';

/** The rule of the project station: freezes what the agent is shown, once a lookup. No I/O, no clock. */

export type Governed = Message<'postprocessed.v1'>;
type Entry = Omit<LedgerEntry, Envelope>;
type Answer = Omit<ProjectedEvidence, Envelope>;

export interface ProjectContext {
  /** The lookup's entry as the ledger has it; undefined without one, null where it cannot be read. */
  readonly entry: Entry | null | undefined;
  /** Whether that entry is what a station signed; ABSENT without one. */
  readonly checkSignature: () => Verification;
  /** Digests of the items that the run's other lookups showed. */
  readonly shownBefore: () => ReadonlySet<string>;
  readonly signer: Signer;
  readonly limits: EvidenceLimits;
}

export function decideProject(message: Governed, context: ProjectContext): Outcome {
  const { value } = message;
  switch (value.outcome) {
    case 'REPEAT':
      return answerAgain(value, context);
    case 'REFUSED':
      return refuse(value);
    case 'FAILURE':
    case 'HITS':
      if (context.entry === null) return unreadable(value);
      if (isTerminal(context.entry)) return alreadyAnswered(value);
      return value.outcome === 'HITS'
        ? freeze(value, context)
        : fail(value, failureOf(value), context.signer);
  }
}

/** What no record can hold fails, whole: nothing of it is shown. */
export function failTooLarge({ value }: Governed, size: RecordSize, signer: Signer): Outcome {
  return fail(value, failure('PL_EVIDENCE_TOO_LARGE', { ...size }), signer);
}

function isTerminal(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.state !== 'PENDING';
}

function failureOf(value: PostprocessedEvidence): Failure {
  return value.failure ?? failure('PL_PROJECTION_INPUT', { problem: 'it failed without saying why' });
}

function failure(code: ErrorCode, params: Record<string, string | number>): Failure {
  return { code, message: errorMessage(code, params), retryable: errorTable[code].retryable };
}

function freeze(value: PostprocessedEvidence, context: ProjectContext): Outcome {
  const projection = project(value.lookupResult ?? '', value.toolCallId, context.limits);
  if ('error' in projection) {
    // Its failure is the lookup's answer, and the record goes to the dead letters to be looked into.
    const { records, invocation: failed } = fail(value, projection.error, context.signer);
    const { code, message } = projection.error;
    return { kind: 'dead-letter', code, params: {}, message, records, invocation: failed };
  }
  const viewSha256 = sha256(projection.agentView);
  const gain = gainOf(digestsOf(projection.view.evidence), context.shownBefore());
  return {
    kind: 'emit',
    // The ledger comes first: who sees the projection must find its evidence there.
    records: [
      readyEntry(value, projection, viewSha256, context.signer),
      shown(value, projection, viewSha256, gain),
    ],
    invocation: frozenNote(value, projection, viewSha256, gain),
  };
}

export function digestsOf(items: readonly EvidenceItem[]): string[] {
  return items.map((item) => itemDigest(item, sha256));
}

function readyEntry(
  value: PostprocessedEvidence,
  projection: Projection,
  viewSha256: string,
  signer: Signer,
): Emission {
  const { agentView, blocks, dropped, cuts, noEvidenceBasis } = projection;
  const state = {
    state: 'READY' as const,
    agentView,
    agentViewSha256: viewSha256,
    blocks,
    dropped,
    cuts,
    noEvidenceBasis,
  };
  return newEntry(value.runId, frameOf(value), state, signer).emission;
}

function shown(
  value: PostprocessedEvidence,
  projection: Projection,
  viewSha256: string,
  gain: Gain,
): Emission {
  const { agentView, cuts, noEvidenceBasis } = projection;
  const body = {
    ...answer(value, 'READY'),
    agentView,
    agentViewSha256: viewSha256,
    cuts,
    noEvidenceBasis,
    gain,
  };
  return { topic: 'projected.v1', body };
}

function fail(value: PostprocessedEvidence, reason: Failure, signer: Signer): Outcome & { kind: 'emit' } {
  const entry = newEntry(value.runId, frameOf(value), { state: 'FAILED', failure: reason }, signer);
  const body = { ...answer(value, 'FAILED'), failure: reason };
  return {
    kind: 'emit',
    records: [entry.emission, { topic: 'projected.v1', body }],
    invocation: note(value, { outcome: 'FAILED', code: reason.code }),
  };
}

/** A repeated request is answered from the entry's bytes: the same answer, and no second entry. */
function answerAgain(value: PostprocessedEvidence, context: ProjectContext): Outcome {
  const check = context.checkSignature();
  if (typeof check === 'object') {
    return { kind: 'not-yet', code: 'PL_KEY_UNKNOWN', params: { key_id: check.unknownKey } };
  }
  const body = { ...repeated(value, context.entry, check === 'VALID'), repeat: true };
  return {
    kind: 'emit',
    records: [{ topic: 'projected.v1', mark: 'REPEAT', body }],
    invocation: note(value, { outcome: 'REPEAT', code: body.failure?.code ?? null }),
  };
}

function repeated(value: PostprocessedEvidence, entry: Entry | null | undefined, isSigned: boolean): Answer {
  if (entry === undefined || entry === null || entry.state === 'PENDING') {
    // The first request lies before this one on the partition, so its answer was lost to a dead letter.
    return { ...answer(value, 'FAILED'), failure: failure('PL_LOOKUP_LOST', {}) };
  }
  // Whoever can write to the view must not be able to show a model what no station froze.
  if (!isSigned) return { ...answer(value, 'FAILED'), failure: failure('PL_LEDGER_BROKEN', {}) };
  const { state, agentView, agentViewSha256, cuts, noEvidenceBasis, failure: reason, expiresAt } = entry;
  return {
    ...answer(value, state),
    agentView,
    agentViewSha256,
    cuts,
    noEvidenceBasis,
    failure: reason,
    expiresAt,
  };
}

function refuse(value: PostprocessedEvidence): Outcome {
  const body = { ...answer(value, 'REFUSED'), failure: failureOf(value), expiresAt: null };
  return {
    kind: 'emit',
    records: [{ topic: 'projected.v1', mark: 'REFUSED', body }],
    invocation: note(value, { outcome: 'REFUSED', code: value.failure?.code ?? null }),
  };
}

/** Somebody else wrote what nobody can read under the lookup's key, and the first stands: it has no evidence. */
function unreadable(value: PostprocessedEvidence): Outcome {
  const reason = failure('PL_LOOKUP_LOST', {});
  const body = { ...answer(value, 'FAILED'), failure: reason };
  return {
    kind: 'emit',
    records: [{ topic: 'projected.v1', body }],
    invocation: note(value, { outcome: 'FAILED', code: reason.code }),
  };
}

/** A record that came twice: its lookup has its one entry and its one answer. */
function alreadyAnswered(value: PostprocessedEvidence): Outcome {
  return { kind: 'emit', records: [], invocation: note(value, { outcome: 'ALREADY_ANSWERED' }) };
}

function frameOf(value: PostprocessedEvidence): EntryFrame {
  const { toolCallId, toolName, requestEventId, requestSha256, requestOffset, expiresAt } = value;
  return { toolCallId, toolName, requestEventId, requestSha256, requestOffset, expiresAt };
}

function answer(
  { toolCallId, toolName, requestEventId, expiresAt }: PostprocessedEvidence,
  state: Answer['state'],
): Answer {
  return {
    toolCallId,
    toolName,
    requestEventId,
    state,
    agentView: null,
    agentViewSha256: null,
    cuts: [],
    noEvidenceBasis: null,
    gain: null,
    repeat: false,
    failure: null,
    expiresAt,
    ext: {},
  };
}

function note(
  { toolCallId, toolName }: PostprocessedEvidence,
  { outcome, code = null }: Pick<Invocation, 'outcome'> & Partial<Pick<Invocation, 'code'>>,
): Invocation {
  return invocation({ kind: 'PROJECT', outcome, code, toolCallId, toolName, countIn: 0, countOut: 0 });
}

function frozenNote(
  value: PostprocessedEvidence,
  projection: Projection,
  viewSha256: string,
  gain: Gain,
): Invocation {
  const { view, blocks, cuts, noEvidenceBasis, markedDocumentIds } = projection;
  const { query, evidenceStatus, relevanceLevel, returnedCount } = view;
  const facts = {
    agent_view_sha256: viewSha256,
    shown: view.evidence.map((item) => item.documentId),
    no_evidence_basis: noEvidenceBasis,
    gain,
    ...(markedDocumentIds.length > 0 ? { MARKER_IN_EVIDENCE: markedDocumentIds } : {}),
  };
  return invocation({
    kind: 'PROJECT',
    outcome: 'READY',
    toolCallId: value.toolCallId,
    toolName: value.toolName,
    query,
    evidenceStatus,
    relevanceLevel,
    countIn: blocks.length,
    countOut: returnedCount,
    cuts,
    facts,
  });
}
