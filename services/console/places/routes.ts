import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { OF_LOCATION } from '../presence/routes.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNT_SCHEMA, FLAG_SCHEMA, listOf, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';
import { BARS, type DwellRow, readDwell } from './dwell.ts';
import { type AntennaRow, readAntennas, readSweeps, type SweepRow } from './equipment.ts';

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
  port: COUNT_SCHEMA,
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
  ...{ scope: 'tracking:read', query: NO_QUERY, ...OF_LOCATION },
  success: found(DWELL, 'Stays by their length'),
  handle: async ({ context, row: id, signal }) =>
    dwellView(await readDwell(context.db, id, DAYS, signal()), DAYS),
});

const antennas = memberRoute({
  ...{ method: 'GET', path: '/console/v1/locations/{location_id}/antennas', operationId: 'listAntennasHere' },
  summary: 'The antennas that see a location, and when their readers last said anything',
  ...{ scope: 'readers:read', query: NO_QUERY, ...OF_LOCATION },
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
  ...{ scope: 'tracking:read', query: NO_QUERY, ...OF_LOCATION },
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
  const { port, is_enabled: enabled, min_rssi, reader_id: id, reader_name: name, last_message_at } = antenna;
  return { port, enabled, min_rssi, reader: { id, name }, last_message_at: wireTimeOrNull(last_message_at) };
}

function sweepView(sweep: SweepRow) {
  const { id, ended_at, handheld, expected, found, moved_here, missing, unknown } = sweep;
  return { id, ended_at: wireTime(ended_at), handheld, expected, found, moved_here, missing, unknown };
}
