import { readLiveTree } from '../../../domain/moves/live-tree.ts';
import { NO_QUERY } from '../../../platform/http/query.ts';
import { answered } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { TREE } from './schema.ts';
import { treeView } from './view.ts';

const read = memberRoute({
  ...{ method: 'GET', path: '/console/v1/tree', operationId: 'readTree' },
  summary: 'All live locations, and how many assets are at each',
  description:
    'As the feed tells it up to `position`; the events after that change the counts. Up to a second old.',
  scope: 'tracking:read',
  query: NO_QUERY,
  params: {},
  success: answered(TREE, 'The locations'),
  handle: ({ context: { db, parts } }) =>
    parts.trees.read(db.orgId, () =>
      parts.insight.run(db.orgId, async (installation) =>
        treeView(await readLiveTree(installation, db.orgId)),
      ),
    ),
});

export const treeRoutes = [read];
