import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

/** Names of users, by their id in the change log; also of those who have left an organization. */
export async function userNames(
  db: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = [...new Set(ids)].map(Number).filter(Number.isSafeInteger);
  if (numbers.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.prepared('user-names', rowsOf<{ id: number; name: string }>())`
    select id, name from users where id = any (${sql.binary(integers(numbers))}::integer[])`);
  return new Map(rows.map(({ id, name }) => [String(id), name]));
}
