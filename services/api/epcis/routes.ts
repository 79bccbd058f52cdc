import { addressOf } from '../description/document.ts';
import { CAPTURE_ROUTES } from './capture.ts';
import { eventRoutes } from './events.ts';
import { queryRoutes } from './queries.ts';
import { resourceRoutes } from './resources.ts';

/** EPCIS 2.0. Not in the API's own description: that of the standard holds. */
export function epcisRoutes(publicUrl: string | null) {
  const base = publicUrl === null ? null : addressOf(new URL(publicUrl));
  return [...resourceRoutes(base), ...eventRoutes(base), ...queryRoutes(base), ...CAPTURE_ROUTES];
}
