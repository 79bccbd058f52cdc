import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Reference } from '../wire/reference.ts';

/** Assets by id, as answers name them. */
export async function nameAssets(
  db: Connection,
  orgId: number,
  ids: Iterable<number | null>,
): Promise<References> {
  const distinct = distinctOf(ids);
  if (distinct.length === 0) {
    return NONE;
  }
  return byId(
    await db.any(sql.prepared('name-assets', rowsOf<Reference>())`
      select id, external_key, name from assets
      where org_id = ${orgId}::integer and id = any(${sql.binary(integers(distinct))}::integer[])`),
  );
}

/** Locations by id, as answers name them; deleted ones too, for where an asset came from. */
export async function nameLocations(
  db: Connection,
  orgId: number,
  ids: Iterable<number | null>,
): Promise<References> {
  const distinct = distinctOf(ids);
  if (distinct.length === 0) {
    return NONE;
  }
  return byId(
    await db.any(sql.prepared('name-locations', rowsOf<Reference>())`
      select id, external_key, name from locations
      where org_id = ${orgId}::integer and id = any(${sql.binary(integers(distinct))}::integer[])`),
  );
}

type References = ReadonlyMap<number, Reference>;

const NONE: References = new Map();

function distinctOf(ids: Iterable<number | null>): number[] {
  return [...new Set(ids)].filter((id) => id !== null);
}

function byId(rows: readonly Reference[]): References {
  return new Map(rows.map((row) => [row.id, row]));
}
