import { ID_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { found } from '../../../platform/http/success.ts';
import { OF_LOCATION } from '../presence/routes.ts';
import { FEED_LOOKED_THROUGH } from '../presence/schema.ts';
import { memberRoute } from '../serving/context.ts';
import {
  COUNT_SCHEMA,
  FLAG_SCHEMA,
  listOf,
  objectOf,
  TEXT_OR_NULL,
  TEXT_SCHEMA,
} from '../serving/schemas.ts';

/** `below`: seconds; null for all that are longer. */
const DWELL = objectOf({
  days: COUNT_SCHEMA,
  looked_back_to: nullableSchema(TIME_SCHEMA),
  stays: COUNT_SCHEMA,
  median_seconds: nullableSchema(COUNT_SCHEMA),
  bars: {
    type: 'array',
    items: objectOf({ below: nullableSchema(COUNT_SCHEMA), stays: COUNT_SCHEMA }),
  },
});

const ANTENNA_HERE = objectOf({
  port: { type: 'integer' },
  name: TEXT_OR_NULL,
  enabled: FLAG_SCHEMA,
  min_rssi: nullableSchema({ type: 'number' }),
  reader: objectOf({ id: ID_SCHEMA, name: TEXT_SCHEMA }),
  last_message_at: nullableSchema(TIME_SCHEMA),
});

const SWEEP = objectOf({
  id: TEXT_SCHEMA,
  ended_at: TIME_SCHEMA,
  handheld: TEXT_SCHEMA,
  expected: COUNT_SCHEMA,
  found: COUNT_SCHEMA,
  moved_here: COUNT_SCHEMA,
  missing: COUNT_SCHEMA,
  unknown: COUNT_SCHEMA,
});

const DAYS = 7;

const dwell = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/dwell', operationId: 'readDwell' },
  summary: 'How long what left a location in the last days had been there',
  description: 'Of the last events of the whole feed, back to `looked_back_to` if not over all of the days.',
  ...{ scope: 'tracking:read', ...OF_LOCATION },
  success: found(DWELL, 'Stays by their length'),
  handle: async ({ context, row: id, signal }) =>
    dwellView(await readDwell(context.db, id, DAYS, signal()), DAYS),
});

const antennas = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/antennas', operationId: 'listAntennasHere' },
  summary: 'The antennas that see a location, and when their readers last said anything',
  ...{ scope: 'readers:read', ...OF_LOCATION },
  success: found(listOf(ANTENNA_HERE), 'The antennas'),
  handle: async ({ context: { db, parts }, row: locationId }) => {
    const rows = await parts.insight.run(db.orgId, (installation) =>
      readAntennas(databaseOn(installation), { orgId: db.orgId, locationId }),
    );
    return rows.map(antennaView);
  },
});

const sweeps = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/sweeps', operationId: 'listSweepsHere' },
  summary: 'The last sweeps of a location, the latest first',
  ...{ scope: 'tracking:read', ...OF_LOCATION },
  success: found(listOf(SWEEP), 'The sweeps'),
  handle: async ({ context: { db, parts }, row: locationId }) => {
    const rows = await parts.insight.run(db.orgId, (installation) =>
      readSweeps(databaseOn(installation), { orgId: db.orgId, locationId }),
    );
    return rows.map(sweepView);
  },
});

export const placeRoutes = [dwell, antennas, sweeps];

function dwellView({ looked_back_to, count, median_seconds, bars }: DwellRow, days: number) {
  return {
    days,
    looked_back_to: wireTimeOrNull(looked_back_to),
    stays: count,
    median_seconds,
    bars: bars.map((stays, index) => ({ below: BARS[index] ?? null, stays })),
  };
}

function antennaView(antenna: AntennaRow) {
  const { port, name, is_enabled: enabled, min_rssi, reader_id: id, last_message_at } = antenna;
  return {
    ...{ port, name, enabled, min_rssi },
    reader: { id, name: antenna.reader_name },
    last_message_at: wireTimeOrNull(last_message_at),
  };
}

function sweepView(sweep: SweepRow) {
  const { id, ended_at, handheld, expected, found, moved_here, missing, unknown } = sweep;
  return { id, ended_at: wireTime(ended_at), handheld, expected, found, moved_here, missing, unknown };
}

/** Seconds below which a stay is in each bar; the last bar has no end. */
const BARS: readonly number[] = [60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200];

interface DwellRow {
  /** How far back the feed was looked through, if not over all of the days: it may also have begun within them. */
  looked_back_to: string | null;
  count: number;
  median_seconds: number | null;
  /** One for each of {@link BARS}, and one more. */
  bars: number[];
}

/**
 * How long what left a location in the last days had been there. As for arrivals, the last events of the feed are looked
 * through, so that the cost has the same bound however many stays a location has had: with a million, 412 pages.
 * Corrected histories are left out: one event of them may be of many stays.
 */
function readDwell(
  db: OrganizationDatabase,
  locationId: number,
  days: number,
  signal: AbortSignal,
): Promise<DwellRow> {
  const { orgId } = db;
  return db.listing({ isBrief: true, signal }).one(sql.type(rowsOf<DwellRow>())`
    with recent as materialized (
      select move.recorded_at, move.kind, move.since, move.duration_seconds, move.previous_location_id, move.location_id
      from moves move
      where move.org_id = ${orgId} and move.part = 1 and move.position > (
        select head - ${FEED_LOOKED_THROUGH} from move_heads where org_id = ${orgId})
    ),
    stay as materialized (
      select duration_seconds as seconds from recent
      where kind = 'moved' and previous_location_id = ${locationId} and location_id is distinct from previous_location_id
        and duration_seconds is not null and since >= now() - make_interval(days => ${days})
    ),
    bar as (
      select width_bucket(seconds, ${sql.array(BARS, 'int8')}) as number, count(*)::integer as stays
      from stay group by 1
    )
    select
      (select min(recorded_at) from recent having min(recorded_at) > now() - make_interval(days => ${days}))
        as looked_back_to,
      (select count(*) from stay) as count,
      (select percentile_disc(0.5) within group (order by seconds) from stay) as median_seconds,
      array(select coalesce(bar.stays, 0) from generate_series(0, ${BARS.length}) each (number)
        left join bar on bar.number = each.number order by each.number) as bars`);
}

/** Antennas of a location; sweeps of it that are listed, the latest. */
const MOST_ANTENNAS = 200;
const MOST_SWEEPS = 20;

interface AntennaRow {
  name: string | null;
  port: number;
  is_enabled: boolean;
  min_rssi: number | null;
  reader_id: number;
  reader_name: string;
  last_message_at: string | null;
}

/** The antennas that see a location, and when their readers last said anything. */
function readAntennas(
  db: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
): Promise<readonly AntennaRow[]> {
  return db.any(sql.type(rowsOf<AntennaRow>())`
    select antenna.port, coalesce(antenna.name, antenna.device_port::text) as name, antenna.is_enabled, antenna.min_rssi, reader.id as reader_id, reader.name as reader_name,
      counted.last_message_at
    from antennas antenna
    join readers reader on reader.org_id = antenna.org_id and reader.id = antenna.reader_id and reader.deleted_at is null
    left join reader_counters counted on counted.org_id = reader.org_id and counted.reader_id = reader.id
    where antenna.org_id = ${orgId} and antenna.location_id = ${locationId}
    order by reader.name, reader.id, antenna.port limit ${MOST_ANTENNAS}`);
}

interface SweepRow {
  id: string;
  ended_at: string;
  handheld: string;
  expected: number;
  found: number;
  moved_here: number;
  missing: number;
  unknown: number;
}

/** The last sweeps of a location, the latest first. */
function readSweeps(
  db: Connection,
  { orgId, locationId }: { orgId: number; locationId: number },
): Promise<readonly SweepRow[]> {
  return db.any(sql.type(rowsOf<SweepRow>())`
    select sweep.id, sweep.ended_at, handheld.name as handheld, sweep.expected, sweep.found, sweep.moved_here,
      sweep.missing, sweep.unknown
    from sweeps sweep
    join handhelds handheld on handheld.org_id = sweep.org_id and handheld.id = sweep.handheld_id
    where sweep.org_id = ${orgId} and sweep.location_id = ${locationId}
    order by sweep.ended_at desc limit ${MOST_SWEEPS}`);
}
