import { rowsOf, sql } from './sql.ts';
import type { Connection } from './verbs.ts';

/** Cancels statements of this transaction that take longer, until it ends. */
export async function limitStatements(db: Connection, milliseconds: number): Promise<void> {
  await db.one(sql.prepared('limit-statements', rowsOf<{ limit: string }>())`
    select set_config('statement_timeout', ${String(milliseconds)}, true) as limit`);
}
