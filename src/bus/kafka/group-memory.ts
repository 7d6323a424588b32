/** How far a group has come, by `topic/partition`: the greatest next offset that somebody has committed. */
export type GroupMemory = ReadonlyMap<string, number>;

/**
 * What the members of a group remember of it, for each other. A coordinator may forget: one that was elected, lost
 * and elected again while it still loads has been seen to serve offsets of minutes ago (Kafka 4.1.1). A process that
 * committed later ones refuses to go back; one that has just started knows nothing, and is told.
 */
export interface SharedMemory {
  /** What this process has committed. */
  told(): GroupMemory;
  /** What others have, of the partitions that are this process's now. */
  learn(memory: GroupMemory): void;
}

const NOTHING = Buffer.alloc(0);
const MAX_BYTES = 1024 * 1024;

export function encodeMemory(memory: GroupMemory): Buffer {
  return memory.size === 0 ? NOTHING : Buffer.from(JSON.stringify(Object.fromEntries(memory)));
}

/** Nothing of what is no offset: a member of another version says nothing, or something else. */
export function decodeMemory(data: Buffer | null | undefined): GroupMemory {
  if (data === null || data === undefined || data.length > MAX_BYTES) return new Map();
  try {
    const entries = Object.entries(JSON.parse(data.toString()) as object);
    return new Map(entries.filter((entry): entry is [string, number] => isOffset(entry[1])));
  } catch {
    return new Map();
  }
}

/** The greatest of each. */
export function joinMemories(memories: readonly GroupMemory[]): Map<string, number> {
  const joined = new Map<string, number>();
  for (const memory of memories) {
    for (const [log, offset] of memory) joined.set(log, Math.max(offset, joined.get(log) ?? 0));
  }
  return joined;
}

export function ofPartitions(memory: GroupMemory, isOwn: (partition: number) => boolean): GroupMemory {
  return new Map([...memory].filter(([log]) => isOwn(Number(log.slice(log.lastIndexOf('/') + 1)))));
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
