import { ProoflineError } from '../../contracts/errors.js';
import { parseLedgerKey, type ScanView, type ViewEntry } from '../ledger-view.js';
import type { RedisClient } from './connection.js';
import type { RedisKeys, ViewKeys } from './keys.js';
import { asBuffer, asList, asNumber, asText, textOrNull } from './replies.js';

const PAGE = 500;
/** Fields that are looked at to tell how much memory all of them take. */
const SAMPLES = 200;

/** Reads whole partitions, page by page, beside the line that moves them. */
export function createScan(client: RedisClient, keys: RedisKeys, epoch: string): ScanView {
  async function headOf(hash: string): Promise<{ source: string; position: number } | 'other-logs' | null> {
    const head = asList(await client.call('HMGET', hash, '@epoch', '@source', '@position'));
    const [of, source, position] = head.map(textOrNull);
    if (typeof of !== 'string' || typeof source !== 'string' || typeof position !== 'string') return null;
    return of === epoch ? { source, position: Number(position) } : 'other-logs';
  }

  async function* entriesOf({ hash }: ViewKeys, source: string): AsyncGenerator<ViewEntry> {
    let cursor = '0';
    do {
      const [next, page] = asList(await client.call('HSCAN', hash, cursor, 'COUNT', PAGE));
      cursor = asText(next);
      yield* entriesIn(asList(page));
    } while (cursor !== '0');
    // A rebuild puts another hash in its place: pages of two are neither.
    const head = await headOf(hash);
    if (head === null || head === 'other-logs' || head.source !== source)
      throw new ProoflineError('PL_LEDGER_BEHIND', { problem: 'it was replaced while it was read' });
  }

  async function bytesOf({ hash, expiry }: ViewKeys): Promise<number | null> {
    const sizes = await Promise.all(
      // Where this is not allowed, the rest still is.
      [hash, expiry].map((key) => client.call('MEMORY', 'USAGE', key, 'SAMPLES', SAMPLES).catch(() => null)),
    );
    return sizes[0] === null ? null : sizes.reduce((sum: number, size) => sum + asNumber(size ?? 0), 0);
  }

  return async (partition) => {
    const live = keys.live(partition);
    const head = await headOf(live.hash);
    if (head === null || head === 'other-logs') return head;
    const { position, source } = head;
    return { position, entries: entriesOf(live, source), bytes: await bytesOf(live) };
  };
}

function* entriesIn(page: readonly unknown[]): Generator<ViewEntry> {
  for (let i = 0; i + 1 < page.length; i += 2) {
    const field = asText(page[i]);
    const id = field.startsWith('e:') ? parseLedgerKey(field.slice(2)) : null;
    if (id !== null) yield { ...id, value: asBuffer(page[i + 1]).subarray(1) };
  }
}
