import { toMicros, wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import {
  listPositionsAt,
  type PositionAtRow,
} from '../../../domain/reports/positions-at/list-positions-at.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { knownIfAsked } from '../past/known-at-parameter.ts';
import { route } from '../serving/context.ts';
import { orNarrower } from './or-narrower.ts';
import { POSITION_AT, POSITIONS_AT } from './positions-at-schema.ts';

export const positionsAt = route({
  method: 'GET',
  path: '/api/v1/reports/positions-at',
  operationId: 'reportPositionsAt',
  summary: 'Report where the assets were at an instant',
  description:
    'One row for each asset that had been seen by then: the location it was at, since when, and when it had last been seen. Whether an asset is in effect does not matter; assets deleted later are included. With `known_at`, the report as known then, without anything recorded later.',
  scope: 'tracking:read',
  query: POSITIONS_AT,
  params: {},
  success: listed(POSITION_AT, 'A page of where assets were'),
  handle: async ({ context: { db }, query, signal }) => {
    const { at, known_at: knownAt } = query;
    const known = await knownIfAsked(db, knownAt, { at: toMicros(at.instant) });
    const page = await orNarrower(
      known === null ? 'at' : 'known_at',
      listPositionsAt(db, firstAfter(at), known, query, signal()),
    );
    return listBody(page, query, positionAtView);
  },
});

/** Contract 2.9. */
function positionAtView(row: PositionAtRow) {
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    since: wireTime(row.since),
    last_seen: wireTime(row.last_seen),
  };
}
