import type { SchemaName } from './generated.js';

/** First of the ids that every decoder knows, with or without a schema registry. */
const LOCAL_ID_BASE = 0x7f000000;

/** Numbers are never given twice: a schema that is gone keeps its own. */
const LOCAL_NUMBERS: Readonly<Record<SchemaName, number>> = {
  'lookup-requested.v1': 1,
  'raw-hits.v1': 2,
  'postprocessed.v1': 3,
  'projected.v1': 4,
  'ledger.v1': 5,
  'draft-submitted.v1': 6,
  'verdict.v1': 7,
  'reviewed.v1': 8,
  'repair-requested.v1': 9,
  'verified.v1': 10,
  'review-decision.v1': 11,
  'run-state.v1': 12,
  'run-outcome.v1': 13,
  'tool-invocation.v1': 14,
  'dead-letter.v1': 15,
  'dead-letter-done.v1': 16,
  'agent-view.v1': 17,
  'draft.v1': 18,
};

/** The id that stands in the wire format of a schema where no registry gives one. */
export function localSchemaId(name: SchemaName): number {
  return LOCAL_ID_BASE + LOCAL_NUMBERS[name];
}

const byId = new Map(
  (Object.keys(LOCAL_NUMBERS) as SchemaName[]).map((name) => [localSchemaId(name), name] as const),
);

/** True for ids that a registry may have given. The local range is ours, whatever a registry says. */
export function isRegistryId(id: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < LOCAL_ID_BASE;
}

/** The schema behind a local id. */
export function localSchemaName(id: number): SchemaName | undefined {
  return byId.get(id);
}
