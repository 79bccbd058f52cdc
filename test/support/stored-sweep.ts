import type { TestDatabase } from './database.ts';

/** What a sweep found, by the ids of assets; times in any form the database reads. */
export interface StoredSweep {
  id: string;
  locationId: number;
  endedAt: string;
  withDescendants?: boolean;
  expected?: number[];
  found?: number[];
  movedHere?: number[];
  missing?: number[];
  unknown?: string[];
}

/** Stores a sweep by a handheld of the name, by plain SQL: begun a minute before its end, received a minute after. */
export async function storeSweepBy(
  database: TestDatabase,
  { orgId, handheld }: { orgId: number; handheld: string },
  {
    id,
    locationId,
    endedAt,
    withDescendants = false,
    expected = [],
    found = [],
    movedHere = [],
    missing = [],
    unknown = [],
  }: StoredSweep,
): Promise<void> {
  await database.rows(
    `with handheld as (
       insert into handhelds (org_id, name, token_sha256)
       select $1, $2, sha256('x') where not exists (select from handhelds where org_id = $1 and name = $2)
       returning id
     ), asset as (
       insert into sweep_assets (org_id, sweep_id, asset_id, expected, found, moved_here, missing)
       select $1, $3, id, id = any ($7), id = any ($8), id = any ($9), id = any ($10)
       from (select distinct unnest($7::integer[] || $8::integer[] || $9::integer[] || $10::integer[]) as id) asset
     )
     insert into sweeps (org_id, id, handheld_id, body_sha256, received_at, location_id, began_at, ended_at,
       include_descendants, expected, found, moved_here, missing, unknown, unknown_tags)
     select $1, $3, coalesce((select id from handheld), (select id from handhelds where org_id = $1 and name = $2)),
       sha256('x'), $5::timestamptz + interval '1 minute', $4, $5::timestamptz - interval '1 minute', $5, $6,
       cardinality($7), cardinality($8), cardinality($9), cardinality($10), cardinality($11::text[]), $11`,
    [orgId, handheld, id, locationId, endedAt, withDescendants, expected, found, movedHere, missing, unknown],
  );
}
