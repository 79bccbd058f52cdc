import type { Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Organization } from './organization.ts';

/** Overdue assets to ask about, per due asset. */
const ASKED = 5;

export interface ReadAgain {
  orgId: number;
  assetId: number;
  since: Micros;
}

/** Overdue assets that were read since the last look; if very many, some in each turn. */
export async function readAgain(
  db: Connection,
  organizations: ReadonlyMap<number, Organization>,
  share: number,
): Promise<ReadAgain[]> {
  const overdue = [...organizations].flatMap(([orgId, { overdue: assets }]) =>
    nextOf(assets, share * ASKED).map(([assetId, lastSeen]) => ({ orgId, assetId, lastSeen })),
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
  const found = rows.map(({ org_id: orgId, asset_id: assetId, since }) => ({ orgId, assetId, since }));
  return [...Map.groupBy(found, ({ orgId }) => orgId).values()].flatMap((own) => own.slice(0, share));
}

/** Assets in order, of which the first come next. */
function nextOf(assets: Map<number, Micros>, most: number): [id: number, lastSeen: Micros][] {
  const next = [...assets.entries().take(most)];
  if (next.length < assets.size) {
    for (const [id, lastSeen] of next) {
      assets.delete(id);
      assets.set(id, lastSeen);
    }
  }
  return next;
}
