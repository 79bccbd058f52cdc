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
  summary:
    'How many unknown tags, open rejected messages and things with tags of several owners there are, up to a hundred',
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
  summary: 'Things with tags of several owners: one thing in several notations, as an upgrade found',
  description: 'At most a hundred, the first found first; of each a few tags of every owner.',
  scope: 'inbox:read',
  success: found(ALIKE_TAGS, 'Of each thing its tags, with what they are attached to'),
  handle: ({ context: { db, parts }, signal }) =>
    parts.insight.run(
      db.orgId,
      async (installation) =>
        (await listAlikeTags(installation, db.orgId, MOST_COUNTED)).map(({ tags }) => ({ tags })),
      signal(),
    ),
});

export const countRoutes = [counts, alike];
