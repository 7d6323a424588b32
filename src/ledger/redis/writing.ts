import type { Codec } from '../../contracts/codec.js';
import { readEntry, type EntryState } from '../entry-state.js';
import {
  parseLedgerKey,
  type Applied,
  type LedgerBatch,
  type LedgerView,
  type OpenedPartition,
} from '../ledger-view.js';
import type { PositionWaiters } from '../position-waiters.js';
import { createCallIndex } from './call-index.js';
import type { RedisClient } from './connection.js';
import type { RedisKeys, ViewKeys } from './keys.js';
import { asList, asNumber, asText, textOrNull } from './replies.js';
import { APPLY, BEGIN, FINISH } from './scripts.js';

/** What the writer of a partition does. */
export type ViewWriting = Pick<LedgerView, 'open' | 'apply' | 'rebuild'>;

export interface WritingOptions {
  readonly client: RedisClient;
  readonly keys: RedisKeys;
  readonly codec: Codec;
  readonly epoch: string;
  readonly waiters: PositionWaiters;
}

/** How the scripts tell states apart: all but PENDING are for good. */
const LETTERS: Readonly<Record<EntryState, string>> = {
  PENDING: 'P',
  READY: 'R',
  FAILED: 'F',
  UNREADABLE: 'U',
};

export function createWriting({ client, keys, codec, epoch, waiters }: WritingOptions): ViewWriting {
  const applyScript = client.script(APPLY);
  const beginScript = client.script(BEGIN);
  const finishScript = client.script(FINISH);
  const calls = createCallIndex(client, keys);
  /** What was opened of each partition: after a rebuild by somebody else nothing more is applied. */
  const sources = new Map<number, string>();

  async function apply(batch: LedgerBatch, { hash, expiry }: ViewKeys, source: string): Promise<Applied> {
    const { from, to, records } = batch;
    const args = records.flatMap((record) => argumentsOf(codec, record));
    const reply = asList(await applyScript([hash, expiry], [epoch, source, from, to, ...args]));
    switch (asText(reply[0])) {
      case 'OK':
        return { kind: 'applied', takenBack: asNumber(reply[1]) };
      case 'GAP':
        return { kind: 'gap', position: asNumber(reply[1]) };
      default:
        return { kind: 'lost' };
    }
  }

  return {
    async open(partition): Promise<OpenedPartition | null> {
      sources.delete(partition);
      const { hash } = keys.live(partition);
      const [of, source, at] = asList(await client.call('HMGET', hash, '@epoch', '@source', '@position'));
      if (textOrNull(of) !== epoch || textOrNull(at) === null) return null;
      sources.set(partition, asText(source));
      return { position: asNumber(at), source: asText(source) };
    },

    async apply(batch) {
      const { partition, to } = batch;
      const source = sources.get(partition);
      if (source === undefined) return { kind: 'lost' };
      const result = await apply(batch, keys.live(partition), source);
      if (result.kind === 'lost') sources.delete(partition);
      if (result.kind === 'applied') {
        waiters.moved(partition, to);
        await calls.write(batch);
      }
      return result;
    },

    async rebuild(partition, source) {
      const [live, next] = [keys.live(partition), keys.next(partition)];
      const all = [live.hash, live.expiry, next.hash, next.expiry];
      sources.delete(partition);
      await beginScript(all, [epoch, source]);
      return {
        source,
        async apply(batch) {
          const result = await apply(batch, next, source);
          if (result.kind === 'applied') await calls.write(batch);
          return result;
        },
        async finish() {
          const reply = await finishScript(all, [epoch, source]);
          if (reply === null) return false;
          sources.set(partition, source);
          waiters.moved(partition, asNumber(reply));
          return true;
        },
      };
    },
  };
}

/** Of a record that is an entry's: offset, run, call, when it expires, and its state with its bytes. */
function argumentsOf(
  codec: Codec,
  { key, value, offset }: LedgerBatch['records'][number],
): (string | number | Buffer)[] {
  const id = key === null ? null : parseLedgerKey(key.toString('utf8'));
  if (id === null) return [];
  if (value === null) return [offset, id.runId, id.toolCallId, '', ''];
  const entry = readEntry(codec, value);
  const state = Buffer.from(LETTERS[entry?.state ?? 'UNREADABLE']);
  return [offset, id.runId, id.toolCallId, entry?.expiresAt ?? '', Buffer.concat([state, value])];
}
