import type { AuditStats, TableStats } from '../../audit/audit-store.js';
import type { Migration } from '../../audit/postgres-migrations.js';
import type { JsonObject } from '../../contracts/json.js';
import { instantToJson } from '../../contracts/record-json.js';
import { counted } from './advice.js';
import { safeText } from './safe-text.js';
import { renderTable } from './table.js';
import { instant } from './trail-parts.js';

/** The audit's upkeep for a person, and as JSON. */

export function renderStats(where: string, { invocations, answers, bytes }: AuditStats): string {
  const row = (name: string, { rows, oldestAt, newestAt }: TableStats): string[] => [
    name,
    String(rows),
    oldestAt === null ? '' : instant(oldestAt),
    newestAt === null ? '' : instant(newestAt),
  ];
  const table = renderTable(
    ['', 'rows', 'oldest', 'newest'],
    [row('tool invocations', invocations), row('answers', answers)],
  );
  return `${safeText(where)}: ${sizeWords(bytes)}\n${table}`;
}

export function statsJson(where: string, { invocations, answers, bytes }: AuditStats): JsonObject {
  const table = ({ rows, oldestAt, newestAt }: TableStats): JsonObject => ({
    rows,
    oldest_at: oldestAt === null ? null : instantToJson(oldestAt),
    newest_at: newestAt === null ? null : instantToJson(newestAt),
  });
  return { where, bytes, tool_invocations: table(invocations), answers: table(answers) };
}

/** A migration that was done, or would be. */
export interface MigrationReport extends Migration {
  readonly where: string;
  readonly dryRun: boolean;
}

/** A dry run is SQL and nothing else. */
export function renderMigration({ where, dryRun, schema, from, to, sql }: MigrationReport): string {
  const place = `${safeText(where)}, schema ${safeText(schema)}`;
  if (sql === '') return `${dryRun ? '-- ' : ''}${place}: version ${to} already, nothing to do\n`;
  if (dryRun) return `-- ${place}: from version ${from} to ${to}\n${sql}`;
  return `${place}: ${from === 0 ? 'tables made' : `brought from version ${from} up to date`}, version ${to}\n`;
}

export function migrationJson({ where, dryRun, schema, from, to, sql }: MigrationReport): JsonObject {
  return { where, schema, from, to, dry_run: dryRun, sql };
}

export interface PruneReport {
  readonly where: string;
  /** What occurred before it, epoch milliseconds. */
  readonly before: number;
  /** How many rows were deleted, or would be. */
  readonly rows: number;
  readonly dryRun: boolean;
}

export function renderPrune({ where, before, rows, dryRun }: PruneReport): string {
  const what = `${counted(rows, 'row')} from before ${instant(before)}`;
  if (dryRun) return `${safeText(where)}: would delete ${what}. Nothing was deleted.\n`;
  const room = rows === 0 ? '' : ' Their room is used again; the files keep their size.';
  return `${safeText(where)}: deleted ${what}.${room}\n`;
}

export function pruneJson({ where, before, rows, dryRun }: PruneReport): JsonObject {
  return { where, before: instantToJson(before), rows, dry_run: dryRun };
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

function sizeWords(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
