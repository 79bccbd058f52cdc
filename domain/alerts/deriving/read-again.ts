import type { Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Organization } from './organization.ts';

/** Assets that are overdue and were read since they were looked at. */
export async function readAgain(
  db: Connection,
  organizations: ReadonlyMap<number, Organization>,
): Promise<{ orgId: number; assetId: number; since: Micros }[]> {
  const overdue = [...organizations].flatMap(([orgId, { overdue: assets }]) =>
    [...assets].map(([assetId, lastSeen]) => ({ orgId, assetId, lastSeen })),
  );
  if (overdue.length === 0) {
    return [];
  }
  const rows = await db.any(sql.prepared(
    'find-read-again',
    rowsOf<{ org_id: number; asset_id: number; since: Micros }>(),
  )`
    select given.org_id, given.asset_id, micros_of_time(given.last_seen) as since
    from unnest(
        ${sql.binary(integers(overdue.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(overdue.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(timestamps(overdue.map(({ lastSeen }) => lastSeen)))}::timestamptz[])
        as given (org_id, asset_id, last_seen)
      join positions position on position.org_id = given.org_id and position.asset_id = given.asset_id
    where position.last_seen > given.last_seen`);
  return rows.map(({ org_id: orgId, asset_id: assetId, since }) => ({ orgId, assetId, since }));
}
