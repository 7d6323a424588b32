import { describe, expect, test } from 'vitest';
import { postgresAppend } from '../../src/audit/postgres-append.js';
import { answerTable, invocationTable } from '../../src/audit/postgres-rows.js';
import type { Postgres, Query } from '../../src/audit/postgres.js';
import { answer, invocation } from '../conformance/audit-store.js';

/** What a server would be asked: the rows of each statement, a list for each transaction. */
function recording(): { readonly db: Postgres; readonly transactions: number[][] } {
  const transactions: number[][] = [];
  const into =
    (statements: number[]) =>
    (_sql: string, [rows]: readonly unknown[] = []): Promise<never> => {
      statements.push((JSON.parse(String(rows)) as unknown[]).length);
      return Promise.resolve(undefined as never);
    };
  const begin = (): Query => {
    const statements: number[] = [];
    transactions.push(statements);
    return into(statements);
  };
  const db: Postgres = {
    query: (sql, values) => begin()(sql, values),
    transaction: (work) => work(begin()),
    close: () => Promise.resolve(),
  };
  return { db, transactions };
}

describe('what is appended to PostgreSQL', () => {
  const events = (count: number) => Array.from({ length: count }, (_, i) => invocation({ eventId: `e${i}` }));

  test('given a batch, then it is one statement', async () => {
    const { db, transactions } = recording();
    await postgresAppend(db, '"s"', invocationTable)(events(500));
    expect(transactions).toEqual([[500]]);
  });

  test('given nothing, then nothing is asked', async () => {
    const { db, transactions } = recording();
    await postgresAppend(db, '"s"', invocationTable)([]);
    expect(transactions).toEqual([]);
  });

  test('given many rows, then they are several statements of one transaction', async () => {
    const { db, transactions } = recording();
    await postgresAppend(db, '"s"', invocationTable)(events(2_500));
    expect(transactions).toEqual([[1_000, 1_000, 500]]);
  });

  test('given large ones, then no statement carries more than a string holds', async () => {
    const { db, transactions } = recording();
    const sizes = [1, 1, 3, 3, 1, 12, 1];
    const answers = sizes.map((megabytes, i) =>
      answer({ id: `a${i}`, value: Buffer.alloc(megabytes * 1024 * 1024 - 1_000) }),
    );
    await postgresAppend(db, '"s"', answerTable)(answers);
    expect(transactions).toEqual([[2, 1, 2, 1, 1]]);
  });
});
