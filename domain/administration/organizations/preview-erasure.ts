import type { Pool } from '../../../db/timescale/connections/client.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { countRows, type TableRows } from '../../../db/timescale/erase/count-rows.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { missing } from './live-organization.ts';

/** The rows that erasing an organization would delete, by table. @throws AppError `not_found`. */
export async function previewErasure(
  pool: Pool,
  orgId: number,
): Promise<{ name: string; tables: TableRows[] }> {
  const found = await databaseOn(pool).maybeOne(
    sql.type(rowsOf<{ name: string }>())`select name from organizations where id = ${orgId}`,
  );
  if (found === null) {
    throw missing(orgId);
  }
  return { name: found.name, tables: (await countRows(pool, orgId)).filter(({ rows }) => rows > 0) };
}
