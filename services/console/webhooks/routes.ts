import { toMicros } from '../../../base/timestamps.ts';
import { positionAt } from '../../../domain/tracking/feed/position-at.ts';
import { timeBound } from '../../../platform/http/parameters.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNT_SCHEMA, objectOf } from '../serving/schemas.ts';

/** In addition to the API's routes of webhooks, which know positions only. */
const position = memberRoute({
  ...{ method: 'GET', path: '/console/v1/feed-position', operationId: 'findFeedPosition' },
  summary: 'After which position of the feed everything recorded since a time follows',
  scope: 'webhooks:admin',
  query: { parameters: { at: timeBound } },
  success: found(
    objectOf({ after: COUNT_SCHEMA }),
    'The position; without a time, the first that can be asked for',
  ),
  handle: async ({ context: { db }, query: { at }, signal }) => {
    const listing = db.listing({ isBrief: true, signal: signal() });
    return { after: await positionAt(listing, db.orgId, at === undefined ? 0 : toMicros(at.instant)) };
  },
});

export const webhookRoutes = [position];
