import { refuseIssues, required } from '../../../base/checks/issues.ts';
import type { PlaceFilters } from '../../../domain/reports/places-during.ts';
import { requireFewDays } from '../../../domain/reports/require-few-days.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { readTurns } from '../../../domain/reports/turns/read-turns.ts';
import type { TripPlaces } from '../../../domain/reports/turns/trips.ts';
import { listBody } from '../../../platform/http/lists.ts';
import { listed } from '../../../platform/http/success.ts';
import { windowFrom } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower } from './or-narrower.ts';
import { TURN, TURNS, type TurnsQuery } from './turns-schema.ts';
import { turnView } from './turns-view.ts';

export const turns = route({
  method: 'GET',
  path: '/api/v1/reports/turns',
  operationId: 'reportTurns',
  summary: 'Report how long trips between two locations took',
  description:
    'A trip begins when an asset leaves the first location and ends when it arrives at the second, however many locations lie between. It is measured from the last departure before the arrival, and belongs to the window in which it ends. With `include_descendants`, moves count by the tree at the instant of each; an asset that does not move neither leaves nor arrives when locations around it get another parent. With the same location twice, it is how long assets were away.',
  scope: 'tracking:read',
  query: TURNS,
  params: {},
  success: listed(TURN, 'A page of groups; without `group_by` one row'),
  handle: async ({ context: { db }, query, signal }) => {
    const window = windowFrom(query);
    const places = placesOf(query);
    if (query.group_by === 'day') {
      requireFewDays(window);
    }
    await requirePast(db, window);
    return listBody(
      await orNarrower('from', readTurns(db, window, places, query, signal())),
      query,
      turnView,
    );
  },
});

/** @throws Invalid for a place that is not named. */
function placesOf(query: TurnsQuery): TripPlaces {
  const named = {
    from: [query.from_location_id, query.from_location_external_key],
    to: [query.to_location_id, query.to_location_external_key],
  } as const;
  refuseIssues(
    Object.entries(named)
      .filter(([, forms]) => forms.every((form) => form === undefined))
      .map(([end]) => required(`${end}_location_id`)),
  );
  const filters = ([id, key]: readonly [number | undefined, string | undefined]): PlaceFilters => ({
    location_id: id === undefined ? undefined : [id],
    location_external_key: key === undefined ? undefined : [key],
    include_descendants: query.include_descendants,
  });
  return { left: filters(named.from), reached: filters(named.to) };
}
