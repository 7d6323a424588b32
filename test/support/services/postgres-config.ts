export interface PostgresServiceOptions {
  /** Lines of postgresql.conf, as `{ max_connections: '5' }`. */
  readonly config?: Readonly<Record<string, string>>;
}

export function postgresUrl(host: string, port: number): string {
  return `postgresql://proofline:proofline@${host}:${port}/proofline`;
}

/** A killed PostgreSQL loses nothing by these: only a machine that loses power would. */
const QUICK = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '50' };

export function postgresArguments(wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries({ ...QUICK, ...wanted }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
