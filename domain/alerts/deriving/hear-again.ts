import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadEvidence } from '../../presence/coverage/load-places.ts';
import { Surroundings } from '../conditions/surroundings.ts';
import type { Organization } from './organization.ts';

/** Messages of so long ago may have been committed since the last turn. */
const COMMITTED_WITHIN: Micros = 10 * MICROS_PER_SECOND;

/** Without a message of any reader, as what is expected of them, or which are there, may have changed. */
const ASK_EVERY: Micros = 60 * MICROS_PER_SECOND;

/** As long ago as it matters here when somebody began to listen. */
const LOOKS_BACK: Micros = 3_600 * MICROS_PER_SECOND;

/** Locations of an organization in a turn. */
const AT_ONCE = 1_000;

/** Makes due what waits for readers that have said something since. Where all are silent it is a single statement. */
export async function hearAgain(
  db: Connection,
  orgId: number,
  { unheard, assets }: Organization,
  now: Micros,
): Promise<void> {
  if (unheard.isEmpty) {
    return;
  }
  const heard = await loadHeard(db, orgId, now - COMMITTED_WITHIN);
  const locationIds = unheard.toAsk((id) => heard.has(id), now - ASK_EVERY, now, AT_ONCE);
  if (locationIds.length === 0) {
    return;
  }
  const window = { since: now - LOOKS_BACK, until: now };
  const places = await loadEvidence(db, orgId, locationIds, window, []);
  const around = new Surroundings({ window, coveredFrom: window.since, subtrees: new Map(), places });
  for (const locationId of locationIds) {
    for (const { id, at } of unheard.take(locationId, around.heard(locationId))) {
      assets.add(id, at);
    }
  }
}

/** Where readers listen, or did, that said something since. */
async function loadHeard(db: Connection, orgId: number, since: Micros): Promise<ReadonlySet<number>> {
  const rows = await db.any(sql.prepared('find-locations-heard', rowsOf<{ location_id: number }>())`
    select distinct version.location_id
    from reader_counters counter
      join antenna_versions version on version.org_id = counter.org_id and version.reader_id = counter.reader_id
    where counter.org_id = ${orgId}
      and counter.heard_until > time_of_micros(${since}::bigint) and version.location_id is not null`);
  return new Set(rows.map(({ location_id: id }) => id));
}
