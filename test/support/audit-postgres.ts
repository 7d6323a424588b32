import pg from 'pg';

/** A connection of the test's own, beside the store's. */
export interface TestDatabase {
  run(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function connectPostgres(url: string): Promise<TestDatabase> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(sql) {
      // The one connection does one thing at a time.
      const result = last.then(async () => (await client.query<Record<string, unknown>>(sql)).rows);
      last = result.catch(() => undefined);
      return result;
    },
    close: () => client.end(),
  };
}
