import type { Route } from '../../platform/http/route.ts';
import { API_ROUTES } from '../api/entry.ts';
import { alertRoutes } from './alerts/routes.ts';
import { assetRoutes as ownAssetRoutes } from './assets/routes.ts';
import { changeRoutes } from './changes/routes.ts';
import { coverageRoutes } from './coverage/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { reportExportRoutes } from './exports/reports.ts';
import { exportRoutes } from './exports/routes.ts';
import { findRoutes } from './find/routes.ts';
import { arrivalRoutes } from './formats/arrivals.ts';
import { formatRoutes } from './formats/routes.ts';
import { handheldRoutes } from './handhelds/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { importRoutes } from './imports/routes.ts';
import { countRoutes } from './inbox/counts.ts';
import { replayRoutes, tryingRoutes } from './inbox/one-rejected.ts';
import { rejectedRoutes } from './inbox/rejected.ts';
import { unknownTagRoutes } from './inbox/unknown-tags.ts';
import { labelRoutes } from './labels/routes.ts';
import { linkRoutes } from './links/routes.ts';
import { listenRoutes } from './listening/routes.ts';
import { locatingRoutes } from './locating/routes.ts';
import { organizationRoutes } from './organization/routes.ts';
import { placeRoutes } from './places/routes.ts';
import { planRoutes } from './plans/routes.ts';
import { presenceCountRoutes, presenceRoutes } from './presence/routes.ts';
import { readerRoutes } from './readers/routes.ts';
import { retiredRoutes } from './retired/routes.ts';
import type { ConsoleContext } from './serving/context.ts';
import type { Visitor } from './serving/visitor.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { stayRoutes } from './stays/routes.ts';
import { treeRoutes } from './tree/routes.ts';
import { userRoutes } from './users/routes.ts';
import { watchRoutes } from './watches/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { whyRoutes } from './why/routes.ts';

/** Signing in, and the own account. */
export const VISITOR_ROUTES: readonly Route<Visitor>[] = [...sessionRoutes, ...linkRoutes];

/** Routes that only administrators have in the API, and every member reads here: why there is an alert. */
const READ_BY_ALL = new Set(['listRules', 'getRule']);

/** Not for people: here, `/changes` is the log of who changed what. */
const NOT_FOR_PEOPLE = ['/api/v1/orgs/me', '/api/v1/changes'];

/** The API's routes at another path, with another authentication. */
const OF_API: readonly Route<ConsoleContext>[] = API_ROUTES.filter(
  ({ path }) => !NOT_FOR_PEOPLE.includes(path),
).map((route) => ({
  ...route,
  path: route.path.replace('/api/v1/', '/console/v1/'),
  ...(READ_BY_ALL.has(route.operationId) ? { scope: 'tracking:read' } : {}),
}));

/** The routes for members of an organization, by role. */
export const MEMBER_ROUTES: readonly Route<ConsoleContext>[] = [
  ...OF_API,
  ...alertRoutes,
  ...treeRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...reportExportRoutes,
  ...findRoutes,
  ...importRoutes,
  ...retiredRoutes,
  ...ownAssetRoutes,
  ...stayRoutes,
  ...whyRoutes,
  ...presenceRoutes,
  ...presenceCountRoutes,
  ...coverageRoutes,
  ...watchRoutes,
  ...placeRoutes,
  ...planRoutes,
  ...organizationRoutes,
  ...labelRoutes,
  ...userRoutes,
  ...unknownTagRoutes,
  ...rejectedRoutes,
  ...countRoutes,
  ...replayRoutes,
  ...tryingRoutes,
  ...readerRoutes,
  ...listenRoutes,
  ...arrivalRoutes,
  ...formatRoutes,
  ...handheldRoutes,
  ...webhookRoutes,
  ...healthRoutes,
  ...locatingRoutes,
  ...changeRoutes,
];
