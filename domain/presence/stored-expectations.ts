import { AppError } from '../../base/errors.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { ReaderId } from './store-connections.ts';

/** Seconds that somebody set for a `readers reader`; null if the learned ones count. */
export const SET_EXPECTATION = sql.fragment`(
  select seconds from reader_expectations dated
  where dated.org_id = reader.org_id and dated.reader_id = reader.id and dated.origin = 'set'
  order by valid_from desc limit 1)`;

/** Seconds that are expected of a `readers reader` now; null of a new one. */
export const EXPECTED_NOW = sql.fragment`coalesce(${SET_EXPECTATION}, (
  select seconds from reader_expectations dated
  where dated.org_id = reader.org_id and dated.reader_id = reader.id and dated.origin = 'learned'
  order by valid_from desc limit 1))`;

/** The most expectations of a reader over time: all are read whenever its silences are derived. */
const MOST_SET = 200;

/**
 * From now on; earlier silences stay. Call with the reader locked.
 *
 * @throws AppError `conflict` if it was set too often.
 */
export async function setExpectation(
  db: Connection,
  { orgId, readerId }: ReaderId,
  seconds: number | null,
): Promise<void> {
  const { count } = await db.one(sql.type(rowsOf<{ count: number }>())`
    select count(*) from reader_expectations
    where org_id = ${orgId} and reader_id = ${readerId} and origin = 'set'`);
  if (count >= MOST_SET) {
    throw new AppError(
      'conflict',
      `The expected time of reader ${readerId} was set ${count} times, the maximum is ${MOST_SET}; register the reader again`,
    );
  }
  await db.exec(sql.type(NO_ROWS)`
    insert into reader_expectations (org_id, reader_id, origin, seconds)
    values (${orgId}, ${readerId}, 'set', ${seconds})`);
}
