import type { BusReader } from '../bus/bus.js';
import { isValidId } from '../contracts/ids.js';
import type { Incident } from '../station/lane-environment.js';

/** The names of a record: of its run, and of the event. */
export interface RecordIds {
  readonly run_id?: string;
  readonly event_id?: string;
}

/** Key and headers are anybody's: what is no id is not told. A ledger entry's key has the call behind the run. */
export function recordIds({
  key,
  headers,
}: {
  readonly key: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}): RecordIds {
  const runId = (key?.subarray(0, MAX_KEY_BYTES).toString('utf8') ?? '').split('/')[0] ?? '';
  const eventId = headers['ce_id'] ?? '';
  return {
    ...(isValidId(runId) ? { run_id: runId } : {}),
    ...(isValidId(eventId) ? { event_id: eventId } : {}),
  };
}

const MAX_KEY_BYTES = 260;

/** Of the record that an incident is about. Never rejects. */
export async function incidentIds(
  { record }: Incident,
  bus: Pick<BusReader, 'read'> | null,
): Promise<RecordIds> {
  if (record === undefined || bus === null) return {};
  try {
    const [stored] = await bus.read(record.topic, record.partition, record.offset, 1);
    return stored?.offset === record.offset ? recordIds(stored) : {};
  } catch {
    // The line is being stopped: what happened is worth more than where.
    return {};
  }
}
