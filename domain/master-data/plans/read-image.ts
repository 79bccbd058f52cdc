import { notFound } from '../../../base/errors.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';

/** Bytes of a piece: what other requests wait for at most while one is read. */
const PIECE = 131_072;

/** The image of a plan, no faster than it is taken. @throws AppError `not_found` if the plan is deleted meanwhile. */
export async function* readImage(
  db: OrganizationConnection,
  { id, size }: { id: number; size: number },
): AsyncGenerator<Buffer, void> {
  for (let from = 0; from < size; from += PIECE) {
    const row = await db.maybeOne(sql.prepared('read-plan-image', rowsOf<{ piece: Buffer }>())`
      select substring(image from ${from + 1}::integer for ${PIECE}::integer) as piece from plans
      where org_id = ${db.orgId} and id = ${id}`);
    if (row === null) {
      throw notFound('Plan not found');
    }
    yield row.piece;
  }
}
