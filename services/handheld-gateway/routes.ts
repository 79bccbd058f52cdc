import type { Route } from '../../platform/http/route.ts';
import { lookUpRoutes } from './lookup/routes.ts';
import type { HandheldContext } from './serving/context.ts';
import { submissionRoutes } from './submissions/routes.ts';

/** A group of routes, with texts for the description. */
export interface Resource {
  name: string;
  description: string;
  routes: readonly Route<HandheldContext>[];
}

/** All resources for handhelds, in order of description. */
export const GATEWAY_RESOURCES: readonly Resource[] = [
  { name: 'Submissions', description: 'What people scanned.', routes: submissionRoutes },
  { name: 'Look-ups', description: 'What a device has to know before it scans.', routes: lookUpRoutes },
];

export const GATEWAY_ROUTES: readonly Route<HandheldContext>[] = GATEWAY_RESOURCES.flatMap(
  ({ routes }) => routes,
);
