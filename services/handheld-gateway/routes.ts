import type { Route } from '../../platform/http/route.ts';
import { lookUpRoutes } from './lookup/routes.ts';
import type { HandheldContext } from './serving/context.ts';
import { submissionRoutes } from './submissions/routes.ts';

/** Routes about one thing, and what readers of the description are told of it. */
export interface Resource {
  name: string;
  description: string;
  routes: readonly Route<HandheldContext>[];
}

/** Everything there is for handhelds, in the order in which it is described. */
export const GATEWAY_RESOURCES: readonly Resource[] = [
  { name: 'Submissions', description: 'What people scanned.', routes: submissionRoutes },
  { name: 'Look-ups', description: 'What a device has to know before it scans.', routes: lookUpRoutes },
];

/** Every route of the gateway. */
export const GATEWAY_ROUTES: readonly Route<HandheldContext>[] = GATEWAY_RESOURCES.flatMap(
  ({ routes }) => routes,
);
