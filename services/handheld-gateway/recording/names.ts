import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { type RowQuery, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Reference } from '../wire/reference.ts';

export const nameAssets = naming(
  (orgId, ids) => sql.prepared('name-assets', rowsOf<Reference>())`
    select id, external_key, name from assets
    where org_id = ${orgId}::integer and id = any(${sql.binary(integers(ids))}::integer[])`,
);

/** Includes deleted ones, from which an asset may have come. */
export const nameLocations = naming(
  (orgId, ids) => sql.prepared('name-locations', rowsOf<Reference>())`
    select id, external_key, name from locations
    where org_id = ${orgId}::integer and id = any(${sql.binary(integers(ids))}::integer[])`,
);

function naming(queryOf: (orgId: number, ids: readonly number[]) => RowQuery<Reference>) {
  return async (
    db: Connection,
    orgId: number,
    ids: Iterable<number | null>,
  ): Promise<ReadonlyMap<number, Reference>> => {
    const distinct = [...new Set(ids)].filter((id) => id !== null);
    const rows = distinct.length === 0 ? [] : await db.any(queryOf(orgId, distinct));
    return new Map(rows.map((row) => [row.id, row]));
  };
}
