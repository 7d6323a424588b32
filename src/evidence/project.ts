import type { AgentView, Block, Cut, Dropped, EvidenceItem, RelevanceLevel } from '../contracts/generated.js';
import { cutText, isBlank, utf8Length } from '../text/text.js';
import { writeAgentView } from './agent-view.js';
import { evidenceLimits } from './limits.js';
import type { EvidenceLimits } from './limits.js';
import { hasMarker } from './marker.js';
import { identityOf, readBlock, readLookupResult } from './read-lookup-result.js';
import type { LookupResultReading } from './read-lookup-result.js';
import { refusal } from './refusal.js';
import type { Refusal } from './refusal.js';

/** What the view leaves out of what was found. */
export type CutCode = 'QUERY_CUT' | 'ITEM_CAP' | 'ID_COLLISION' | 'EXCERPT_CUT' | 'BYTE_BUDGET';

/** One lookup as the agent gets it, and what the ledger keeps beside it. */
export interface Projection {
  /** The text that the agent gets, byte for byte. */
  readonly agentView: string;
  /** The same, to work with. */
  readonly view: AgentView;
  /** In the order in which they were made. */
  readonly cuts: readonly Cut[];
  /** The whole text of every item that is shown, or that only the byte limit took away. */
  readonly blocks: readonly Block[];
  /** What post-processing had dropped before. */
  readonly dropped: readonly Dropped[];
  /** Why there is no evidence; null when there is, or when nothing says. */
  readonly noEvidenceBasis: string | null;
  /** Shown items whose excerpt looks like a citation marker or like the contract's JSON. */
  readonly markedDocumentIds: readonly string[];
}

/**
 * What the agent is given for a lookup: the LookupResult's JSON text cut to what an agent may see. Never
 * throws: a text that is no LookupResult is PL_PROJECTION_INPUT, and a view that is too large even without
 * evidence is PL_PROJECTION_OVER_BUDGET. Every text of the view is well-formed.
 */
export function project(
  lookupResult: string,
  toolCallId: string,
  limits: EvidenceLimits = evidenceLimits,
): Projection | Refusal {
  const reading = readLookupResult(lookupResult);
  if ('problem' in reading) return refusal('PL_PROJECTION_INPUT', { problem: reading.problem });
  const cuts: Cut[] = [];
  const query = cutQuery(reading.query, limits, cuts);
  const chosen = chooseItems(reading.blocks, limits, cuts);
  const items = chosen.map(({ item }) => item);
  const frame: Frame = { toolCallId: toolCallId.toWellFormed(), query, level: reading.relevanceLevel };
  const fitted = fitBytes(frame, items, limits, cuts);
  if ('error' in fitted) return fitted;
  const { view } = fitted;
  return {
    ...fitted,
    cuts,
    blocks: chosen.map(({ item, content }) => ({ documentId: item.documentId, content })),
    dropped: reading.dropped,
    noEvidenceBasis: view.returnedCount > 0 ? null : basisOf(reading, cuts, limits),
    markedDocumentIds: view.evidence.filter((item) => hasMarker(item.excerpt)).map((item) => item.documentId),
  };
}

function cutQuery(query: string, limits: EvidenceLimits, cuts: Cut[]): string {
  const cut = cutText(query, limits.queryChars);
  if (cut !== query) cuts.push(cutOf('QUERY_CUT', null));
  return cut;
}

function cutOf(code: CutCode, documentId: string | null): Cut {
  return { code, documentId };
}

/** An item and the whole text that its excerpt is taken from. */
interface Chosen {
  readonly item: EvidenceItem;
  readonly content: string;
}

function chooseItems(blocks: readonly unknown[], limits: EvidenceLimits, cuts: Cut[]): Chosen[] {
  const chosen: Chosen[] = [];
  const seen = new Map<string, string>();
  for (const [index, block] of blocks.entries()) {
    if (chosen.length >= limits.maxItems) {
      cuts.push(cutOf('ITEM_CAP', identityOf(block, index + 1)));
      break;
    }
    const choice = chooseItem(block, index + 1, seen, limits, cuts);
    if (choice !== null) chosen.push(choice);
  }
  return chosen;
}

/** The block as an item; null when it has no text, or its identity was seen before (`seen`: identity → text). */
function chooseItem(
  block: unknown,
  position: number,
  seen: Map<string, string>,
  limits: EvidenceLimits,
  cuts: Cut[],
): Chosen | null {
  const reading = readBlock(block);
  if (reading === null) return null;
  const documentId = identityOf(block, position);
  const { source, title, breadcrumb, content } = reading;
  const earlier = seen.get(documentId);
  if (earlier !== undefined) {
    if (earlier !== content) cuts.push(cutOf('ID_COLLISION', documentId));
    return null;
  }
  seen.set(documentId, content);
  const excerpt = cutText(content, limits.excerptChars);
  if (excerpt !== content) cuts.push(cutOf('EXCERPT_CUT', documentId));
  return isBlank(excerpt) ? null : { item: { documentId, source, title, breadcrumb, excerpt }, content };
}

/** What a view says beside its evidence. */
interface Frame {
  readonly toolCallId: string;
  readonly query: string;
  /** Grade of the evidence, told only while there is any. */
  readonly level: RelevanceLevel | null;
}

/** Drops items from the tail until the text fits; when even the empty view does not, nothing is shown at all. */
function fitBytes(
  frame: Frame,
  items: readonly EvidenceItem[],
  limits: EvidenceLimits,
  cuts: Cut[],
): { readonly agentView: string; readonly view: AgentView } | Refusal {
  for (let count = items.length; ; count--) {
    const view = viewOf(frame, items.slice(0, count), cuts.length > 0);
    const agentView = writeAgentView(view);
    const bytes = utf8Length(agentView);
    if (bytes <= limits.viewBytes) return { agentView, view };
    const last = items[count - 1];
    if (last === undefined) return refusal('PL_PROJECTION_OVER_BUDGET', { bytes, limit: limits.viewBytes });
    cuts.push(cutOf('BYTE_BUDGET', last.documentId));
  }
}

function viewOf(frame: Frame, evidence: readonly EvidenceItem[], truncated: boolean): AgentView {
  const found = evidence.length > 0;
  return {
    evidenceStatus: found ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    toolCallId: frame.toolCallId,
    query: frame.query,
    evidence,
    returnedCount: evidence.length,
    relevanceLevel: found ? frame.level : null,
    truncated,
  };
}

/** Retrieval's own word, else what the line itself took away: by the byte limit, or before it. */
function basisOf(reading: LookupResultReading, cuts: readonly Cut[], limits: EvidenceLimits): string | null {
  if (reading.noEvidenceBasis !== null) return cutText(reading.noEvidenceBasis, limits.basisChars);
  if (cuts.some(({ code }) => code === 'BYTE_BUDGET')) return 'byte_budget';
  return reading.candidateCount > 0 ? 'all_dropped' : null;
}
