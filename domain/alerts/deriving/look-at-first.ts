import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Organization, Work } from './organization.ts';
import { revisedHistory } from './read-moves.ts';

/** A process that begins to derive looks at every asset and reader once, to know when it is due. */
export async function lookAtFirst(
  db: Connection,
  orgId: number,
  organization: Organization,
  work: Work,
  { since, share, now }: { since: Micros; share: number; now: Micros },
): Promise<void> {
  const { lookedUpTo, unsettled } = organization;
  if (lookedUpTo === null) {
    return;
  }
  if (lookedUpTo === 0) {
    const readers = await db.any(sql.type(rowsOf<{ id: number }>())`
      select id from readers where org_id = ${orgId} and deleted_at is null`);
    for (const { id } of readers) {
      work.readers.add(id, since);
    }
  }
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number; last_seen: Micros }>())`
    select asset_id, micros_of_time(coalesce(last_seen, since)) as last_seen from positions where org_id = ${orgId} and asset_id > ${lookedUpTo} and location_id is not null
    order by asset_id limit ${share}`);
  for (const { asset_id: id, last_seen: lastSeen } of rows) {
    work.assets.add(id, since);
    unsettled.histories.keep(revisedHistory(id, now, lastSeen), now);
  }
  organization.lookedUpTo = rows.length < share ? null : (rows.at(-1)?.asset_id ?? null);
}
