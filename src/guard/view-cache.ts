import { parseAgentView, type AgentViewReading } from '../evidence/parse-agent-view.js';
import type { Sha256 } from '../text/text.js';

/** An agent view's text, digested and read. Depends on nothing but the text and the tool_call_id. */
export interface ReadView {
  /** SHA-256 of the text, hex. */
  readonly sha256: string;
  readonly reading: AgentViewReading;
}

/**
 * Reads agent views. An implementation MAY remember what it read, but MUST NOT answer for one text, or one
 * tool_call_id, with what it read of another: the digest in the answer is what tampering is found by.
 */
export interface ViewReader {
  /** `statedSha256`: the digest that the entry claims. It MUST NOT be believed, only used to remember by. */
  readView(text: string, toolCallId: string, statedSha256: string | null): ReadView;
}

/** Reads each view anew. */
export function plainViews(sha256: Sha256): ViewReader {
  return {
    readView: (text, toolCallId) => ({
      sha256: sha256(text.toWellFormed()),
      reading: parseAgentView(text, toolCallId),
    }),
  };
}

interface RememberedView {
  readonly text: string;
  readonly toolCallId: string;
  readonly read: ReadView;
}

/** No correct view comes near this, and a few that do must not fill the memory. */
const LONGEST_REMEMBERED = 64 * 1024;

/**
 * Remembers the last `capacity` views under the digest that their entries state. What is remembered counts
 * only for the very same text, compared whole, so a changed text never finds what was read of the true one.
 * The view that was not asked for the longest is forgotten first.
 */
export function cachedViews(sha256: Sha256, capacity = 1000): ViewReader {
  const remembered = new Map<string, RememberedView>();
  const plain = plainViews(sha256);

  function readView(text: string, toolCallId: string, statedSha256: string | null): ReadView {
    if (statedSha256 === null || text.length > LONGEST_REMEMBERED)
      return plain.readView(text, toolCallId, statedSha256);
    const known = remembered.get(statedSha256);
    const isSame = known?.text === text && known.toolCallId === toolCallId;
    const view = isSame ? known : { text, toolCallId, read: plain.readView(text, toolCallId, statedSha256) };
    remember(statedSha256, view);
    return view.read;
  }

  /** A Map keeps the order of insertion: what was asked for last stands at its end. */
  function remember(statedSha256: string, view: RememberedView): void {
    remembered.delete(statedSha256);
    remembered.set(statedSha256, view);
    if (remembered.size <= capacity) return;
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      return;
    }
  }

  return { readView };
}
