import { createSqlTag } from '@slonik/sql-tag';

/**
 * slonik's composer of queries, without the rest of slonik, which no service sends them by: that would take 10 MB and 50
 * ms of every process.
 */
export const sql = createSqlTag();
