/**
 * The tokens of an encoding, found by their bytes. They lie in a few typed arrays: as strings in a map, the 200,000 of
 * o200k_base are half of a line's heap, and make its process a hundred megabytes larger.
 */
export interface Vocabulary {
  /**
   * The rank of the token whose bytes those of `bytes` (one character a byte) from `start` to `end` are, or -1; the
   * lower the rank, the earlier it is merged.
   */
  rankOf(bytes: string, start: number, end: number): number;
  /** Bytes of the longest token. */
  readonly longest: number;
}

/** A token: a text, or bytes that are none by themselves. */
export type Token = string | readonly number[];

const NONE = -1;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Of tokens by rank. It may have holes. */
export function packVocabulary(tokens: readonly Token[]): Vocabulary {
  const { bytes, ends, longest } = packBytes(tokens);
  // At most half full, so that few slots are looked at.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * tokens.length + 1))).fill(NONE);
  const mask = slots.length - 1;
  const startOf = (rank: number): number => (rank === 0 ? 0 : (ends[rank - 1] ?? 0));

  for (let rank = 0; rank < tokens.length; rank++) {
    const [start, end] = [startOf(rank), ends[rank] ?? 0];
    if (start === end) continue;
    let hash = FNV_OFFSET;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), FNV_PRIME);
    let slot = hash & mask;
    while (slots[slot] !== NONE) slot = (slot + 1) & mask;
    slots[slot] = rank;
  }

  function isToken(rank: number, text: string, start: number, size: number): boolean {
    const first = startOf(rank);
    if ((ends[rank] ?? 0) - first !== size) return false;
    for (let i = 0; i < size; i++) if (bytes[first + i] !== text.charCodeAt(start + i)) return false;
    return true;
  }

  return {
    longest,
    rankOf(text, start, end) {
      const size = end - start;
      if (size > longest) return NONE;
      let hash = FNV_OFFSET;
      for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const rank = slots[slot] ?? NONE;
        if (rank === NONE || isToken(rank, text, start, size)) return rank;
      }
    },
  };
}

/** The bytes of all tokens one behind the other, and where each ends. A hole has none. */
function packBytes(tokens: readonly Token[]): { bytes: Uint8Array; ends: Uint32Array; longest: number } {
  const encoder = new TextEncoder();
  const ends = new Uint32Array(tokens.length);
  let [bytes, at, longest] = [new Uint8Array(1 << 16), 0, 0];
  for (let rank = 0; rank < tokens.length; rank++) {
    const token = tokens[rank] ?? [];
    const packed = typeof token === 'string' ? encoder.encode(token) : token;
    if (at + packed.length > bytes.length) {
      const larger = new Uint8Array(2 * (bytes.length + packed.length));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(packed, at);
    at += packed.length;
    ends[rank] = at;
    longest = Math.max(longest, packed.length);
  }
  return { bytes: bytes.slice(0, at), ends, longest };
}
