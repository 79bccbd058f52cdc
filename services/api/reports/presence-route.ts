import { toMicros } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { listPresence } from '../../../domain/reports/presence/list-presence.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { listBody } from '../../../platform/http/lists.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { listed } from '../../../platform/http/success.ts';
import { route } from '../serving/context.ts';
import { orNarrower } from './or-narrower.ts';
import { PRESENCE, PRESENCES } from './presence-schema.ts';
import { presenceView } from './presence-view.ts';

export const presence = route({
  method: 'GET',
  path: '/api/v1/reports/presence',
  operationId: 'reportPresence',
  summary: 'Report whether assets are where they were seen last',
  description:
    'One row for each asset, never scanned ones included. An asset that is not read is called overdue only for time in which it would have been read: while its location is watched continuously and its antennas listen. Otherwise its state is unknown, and the row names the reader. It is told from all evidence there is by now: what a reader had buffered and sends later proves that it listened.',
  scope: 'tracking:read',
  query: PRESENCES,
  params: {},
  success: listed(PRESENCE, 'A page of the states of assets'),
  handle: async ({ context: { db }, query, signal }) => {
    const at = await instantOf(db, query.at);
    return listBody(await orNarrower('at', listPresence(db, at, query, signal())), query, presenceView);
  },
});

/** @throws Invalid if it has not come yet. */
async function instantOf(db: OrganizationDatabase, at: TimeBound | undefined): Promise<number> {
  if (at === undefined) {
    return requirePast(db, {});
  }
  await requirePast(db, { at: toMicros(at.instant) });
  return firstAfter(at) - 1;
}
