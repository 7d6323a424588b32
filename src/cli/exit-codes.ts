import type { ErrorCode } from '../contracts/errors.js';

/** 0 fine; 1 the answer is no, or the work failed; 2 your input; 3 your environment. */
export type ExitCode = 0 | 1 | 2 | 3;

const INPUT: ReadonlySet<ErrorCode> = new Set([
  'PL_ID_INVALID',
  'PL_INPUT_INVALID',
  'PL_NOT_FOUND',
  'PL_REPEAT_CONFLICT',
]);

const ENVIRONMENT: ReadonlySet<ErrorCode> = new Set([
  'PL_CONFIG_INVALID',
  'PL_DATA_FOLDER_LOCKED',
  'PL_DATA_FOLDER_UNUSABLE',
  'PL_DISK_FULL',
  'PL_PARTITIONS_CHANGED',
  'PL_KEY_MISSING',
  'PL_KEY_INVALID',
  'PL_KEY_UNKNOWN',
  'PL_AUDIT_DOWN',
  'PL_AUDIT_UNUSABLE',
  'PL_INDEX_UNUSABLE',
  'PL_RETRIEVAL_DOWN',
  'PL_BUS_DOWN',
  'PL_COLLECTOR_DOWN',
  'PL_BUS_REFUSED',
  'PL_BATCH_UNREADABLE',
  'PL_REGISTRY_DOWN',
  'PL_REGISTRY_REFUSED',
  'PL_SCHEMAS_UNREGISTERED',
  'PL_TOPICS_UNUSABLE',
  'PL_UP_REFUSED',
  'PL_OFFSET_LOST',
]);

export function exitCodeOf(code: ErrorCode): ExitCode {
  if (INPUT.has(code)) return 2;
  return ENVIRONMENT.has(code) ? 3 : 1;
}
