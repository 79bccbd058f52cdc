import type { TestDatabase } from './database.ts';

/** Below are the catalogs'. */
export const FIRST_OWN_OID = 16_384;

/** As where a table was analyzed while all its rows were a transaction's that was rolled back, or were deleted. */
export async function emptyStatistics(database: TestDatabase): Promise<void> {
  await database.rows(
    `update pg_class set reltuples = 0, relpages = greatest(1, pg_relation_size(oid) / 8192)
     where oid >= ${FIRST_OWN_OID} and relkind in ('r', 'i')`,
  );
}
