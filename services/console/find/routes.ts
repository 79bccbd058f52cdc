import { lastStays, searchWhereabouts } from '../../../domain/master-data/assets/whereabouts.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { findLocations } from './queries.ts';
import { FIND, FOUND, MOST_FOUND, MOST_STAYS } from './schema.ts';
import { foundView } from './view.ts';

const find = memberRoute({
  ...{ method: 'GET', path: '/console/v1/find', operationId: 'find' },
  summary: 'Find an asset, key, tag or place',
  description: 'Tags in any spelling. What is named exactly comes first.',
  scope: 'tracking:read',
  query: FIND,
  params: {},
  success: found(FOUND, 'What was found'),
  handle: async ({ context: { db }, query: { q }, signal }) => {
    if (q === undefined) {
      return foundView({ rows: [], totalCount: 0 }, [], { rows: [], totalCount: 0 });
    }
    const page = { limit: MOST_FOUND, offset: 0 };
    const hangUp = signal();
    const [assets, locations] = await Promise.all([
      searchWhereabouts(db, q, page, hangUp),
      findLocations(db, q, page, hangUp),
    ]);
    const ids = assets.rows.map(({ id }) => id);
    return foundView(assets, ids.length === 0 ? [] : await lastStays(db, ids, MOST_STAYS), locations);
  },
});

export const findRoutes = [find];
