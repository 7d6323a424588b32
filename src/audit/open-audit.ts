import { isProoflineError } from '../contracts/errors.js';
import { dataFolder } from '../line/data-folder.js';
import type { AuditReader, AuditStore } from './audit-store.js';

/** Where the audit is, as the configuration says: in PostgreSQL where it has an address, else in the data folder. */
export interface AuditPlace {
  readonly auditUrl: string | null;
  /** Absolute path of the data folder. */
  readonly data: string;
}

export interface OpenAuditOptions {
  /** False: an audit of the data folder must be there already. One in PostgreSQL must always be. */
  readonly create?: boolean;
  /** True: a store that is down now is waited for, call by call; what only a person can put right still rejects. */
  readonly mayBeDown?: boolean;
}

/**
 * The audit for its writer.
 * @throws ProoflineError PL_AUDIT_DOWN, PL_DISK_FULL, PL_AUDIT_UNUSABLE (PostgreSQL), PL_DATA_FOLDER_UNUSABLE (SQLite).
 */
export async function openAuditStore(
  { auditUrl, data }: AuditPlace,
  { create = true, mayBeDown = false }: OpenAuditOptions = {},
): Promise<AuditStore> {
  if (auditUrl === null) {
    const { openSqliteAuditStore } = await import('./sqlite-audit-store.js');
    return openSqliteAuditStore(dataFolder(data).audit, { create });
  }
  const { openPostgresAuditStore } = await import('./postgres-audit-store.js');
  const { lateAuditStore } = await import('./late-audit-store.js');
  const open = (): Promise<AuditStore> => openPostgresAuditStore({ url: auditUrl });
  try {
    return await open();
  } catch (error) {
    if (!mayBeDown || !isProoflineError(error) || !error.retryable) throw error;
    return lateAuditStore(open);
  }
}

/** The audit for those who only read. @throws ProoflineError as `openAuditStore` without `create`. */
export async function openAuditReader({ auditUrl, data }: AuditPlace): Promise<AuditReader> {
  if (auditUrl === null) {
    const { openSqliteAuditReader } = await import('./sqlite-audit-store.js');
    return openSqliteAuditReader(dataFolder(data).audit);
  }
  const { openPostgresAuditReader } = await import('./postgres-audit-store.js');
  return openPostgresAuditReader({ url: auditUrl });
}

/** Where it is, for people: no user, no password. */
export function auditPlaceName({ auditUrl, data }: AuditPlace): string {
  if (auditUrl === null) return dataFolder(data).audit;
  const { host, pathname } = new URL(auditUrl);
  return `PostgreSQL at ${host}${pathname}`;
}
