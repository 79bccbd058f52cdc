import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { OF_LOCATION } from '../presence/routes.ts';
import { memberRoute } from '../serving/context.ts';
import { listOf } from '../serving/schemas.ts';
import { readDwell } from './dwell.ts';
import { readAntennas, readSweeps } from './equipment.ts';
import { ANTENNA_HERE, DWELL, SWEEP } from './schema.ts';
import { antennaView, dwellView, sweepView } from './view.ts';

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
