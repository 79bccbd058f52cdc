import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { secondsOf } from '../../../domain/reports/seconds.ts';
import { listStays, type StayRow } from '../../../domain/reports/stays/list-stays.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { knownIfAsked } from '../past/known-at-parameter.ts';
import { windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower } from './or-narrower.ts';
import { STAY, STAYS } from './stays-schema.ts';

export const stays = route({
  method: 'GET',
  path: '/api/v1/reports/stays',
  operationId: 'reportStays',
  summary: 'Report the stays in a window of time',
  description:
    'One row for each stay that overlaps the window, last entered first, with its seconds inside. An asset stays until it is seen elsewhere, or deleted. Whether it is in effect does not matter. With `known_at`, the report as known then, without anything recorded later.',
  scope: 'tracking:read',
  query: STAYS,
  params: {},
  success: listed(STAY, 'A page of stays'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    const known = await knownIfAsked(db, query.known_at, window);
    const page = await orNarrower(
      known === null ? 'from' : 'known_at',
      listStays(db, window, known, query, signal()),
    );
    return listBody(page, query, stayView);
  },
});

/** Contract 2.9. */
function stayView(row: StayRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    entered_at: wireTime(row.entered_at),
    left_at: wireTimeOrNull(row.left_at),
    seconds_in_window: secondsOf(row.milliseconds),
    began_before: row.began_before,
    goes_on_after: row.goes_on_after,
  };
}
