import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { integers } from '../../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadEvidence } from '../../presence/coverage/load-places.ts';
import { Surroundings } from '../conditions/surroundings.ts';
import type { Organization } from './organization.ts';

/** Messages received this long ago may have been committed since the last turn. */
const COMMITTED_WITHIN: Micros = 10 * MICROS_PER_SECOND;

/** Even without a message of any reader, because expectations or antennas may have changed. */
const ASK_EVERY: Micros = 60 * MICROS_PER_SECOND;

/** How far back it matters when somebody began to listen. */
const LOOKS_BACK: Micros = 3_600 * MICROS_PER_SECOND;

/** Locations of an organization in a turn. */
const AT_ONCE = 1_000;

/** Locations with news from readers at which assets wait for it, by organization. */
export type HeardLocations = ReadonlyMap<number, ReadonlySet<number>>;

/** One query for all organizations: most waiting ones need not be visited. */
export async function findHeard(
  db: Connection,
  organizations: ReadonlyMap<number, Organization>,
  now: Micros,
): Promise<HeardLocations> {
  const waiting = [...organizations].flatMap(([orgId, { unheard }]) =>
    unheard.locationIds.map((locationId) => ({ orgId, locationId })),
  );
  if (waiting.length === 0) {
    return new Map();
  }
  const rows = await db.any(sql.prepared(
    'find-locations-heard',
    rowsOf<{ org_id: number; location_id: number }>(),
  )`
    select given.org_id, given.location_id
    from unnest(
        ${sql.binary(integers(waiting.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(waiting.map(({ locationId }) => locationId)))}::integer[]) as given (org_id, location_id)
    where exists (
      select from antenna_versions version
        join reader_counters counter on counter.org_id = version.org_id and counter.reader_id = version.reader_id
      where version.org_id = given.org_id and version.location_id = given.location_id
        and counter.heard_until > time_of_micros(${now - COMMITTED_WITHIN}::bigint))`);
  const byOrganization = Map.groupBy(rows, ({ org_id: orgId }) => orgId);
  return new Map(
    [...byOrganization].map(([orgId, own]) => [orgId, new Set(own.map(({ location_id: id }) => id))]),
  );
}

/** Whether to ask about what waits for readers. */
export function mayBeHeard(
  { unheard }: Organization,
  heard: ReadonlySet<number> | undefined,
  now: Micros,
): boolean {
  return unheard.isToAsk((id) => heard?.has(id) === true, now - ASK_EVERY);
}

/** Makes assets due that wait for readers heard since. */
export async function hearAgain(
  db: Connection,
  orgId: number,
  { unheard, assets }: Organization,
  heard: ReadonlySet<number> | undefined,
  now: Micros,
): Promise<void> {
  const locationIds = unheard.toAsk((id) => heard?.has(id) === true, now - ASK_EVERY, now, AT_ONCE);
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
