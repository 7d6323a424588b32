/** A record as kafkajs decodes it from a fetched batch; only what is read here. */
export interface FetchedRecord {
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly timestamp: string;
  /** A transaction marker, or a place holder for what compaction took: moves the position, is never handed out. */
  readonly isControlRecord: boolean;
  readonly batchContext: { readonly producerId: string; readonly inTransaction: boolean };
}

export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

const ABORT = 0;

/**
 * The records without those of aborted transactions, as the Java client does it: of every aborted transaction
 * that began at or before a record, in the order of their first offsets, until its abort marker. kafkajs 2.2.4
 * takes in one aborted transaction a record and in the order of the answer, so it hands out aborted records where
 * two transactions overlap; and it takes any record with the key 00000000 for a marker.
 */
export function withoutAborted<R extends FetchedRecord>(
  records: readonly R[],
  abortedTransactions: readonly AbortedTransaction[] | null | undefined,
): readonly R[] {
  // So it nearly always is.
  if ((abortedTransactions ?? []).length === 0) return records;
  const ahead = (abortedTransactions ?? [])
    .map(({ producerId, firstOffset }) => ({ producerId, first: Number(firstOffset) }))
    .toSorted((a, b) => a.first - b.first);
  const aborted = new Set<string>();
  let next = 0;
  return records.filter((record) => {
    for (; next < ahead.length; next++) {
      const begun = ahead[next];
      if (begun === undefined || begun.first > Number(record.offset)) break;
      aborted.add(begun.producerId);
    }
    const { producerId, inTransaction } = record.batchContext;
    if (!record.isControlRecord) return !(inTransaction && aborted.has(producerId));
    if (markerType(record) === ABORT) aborted.delete(producerId);
    return true;
  });
}

/** Key of a marker: version and type, two bytes each. A place holder has none. */
function markerType({ key }: FetchedRecord): number | null {
  return key !== null && key.length >= 4 ? key.readInt16BE(2) : null;
}
