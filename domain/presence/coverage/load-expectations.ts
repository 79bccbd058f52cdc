import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { type DatedExpectation, inForce, type StoredExpectation } from '../expectations.ts';

/** Expectations of readers, by reader. */
export async function loadExpectations(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
): Promise<ReadonlyMap<number, DatedExpectation[]>> {
  const stored = await db.any(sql.type(
    rowsOf<{
      reader_id: number;
      origin: StoredExpectation['origin'];
      since: Micros;
      seconds: number | null;
    }>(),
  )`
    select reader_id, origin, micros_of_time(valid_from) as since, seconds
    from reader_expectations where org_id = ${orgId} and reader_id = any (${sql.array(readerIds, 'int4')})`);
  const byReader = Map.groupBy(stored, ({ reader_id: id }) => id);
  return new Map(
    readerIds.map((id) => {
      const dated = (byReader.get(id) ?? []).map(({ origin, since: from, seconds }) => ({
        ...{ origin, from },
        expected: seconds === null ? null : seconds * MICROS_PER_SECOND,
      }));
      return [id, inForce(dated)];
    }),
  );
}
