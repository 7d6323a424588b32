import {
  ledgerKey,
  parseLedgerKey,
  type LedgerView,
  type ViewEntry,
  type ViewQuery,
} from '../ledger-view.js';
import type { RedisClient } from './connection.js';
import type { RedisKeys } from './keys.js';
import { asBuffer, asList, asNumber, asText, textOrNull, textsIn } from './replies.js';
import { EXPIRED, READ } from './scripts.js';

export type ViewReading = Pick<LedgerView, 'read' | 'foreignRun' | 'expiredBefore'>;

export function createReading(client: RedisClient, keys: RedisKeys, epoch: string): ViewReading {
  const readScript = client.script(READ);
  const expired = client.script(EXPIRED);

  /** False for what the index still names and the view has no more. */
  async function has(partition: number, runId: string, toolCallId: string): Promise<boolean> {
    const field = `e:${ledgerKey(runId, toolCallId)}`;
    const reply = asList(await client.call('HMGET', keys.live(partition).hash, '@epoch', field));
    return textOrNull(reply[0]) === epoch && reply[1] !== null;
  }

  return {
    async read(partition, queries) {
      const args = queries.flatMap(argumentsOf);
      const reply = await readScript([keys.live(partition).hash], [epoch, ...args]);
      if (reply === null) return null;
      const [position, ...found] = asList(reply);
      const entries = queries.flatMap(({ runId }, i) => entriesIn(runId, asList(found[i])));
      return { position: asNumber(position), entries };
    },

    async foreignRun(toolCallId, exceptRunId) {
      if (!toolCallId.isWellFormed()) return null;
      const list = await client.call('HGET', keys.calls(toolCallId), toolCallId);
      for (const where of list === null ? [] : textsIn(asBuffer(list))) {
        // `PARTITION/RUN`, written like a key.
        const { runId: partition, toolCallId: runId } = parseLedgerKey(where) ?? {
          runId: '',
          toolCallId: '',
        };
        if (runId !== exceptRunId && (await has(Number(partition), runId, toolCallId))) return runId;
      }
      return null;
    },

    async expiredBefore(partition, instant, limit) {
      const { hash, expiry } = keys.live(partition);
      const reply = asList(await expired([hash, expiry], [epoch, instant, limit]));
      return reply.flatMap((key) => parseLedgerKey(asText(key)) ?? []);
    },
  };
}

/** Ids that are no text are no entry's; in bytes they would look like another id. */
function argumentsOf({ runId, toolCallIds, others }: ViewQuery): (string | number)[] {
  const calls = toolCallIds.filter((id) => id.isWellFormed());
  return [runId, others, calls.length, ...calls];
}

function entriesIn(runId: string, pairs: readonly unknown[]): ViewEntry[] {
  const entries: ViewEntry[] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2)
    // The first byte is the state's.
    entries.push({ runId, toolCallId: asText(pairs[i]), value: asBuffer(pairs[i + 1]).subarray(1) });
  return entries;
}
