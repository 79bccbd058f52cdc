import type { Route } from '../../platform/http/route.ts';
import { alertRoutes } from './alerts/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { assetRoutes } from './assets/routes.ts';
import { changeRoutes } from './changes/routes.ts';
import { historyRoutes } from './history/routes.ts';
import { batchRoutes } from './imports/batch-routes.ts';
import { importRoutes } from './imports/routes.ts';
import { locationRoutes } from './locations/routes.ts';
import { treeRoutes } from './locations/tree-routes.ts';
import { moveRoutes } from './moves/routes.ts';
import { orgRoutes } from './orgs/routes.ts';
import { readingRoutes } from './readings/routes.ts';
import { reportRoutes } from './reports/routes.ts';
import { ruleRoutes } from './rules/routes.ts';
import type { ApiContext } from './serving/context.ts';
import { tagRoutes } from './tags/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export interface Resource {
  name: string;
  description: string;
  routes: readonly Route<ApiContext>[];
}

export const API_RESOURCES: readonly Resource[] = [
  {
    name: 'Assets',
    description: 'The physical things that are tracked: your master data, and where they are.',
    routes: [...assetRoutes, batchRoutes.asset],
  },
  {
    name: 'Locations',
    description: 'The places where assets can be, in a tree: sites, halls, aisles, docks.',
    routes: [...locationRoutes, batchRoutes.location, ...treeRoutes],
  },
  {
    name: 'Tags',
    description:
      'RFID tags, BLE beacons and barcodes that readers see. They are attached to assets and locations, and reached through them only.',
    routes: tagRoutes,
  },
  {
    name: 'Changes',
    description: 'What became of assets, locations and tags, for systems that keep a copy of them.',
    routes: changeRoutes,
  },
  {
    name: 'Tracking',
    description:
      'What the scans tell: where assets are, where they have been, and every change of either. Scans come from readers and handhelds, never through this API.',
    routes: [...historyRoutes, ...readingRoutes, ...reportRoutes, ...moveRoutes, ...alertRoutes],
  },
  { name: 'Organization', description: "The key's organization and scopes.", routes: orgRoutes },
  { name: 'API keys', description: 'For administrators.', routes: apiKeyRoutes },
  { name: 'Rules', description: 'For administrators.', routes: ruleRoutes },
  { name: 'Webhooks', description: 'For administrators.', routes: webhookRoutes },
  { name: 'Imports', description: 'For the import of files.', routes: importRoutes },
];

export const API_ROUTES: readonly Route<ApiContext>[] = API_RESOURCES.flatMap(({ routes }) => routes);
