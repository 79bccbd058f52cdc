import { countOpenKept } from '../../../domain/administration/rejected/kept-page.ts';
import { countUnknownTags } from '../../../domain/administration/unknown-tags/page.ts';
import { listAlikeTags } from '../../../domain/health/tags.ts';
import { found } from '../../../platform/http/success.ts';
import { memberRoute } from '../serving/context.ts';
import { COUNT_SCHEMA, objectOf } from '../serving/schemas.ts';
import { ALIKE_TAGS } from './schema.ts';

/** The count beside the word “Inbox” stops here, and so do lists without pages. */
const MOST_COUNTED = 100;

const counts = memberRoute({
  ...{ method: 'GET', path: '/console/v1/inbox', operationId: 'countInbox' },
  summary: 'Count unknown tags, open rejected messages and tags attached twice, up to a hundred of each',
  description: 'Up to five seconds old: everybody who has the console open asks again and again.',
  scope: 'inbox:read',
  success: found(
    objectOf({ unknown_tags: COUNT_SCHEMA, rejected: COUNT_SCHEMA, alike_tags: COUNT_SCHEMA }),
    'The counts',
  ),
  handle: ({ context: { db, parts } }) =>
    parts.inboxCounts.read(db.orgId, async () => ({
      unknown_tags: await countUnknownTags(
        db.listing({ isBrief: true, signal: undefined }),
        { isIgnored: false },
        MOST_COUNTED,
      ),
      ...(await parts.insight.run(db.orgId, async (installation) => ({
        rejected: await countOpenKept(installation, db.orgId, MOST_COUNTED),
        alike_tags: (await listAlikeTags(installation, db.orgId, MOST_COUNTED)).length,
      }))),
    })),
});

const alike = memberRoute({
  ...{ method: 'GET', path: '/console/v1/alike-tags', operationId: 'listAlikeTags' },
  summary: 'List tags attached twice: one thing in several notations, attached to different owners',
  description: 'At most a hundred things, the first found first, with a few tags per owner.',
  scope: 'inbox:read',
  success: found(ALIKE_TAGS, 'The tags of each thing, with their owners'),
  handle: ({ context: { db, parts }, signal }) =>
    parts.insight.run(
      db.orgId,
      async (installation) =>
        (await listAlikeTags(installation, db.orgId, MOST_COUNTED)).map(({ tags }) => ({ tags })),
      signal(),
    ),
});

export const countRoutes = [counts, alike];
