import { type DwellRow, readDwell } from '../../../domain/reports/dwell/read-dwell.ts';
import { requireFewDays } from '../../../domain/reports/require-few-days.ts';
import { secondsOf } from '../../../domain/reports/seconds.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { knownIfAsked } from '../past/known-at-parameter.ts';
import { windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { DWELL, DWELL_ITEM } from './dwell-schema.ts';
import { orNarrower } from './or-narrower.ts';

export const dwell = route({
  method: 'GET',
  path: '/api/v1/reports/dwell',
  operationId: 'reportDwell',
  summary: 'Report how long assets stayed',
  description:
    'One row for each location, asset or day. Stays are cut to the window; an unfinished one lasts until `to`. All rows together, with the row of time before the first scan, are the window times the assets, to the millisecond; assets deleted since count until then. With `known_at`, the report as known then, without later records and assets created later.',
  scope: 'tracking:read',
  query: DWELL,
  params: {},
  success: listed(DWELL_ITEM, 'A page of groups'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    if (query.group_by === 'day') {
      requireFewDays(window);
    }
    const known = await knownIfAsked(db, query.known_at, window);
    const page = await orNarrower(
      known === null ? 'from' : 'known_at',
      readDwell(db, window, known, query, signal()),
    );
    return listBody(page, query, dwellView);
  },
});

/** Contract 2.9. */
function dwellView(row: DwellRow) {
  return {
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    asset_id: row.asset_id,
    asset_external_key: row.asset_external_key,
    day: row.day,
    seen: row.seen,
    total_seconds: secondsOf(row.total),
    mean_seconds: secondsOf(row.mean),
    median_seconds: secondsOf(row.median),
    p90_seconds: secondsOf(row.p90),
    max_seconds: secondsOf(row.max),
    stays: row.stays,
    assets: row.assets,
  };
}
