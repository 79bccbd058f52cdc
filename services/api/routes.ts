import type { Route } from '../shared/http/route.ts';
import { assetRoutes } from './assets/routes.ts';
import type { ApiContext } from './context.ts';
import { historyRoutes } from './history/routes.ts';
import { locationRoutes } from './locations/routes.ts';
import { treeRoutes } from './locations/tree-routes.ts';
import { orgRoutes } from './orgs/routes.ts';
import { reportRoutes } from './reports/routes.ts';
import { tagRoutes } from './tags/routes.ts';

/** Every route of the API. */
export const API_ROUTES: readonly Route<ApiContext>[] = [
  ...assetRoutes,
  ...historyRoutes,
  ...locationRoutes,
  ...treeRoutes,
  ...tagRoutes,
  ...reportRoutes,
  ...orgRoutes,
];
