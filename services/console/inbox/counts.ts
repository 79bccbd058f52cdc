import { countOpenKept } from '../../../domain/administration/rejected/kept-page.ts';
import { countUnknownTags } from '../../../domain/administration/unknown-tags/page.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNT_SCHEMA, objectOf } from '../serving/schemas.ts';

/** The count beside the word “Inbox” stops here. */
const MOST_COUNTED = 100;

const counts = memberRoute({
  ...{ method: 'GET', path: '/console/v1/inbox', operationId: 'countInbox' },
  summary: 'How many unknown tags and open rejected messages there are, up to a hundred',
  description: 'Up to five seconds old: everybody who has the console open asks again and again.',
  scope: 'inbox:read',
  success: found(objectOf({ unknown_tags: COUNT_SCHEMA, rejected: COUNT_SCHEMA }), 'The counts'),
  handle: ({ context: { db, parts } }) =>
    parts.inboxCounts.read(db.orgId, async () => ({
      unknown_tags: await countUnknownTags(
        db.listing({ isBrief: true, signal: undefined }),
        { isIgnored: false },
        MOST_COUNTED,
      ),
      rejected: await parts.insight.run(db.orgId, (installation) =>
        countOpenKept(installation, db.orgId, MOST_COUNTED),
      ),
    })),
});

export const countRoutes = [counts];
