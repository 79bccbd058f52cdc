import type { Route } from '../../platform/http/route.ts';
import { assetRoutes } from './assets/routes.ts';
import { lookUpRoutes } from './lookup/routes.ts';
import { retractionRoutes } from './retractions/routes.ts';
import type { HandheldContext } from './serving/context.ts';
import { submissionRoutes } from './submissions/routes.ts';
import { sweepRoutes } from './sweeps/routes.ts';

export interface Resource {
  name: string;
  description: string;
  routes: readonly Route<HandheldContext>[];
}

export const GATEWAY_RESOURCES: readonly Resource[] = [
  { name: 'Submissions', description: 'What people scanned.', routes: submissionRoutes },
  { name: 'Sweeps', description: 'Checks of locations by people.', routes: sweepRoutes },
  { name: 'Retractions', description: 'Scans that are taken back.', routes: retractionRoutes },
  { name: 'Look-ups', description: 'Look-ups before scanning.', routes: lookUpRoutes },
  { name: 'Assets', description: 'What people look for.', routes: assetRoutes },
];

export const GATEWAY_ROUTES: readonly Route<HandheldContext>[] = GATEWAY_RESOURCES.flatMap(
  ({ routes }) => routes,
);
