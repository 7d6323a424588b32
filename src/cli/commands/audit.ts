import type { Config } from '../../config/config.js';
import type { AddCommand, CommandContext } from '../command.js';

const HELP = `
Examples:
  proofline audit                                   how much it holds, and from when to when
  proofline audit migrate --dry-run | less          the SQL that a PostgreSQL is missing, for whoever runs it by hand
  proofline audit migrate                           makes its tables, or brings them up to date
  proofline audit prune --older-than 90d --dry-run  how much is older than 90 days
  proofline audit prune --older-than 90d            deletes it, little by little; stopped, it goes on the next time

The audit is in PostgreSQL where PROOFLINE_AUDIT_URL (postgres://user:password@host/database) is set, else in the data
folder, in a file that needs no migrating. All of this may be done while lines are at work on it.
`;

interface PruneOptions {
  readonly olderThan: string;
  readonly dryRun?: boolean;
}

export const addAudit: AddCommand = (program, context) => {
  const audit = program
    .command('audit')
    .description('the store of what every station did: how much, its tables, its retention')
    .addHelpText('after', HELP);
  audit
    .command('stats', { isDefault: true })
    .description('rows, the oldest and the newest, and the size')
    .action(() => stats(context));
  audit
    .command('migrate')
    .description('make the tables in PostgreSQL, or bring them up to date')
    .option('--dry-run', 'only print the SQL')
    .action((options: { readonly dryRun?: boolean }) => migrate(options.dryRun === true, context));
  audit
    .command('prune')
    .description('delete what occurred long ago')
    .requiredOption('--older-than <age>', 'how long ago, as 90d, 12h, 30m or 8w')
    .option('--dry-run', 'only count it')
    .action((options: PruneOptions) => prune(options, context));
};

async function stats(context: CommandContext): Promise<void> {
  const { configOf } = await import('../with-line.js');
  const { auditPlaceName, openAuditReader } = await import('../../audit/open-audit.js');
  const { renderStats, statsJson } = await import('../render/audit.js');
  const config = await configOf(context);
  const reader = await openAuditReader(config);
  try {
    const where = auditPlaceName(config);
    const found = await reader.stats();
    const { io, global } = context;
    io.out(global().json ? `${JSON.stringify(statsJson(where, found))}\n` : renderStats(where, found));
  } finally {
    await reader.close();
  }
}

async function migrate(dryRun: boolean, context: CommandContext): Promise<void> {
  const { configOf } = await import('../with-line.js');
  const { invalid } = await import('../option-values.js');
  const { auditPlaceName } = await import('../../audit/open-audit.js');
  const config = await configOf(context);
  if (config.auditUrl === null)
    throw invalid(
      'PROOFLINE_AUDIT_URL is not set, and the audit of a data folder is brought up to date by its line',
    );
  const { migratePostgresAudit } = await import('../../audit/postgres-migrations.js');
  const { migrationJson, renderMigration } = await import('../render/audit.js');
  const done = await migratePostgresAudit({ url: config.auditUrl }, { dryRun });
  const report = { where: auditPlaceName(config), dryRun, ...done };
  const { io, global } = context;
  io.out(global().json ? `${JSON.stringify(migrationJson(report))}\n` : renderMigration(report));
}

async function prune({ olderThan, dryRun = false }: PruneOptions, context: CommandContext): Promise<void> {
  const { configOf } = await import('../with-line.js');
  const { ageOf } = await import('../age.js');
  const { auditPlaceName } = await import('../../audit/open-audit.js');
  const { pruneJson, renderPrune } = await import('../render/audit.js');
  const before = Date.now() - ageOf('--older-than', olderThan);
  const config = await configOf(context);
  const rows = dryRun ? await count(config, before) : await deleteAll(config, before, context);
  const report = { where: auditPlaceName(config), before, rows, dryRun };
  const { io, global } = context;
  io.out(global().json ? `${JSON.stringify(pruneJson(report))}\n` : renderPrune(report));
}

async function count(config: Config, before: number): Promise<number> {
  const { openAuditReader } = await import('../../audit/open-audit.js');
  const reader = await openAuditReader(config);
  try {
    return await reader.countBefore(before);
  } finally {
    await reader.close();
  }
}

/** Whoever stops it is told how far it came. */
async function deleteAll(config: Config, before: number, { io }: CommandContext): Promise<number> {
  const { openAuditStore } = await import('../../audit/open-audit.js');
  const { pruneAudit } = await import('../../audit/prune.js');
  const store = await openAuditStore(config, { create: false });
  let deleted = 0;
  const onProgress = (rows: number): void => {
    deleted = rows;
    if (io.interactive) io.err(`\r${rows} rows deleted`);
  };
  try {
    return await pruneAudit(store, before, { onProgress, signal: io.signal });
  } catch (error) {
    io.err(`\r${deleted} rows were deleted before it ended; the same command goes on.\n`);
    throw error;
  } finally {
    if (io.interactive) io.err('\r');
    await store.close();
  }
}
