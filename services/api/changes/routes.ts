import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { type ChangeEvent, readChanges } from '../../../domain/moves/read-changes.ts';
import type { FeedQuery } from '../../../domain/moves/read-moves.ts';
import { answered } from '../../../platform/http/success.ts';
import { ASSET } from '../assets/schema.ts';
import { assetView } from '../assets/view.ts';
import { LOCATION } from '../locations/schema.ts';
import { locationView } from '../locations/view.ts';
import { MOVE_DATA_POSITION } from '../moves/data-schema.ts';
import { answerFeed, FEED_QUERY, feedSchema, lookedAt } from '../moves/feed.ts';
import { route } from '../serving/context.ts';

const CHANGE: JsonSchema = {
  title: 'ChangeEvent',
  description: 'A change of an asset or a location, or of its tags.',
  type: 'object',
  properties: {
    position: MOVE_DATA_POSITION,
    time: { ...TIME_SCHEMA, description: 'When it was changed.' },
    resource: {
      type: 'string',
      'x-extensible-enum': ['asset', 'location'],
      description: 'What was changed. More may come: pass over what you do not know.',
    },
    id: { ...ID_SCHEMA, description: 'The id of the asset or the location.' },
    action: {
      type: 'string',
      'x-extensible-enum': ['create', 'update', 'rename', 'delete', 'attach_tag', 'detach_tag'],
      description: 'What was done. More may come.',
    },
    asset: {
      anyOf: [ASSET, { type: 'null' }],
      description: 'The asset as it is now; null if it is deleted, and for a location.',
    },
    location: {
      anyOf: [LOCATION, { type: 'null' }],
      description: 'The location as it is now; null if it is deleted, and for an asset.',
    },
  },
  required: ['position', 'time', 'resource', 'id', 'action', 'asset', 'location'],
  examples: [
    {
      position: 812,
      time: '2026-05-04T08:00:00.000Z',
      resource: 'asset',
      id: 17,
      action: 'rename',
      asset: (ASSET['examples'] as readonly unknown[])[0],
      location: null,
    },
  ],
};

const list = route({
  method: 'GET',
  path: '/api/v1/changes',
  operationId: 'listMasterDataChanges',
  summary: 'Follow changes of assets, locations and tags',
  description:
    'Every create, update, rename, delete, attach and detach, in one order, with the row as it is now: read from a position on, and wait for more. Where assets are is in the feed of moves. A request costs one token, however long it waits.',
  scope: 'changes:read',
  query: FEED_QUERY,
  success: answered(feedSchema('Change', 'changes', CHANGE), 'The changes after the position'),
  problems: { feed_expired: 'Changes after this position are not kept any more' },
  handle: ({ context: { db, moveReading }, query, signal, confirm }) =>
    answerFeed({ db, ...moveReading, signal, confirm }, query, look, 'changes'),
});

export const changeRoutes = [list];

async function look(db: OrganizationDatabase, query: FeedQuery) {
  const page = await readChanges(db.listing({ isBrief: true, fromPrimary: true, signal: undefined }), query);
  const events = page.events.map(changeView);
  return lookedAt({ ...page, events }, query, 'changes', ({ position }) => position, 'assets and locations');
}

/** Contract 2.11. */
function changeView({ position, recorded_at, resource, resource_id, action, asset, location }: ChangeEvent) {
  return {
    ...{ position, time: wireTime(recorded_at), resource, id: resource_id, action },
    asset: asset && assetView(asset),
    location: location && locationView(location),
  };
}
