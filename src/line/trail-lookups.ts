import type { Codec } from '../contracts/codec.js';
import type {
  AgentView,
  Cut,
  EvidenceStatus,
  Failure,
  Gain,
  RelevanceLevel,
  ToolInvocation,
} from '../contracts/generated.js';
import type { JsonObject } from '../contracts/json.js';
import { parseAgentView } from '../evidence/parse-agent-view.js';
import type { EntryState } from '../ledger/entry-state.js';
import { factsOf, numberIn, textIn, textsIn } from '../trace/facts.js';
import type { EntryProblem, SignatureState } from './ledger-entries.js';
import { retrievedHits, type HitSources, type HitTrail } from './trail-hits.js';
import { seenMessages, type Seen } from './run-messages.js';
import type { RunData } from './run-snapshot.js';

/** The story of each lookup of a run: what was asked, what was found, what became of each hit, what was shown. */

export interface LookupTrail {
  readonly toolCallId: string;
  /** LOST: given up on its way, and never answered; it lies with the dead letters. */
  readonly state: EntryState | 'REFUSED' | 'LOST';
  /** Null where it is gone. */
  readonly query: string | null;
  readonly mode: string | null;
  readonly topK: number | null;
  /** Wall clock, epoch milliseconds; null where nothing tells. */
  readonly askedAt: number | null;
  readonly answeredAt: number | null;
  /** How long each station took, in milliseconds; null where it was not reached or is not known. */
  readonly took: {
    readonly retrieve: number | null;
    readonly postprocess: number | null;
    readonly project: number | null;
  };
  /** In retrieval's order; null where it is not known. */
  readonly retrieved: readonly HitTrail[] | null;
  readonly shown: ShownTrail | null;
  readonly failure: Failure | null;
  readonly ledger: LedgerTrail | null;
  /** The same call id again, answered as before or refused. */
  readonly again: readonly AskedAgain[];
}

export interface ShownTrail {
  readonly evidenceStatus: EvidenceStatus | null;
  readonly relevanceLevel: RelevanceLevel | null;
  readonly documents: readonly ShownDocument[];
  /** Null where the view is gone. */
  readonly truncated: boolean | null;
  readonly cuts: readonly Cut[];
  readonly noEvidenceBasis: string | null;
  readonly gain: Gain | null;
  /** Documents whose text looks like a citation marker or like a contract's JSON. */
  readonly markerInEvidence: readonly string[];
  readonly agentViewSha256: string | null;
  /** Where the view's text is: with the topics, the audit or the ledger; null where it is gone. */
  readonly textFrom: 'TOPIC' | 'AUDIT' | 'LEDGER' | null;
}

export interface ShownDocument {
  readonly documentId: string;
  readonly title: string | null;
  /** Null where the text is gone. */
  readonly excerpt: string | null;
}

export interface LedgerTrail {
  readonly state: EntryState;
  readonly signature: SignatureState;
  readonly keyId: string | null;
  readonly problems: readonly EntryProblem[];
  readonly expiresAt: number | null;
}

export interface AskedAgain {
  readonly at: number | null;
  readonly answer: 'REPEAT' | 'REFUSED';
  readonly code: string | null;
}

type Projected = Seen<'projected.v1'>;

/** What is known of one call id, by where it is from. */
interface Sources {
  readonly toolCallId: string;
  readonly data: RunData;
  readonly notes: readonly ToolInvocation[];
  readonly projected: readonly Projected[];
  readonly entry: RunData['ledger'][number] | undefined;
  /** The request that was accepted, or else the first. */
  readonly requestEventId: string | null;
}

/** The run's lookups in the order in which they were asked. */
export function lookupTrails(data: RunData, codec: Codec): LookupTrail[] {
  const projected = seenMessages(data, codec, 'projected.v1');
  return callIds(data, projected).map((toolCallId) => lookupTrail(sourcesOf(data, projected, toolCallId)));
}

function callIds({ records, audit, ledger }: RunData, projected: readonly Projected[]): string[] {
  const requested = records['lookup-requested.v1'].map(({ message }) => message.toolCallId);
  const noted = audit.invocations.flatMap(({ toolCallId, station }) =>
    toolCallId !== null && STATIONS.has(station) ? [toolCallId] : [],
  );
  const answered = projected.map(({ message }) => message.toolCallId);
  return [...new Set([...noted, ...requested, ...answered, ...ledger.map((entry) => entry.toolCallId)])];
}

const STATIONS = new Set(['retrieve', 'postprocess', 'project']);

function sourcesOf(data: RunData, projected: readonly Projected[], toolCallId: string): Sources {
  const entry = data.ledger.find((each) => each.toolCallId === toolCallId);
  const notes = data.audit.invocations.filter((note) => note.toolCallId === toolCallId);
  const answers = projected.filter(({ message }) => message.toolCallId === toolCallId);
  const requests = data.records['lookup-requested.v1'].filter(
    ({ message }) => message.toolCallId === toolCallId,
  );
  const accepted = notes.find(({ kind, outcome }) => kind === 'RETRIEVE' && ACCEPTED.has(outcome));
  const requestEventId =
    entry?.entry?.requestEventId ??
    accepted?.causedBy ??
    requests[0]?.message.eventId ??
    answers[0]?.message.requestEventId ??
    null;
  return { toolCallId, data, notes, projected: answers, entry, requestEventId };
}

const ACCEPTED = new Set(['HITS', 'FAILURE']);

function lookupTrail(sources: Sources): LookupTrail {
  const { toolCallId, data, entry, requestEventId } = sources;
  const request = data.records['lookup-requested.v1'].find(
    ({ message }) => message.eventId === requestEventId,
  );
  const answer = firstAnswer(sources);
  const [retrieve, project] = [noteOf(sources, 'RETRIEVE'), noteOf(sources, 'PROJECT')];
  return {
    toolCallId,
    state: answer?.message.state ?? stateWithoutAnswer(sources, project),
    query: request?.message.query ?? retrieve?.query ?? null,
    mode: request?.message.mode ?? textIn(factsOf(retrieve)['mode']),
    topK: request?.message.topK ?? numberIn(factsOf(retrieve)['top_k']),
    askedAt: request?.timestamp ?? retrieve?.measured.startedAt ?? null,
    answeredAt: answer?.timestamp ?? project?.measured.finishedAt ?? null,
    took: {
      retrieve: durationOf(retrieve),
      postprocess: durationOf(noteOf(sources, 'POSTPROCESS')),
      project: durationOf(project),
    },
    retrieved: retrievedHits(hitSources(sources)),
    shown: shown(sources, answer),
    failure: answer?.message.failure ?? entry?.entry?.failure ?? null,
    ledger: ledgerOf(entry),
    again: askedAgain(sources, answer),
  };
}

function hitSources(sources: Sources): HitSources {
  const { records } = sources.data;
  const isOurs = ({ message }: { message: { requestEventId: string } }): boolean =>
    message.requestEventId === sources.requestEventId;
  const hits = records['raw-hits.v1'].find((kept) => isOurs(kept) && kept.message.outcome === 'HITS');
  const governed = records['postprocessed.v1'].find(
    (kept) => isOurs(kept) && kept.message.lookupResult !== null,
  );
  return {
    hits: hits?.message,
    governed: governed?.message,
    retrieveNote: noteOf(sources, 'RETRIEVE'),
    postprocessNote: noteOf(sources, 'POSTPROCESS'),
  };
}

/** The answer to the request that was accepted; one that was refused is answered too. */
function firstAnswer({ projected, requestEventId }: Sources): Projected | undefined {
  return projected.find(({ message }) => message.requestEventId === requestEventId && !message.repeat);
}

/** The note of the request's first time through a station. */
function noteOf({ notes }: Sources, kind: string): ToolInvocation | undefined {
  const ofKind = notes.filter((note) => note.kind === kind);
  return ofKind.find(({ outcome }) => outcome !== 'REPEAT' && outcome !== 'REFUSED') ?? ofKind[0];
}

function stateWithoutAnswer(sources: Sources, project: ToolInvocation | undefined): LookupTrail['state'] {
  const { outcome = '' } = project ?? {};
  if (outcome === 'READY' || outcome === 'FAILED' || outcome === 'REFUSED') return outcome;
  const { entry } = sources;
  if (entry !== undefined && entry.state !== 'PENDING') return entry.state;
  return wasGivenUp(sources) ? 'LOST' : 'PENDING';
}

/** True when the request, or what followed from it, lies with the dead letters. */
function wasGivenUp({ data, notes, entry, requestEventId }: Sources): boolean {
  const { records, deadLetters } = data;
  const followed = [...records['raw-hits.v1'], ...records['postprocessed.v1']]
    .filter(({ message }) => message.requestEventId === requestEventId)
    .map(({ message }) => message.eventId);
  const passed = new Set([requestEventId, ...followed]);
  if (deadLetters.some(({ message }) => message.causedBy !== null && passed.has(message.causedBy)))
    return true;
  return entry === undefined && notes.some(({ kind }) => kind === 'DEAD_LETTER');
}

function durationOf(note: ToolInvocation | undefined): number | null {
  return note === undefined ? null : note.measured.finishedAt - note.measured.startedAt;
}

function ledgerOf(entry: Sources['entry']): LedgerTrail | null {
  if (entry === undefined) return null;
  const { state, signature, problems } = entry;
  const { expiresAt = null, signature: signed } = entry.entry ?? {};
  return { state, signature, problems, expiresAt, keyId: signed?.keyId ?? null };
}

function askedAgain({ data, toolCallId, notes }: Sources, answer: Projected | undefined): AskedAgain[] {
  const kept = data.records['projected.v1'].filter(
    ({ message }) => message.toolCallId === toolCallId && message.eventId !== answer?.message.eventId,
  );
  if (kept.length > 0 || answer?.timestamp !== null)
    return kept.map(({ message, timestamp }) => ({
      at: timestamp,
      answer: message.repeat ? 'REPEAT' : 'REFUSED',
      code: message.failure?.code ?? null,
    }));
  return notes
    .filter(({ kind, outcome }) => kind === 'PROJECT' && (outcome === 'REPEAT' || outcome === 'REFUSED'))
    .map(({ outcome, code, measured }) => ({
      at: measured.finishedAt,
      answer: outcome as AskedAgain['answer'],
      code,
    }));
}

function shown(sources: Sources, answer: Projected | undefined): ShownTrail | null {
  const project = noteOf(sources, 'PROJECT');
  const facts = factsOf(project);
  const { text, textFrom } = viewText(sources, answer);
  if (text === null && project?.outcome !== 'READY') return null;
  const reading = text === null ? null : parseAgentView(text, sources.toolCallId);
  const view = reading !== null && 'view' in reading ? reading.view : null;
  const known = answer?.message ?? sources.entry?.entry ?? null;
  return {
    evidenceStatus: view?.evidenceStatus ?? project?.evidenceStatus ?? null,
    relevanceLevel: view?.relevanceLevel ?? project?.relevanceLevel ?? null,
    documents: view === null ? documentsNoted(facts) : documentsOf(view),
    truncated: view?.truncated ?? null,
    cuts: known?.cuts ?? project?.cuts ?? [],
    noEvidenceBasis: known?.noEvidenceBasis ?? textIn(facts['no_evidence_basis']),
    gain: answer?.message.gain ?? (textIn(facts['gain']) as Gain | null),
    markerInEvidence: textsIn(facts['MARKER_IN_EVIDENCE']),
    agentViewSha256: known?.agentViewSha256 ?? textIn(facts['agent_view_sha256']),
    textFrom: view === null ? null : textFrom,
  };
}

function viewText(
  { entry }: Sources,
  answer: Projected | undefined,
): { text: string | null; textFrom: ShownTrail['textFrom'] } {
  const text = answer?.message.agentView ?? null;
  if (text !== null) return { text, textFrom: answer?.timestamp === null ? 'AUDIT' : 'TOPIC' };
  return { text: entry?.entry?.agentView ?? null, textFrom: 'LEDGER' };
}

function documentsOf(view: AgentView): ShownDocument[] {
  return view.evidence.map(({ documentId, title, excerpt }) => ({ documentId, title, excerpt }));
}

function documentsNoted(facts: JsonObject): ShownDocument[] {
  return textsIn(facts['shown']).map((documentId) => ({ documentId, title: null, excerpt: null }));
}
