import type { LedgerEntry } from '../../src/contracts/generated.js';
import { partitionOf } from '../../src/contracts/partition.js';
import type { TestLine } from './line.js';

/** A lookup that a draft rests on. */
export interface Cited {
  readonly toolCallId?: string;
  /** What was asked; the scripted retriever names its document after it. */
  readonly query?: string;
}

/** The document that the scripted retriever finds for a query. */
export function documentAbout(query: string): string {
  return `doc-${query.replaceAll(/\W/g, '-')}#chunk-0`;
}

/** A draft that says of each lookup what its document says, and nothing else: true, and nothing overstated. */
export function trueDraft(lookups: readonly Cited[] = [{}], changes: object = {}): string {
  const analysis = lookups.map(({ toolCallId = 'call-1', query = 'gateway timeout' }, i) => ({
    id: `a${i + 1}`,
    kind: 'NORMAL',
    text: `To solve ${query}, check the upstream first.`,
    tool_call_ids: [toolCallId],
    document_ids: [documentAbout(query)],
  }));
  const conclusion = { text: analysis[0]?.text ?? '', based_on_analysis_ids: analysis.map(({ id }) => id) };
  return JSON.stringify({
    analysis,
    conclusion: analysis.length === 0 ? null : conclusion,
    action_plan: [],
    limitations: ['Metrics were not read.'],
    ...changes,
  });
}

/** A draft that cites a lookup for a document that nobody was shown. */
export function forgedDraft(lookup: Cited = {}): string {
  return trueDraft([lookup]).replace(
    documentAbout(lookup.query ?? 'gateway timeout'),
    'doc-invented#chunk-7',
  );
}

/** Changes an entry in the view, behind the line's back, as whoever can write to it could. */
export async function tamper(
  line: TestLine,
  change: (entry: LedgerEntry) => Partial<LedgerEntry> | Buffer,
  { runId = 'run-1', toolCallId = 'call-1' } = {},
): Promise<void> {
  const partition = partitionOf(runId, line.bus.partitions);
  const read = await line.ledger.read(partition, [{ runId, toolCallIds: [toolCallId], others: 0 }]);
  const entry = line.codec.decode('ledger.v1', read!.entries[0]!.value);
  const changed = change(entry);
  const value = Buffer.isBuffer(changed) ? changed : line.codec.encode('ledger.v1', { ...entry, ...changed });
  await line.bus.writer.write((db) => {
    const sql = 'UPDATE ledger_entry SET value = ? WHERE run_id = ? AND tool_call_id = ?';
    db.prepare(sql).run(value, runId, toolCallId);
  });
}
