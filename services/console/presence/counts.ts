import {
  countStates,
  type NotCounted,
  type StateCounts,
} from '../../../domain/reports/presence/count-states.ts';
import { MOST_ASSETS } from '../../../domain/reports/presence/list-presence.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNTS } from './schema.ts';

const counts = memberRoute({
  ...{ method: 'GET', path: '/console/v1/presence', operationId: 'countPresence' },
  summary: 'How many assets are present, overdue, missing, unknown, or were never seen',
  description: `Up to a minute old: everybody who has the console open asks again and again. Not counted beyond ${MOST_ASSETS} assets.`,
  ...{ scope: 'tracking:read', query: NO_QUERY, params: {} },
  success: found(COUNTS, 'The counts, or why there are none'),
  handle: async ({ context: { db, parts } }) =>
    countsView(await parts.stateCounts.read(db.orgId, () => countStates(db))),
});

function countsView(counted: StateCounts | NotCounted) {
  return typeof counted === 'string'
    ? { counts: null, not_counted: counted, most_assets: MOST_ASSETS }
    : { counts: counted, not_counted: null, most_assets: MOST_ASSETS };
}

export const presenceCountRoutes = [counts];
