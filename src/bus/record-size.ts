import type { NewRecord } from './bus.js';

/** Bytes of key, value and headers: what a topic's limit is about. */
export function recordBytes(record: NewRecord): number {
  let bytes = record.key.length + (record.value?.length ?? 0);
  for (const [name, value] of Object.entries(record.headers)) bytes += name.length + value.length;
  return bytes;
}
