import { type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { ALERT_TYPES } from '../../../domain/moves/alert-event.ts';
import { MOVE_TYPES } from '../../../domain/moves/event.ts';
import { type FeedQuery, readMoves } from '../../../domain/moves/read-moves.ts';
import { answered } from '../../../platform/http/success.ts';
import { ALERT } from '../alerts/schema.ts';
import { route } from '../serving/context.ts';
import { MOVE_DATA, MOVE_DATA_EXAMPLE, MOVE_DATA_POSITION } from './data-schema.ts';
import { answerFeed, FEED_QUERY, feedSchema, lookedAt } from './feed.ts';

/** Contract 2.8. */
const MOVE_EVENT: JsonSchema = {
  title: 'MoveEvent',
  description: 'A change of the history of one asset, as a CloudEvent (1.0, structured JSON).',
  type: 'object',
  properties: {
    specversion: { type: 'string', const: '1.0', description: 'The version of CloudEvents.' },
    id: { type: 'string', minLength: 1, description: 'The same whenever the event is read.' },
    source: {
      type: 'string',
      format: 'uri-reference',
      minLength: 1,
      description: 'The feed of the organization.',
    },
    type: {
      type: 'string',
      'x-extensible-enum': Object.values(MOVE_TYPES),
      description:
        'A move added one row at the end of the history; anything else is a correction. More types may come: pass over events of types you do not know.',
    },
    subject: { type: 'string', minLength: 1, description: 'The asset.' },
    time: {
      ...TIME_SCHEMA,
      description: 'When the change was recorded. From one event of an asset to its next it never goes back.',
    },
    datacontenttype: { type: 'string', const: 'application/json', description: 'What `data` is.' },
    data: MOVE_DATA,
  },
  required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'data'],
  examples: [
    {
      specversion: '1.0',
      id: 'org-1-48123',
      source: '/orgs/1/moves',
      type: MOVE_TYPES.corrected,
      subject: 'assets/17',
      time: '2026-05-04T08:00:11.120Z',
      datacontenttype: 'application/json',
      data: MOVE_DATA_EXAMPLE,
    },
  ],
};

const { properties, required } = MOVE_EVENT as {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
};

/** Without its title, as its description differs. */
const { title: _, ...TOLD_ALERT } = ALERT;

/** Contract 2.8. */
const ALERT_EVENT: JsonSchema = {
  title: 'AlertEvent',
  description: 'A change of the state of an alert, as a CloudEvent (1.0, structured JSON).',
  type: 'object',
  properties: {
    ...properties,
    type: {
      type: 'string',
      'x-extensible-enum': Object.values(ALERT_TYPES),
      description:
        'What became of the alert. `opened` may come again, where a warning became an alarm. More types may come.',
    },
    subject: { type: 'string', minLength: 1, description: 'The alert.' },
    time: { ...TIME_SCHEMA, description: 'When the change was recorded.' },
    data: {
      title: 'AlertData',
      description: 'The alert as it was then.',
      type: 'object',
      properties: {
        position: MOVE_DATA_POSITION,
        alert: { ...TOLD_ALERT, description: 'The alert, with its state as it was then.' },
      },
      required: ['position', 'alert'],
    },
  },
  required,
  examples: [
    {
      specversion: '1.0',
      id: 'org-1-48124',
      source: '/orgs/1/moves',
      type: ALERT_TYPES.alert_opened,
      subject: 'alerts/01KQSB3M8R0E5T9V2W4X6Y8Z1B',
      time: '2026-05-04T08:00:12.310Z',
      datacontenttype: 'application/json',
      data: { position: 48_124, alert: (ALERT['examples'] as readonly unknown[])[0] },
    },
  ],
};

/** Has no type of today, so that a faulty event of a known type does not pass for one. */
const OTHER_EVENT: JsonSchema = {
  title: 'OtherEvent',
  description: 'An event of a type that may come: only its position is known. Pass over it.',
  type: 'object',
  properties: {
    ...properties,
    type: {
      type: 'string',
      not: { enum: [MOVE_TYPES, ALERT_TYPES].flatMap((types) => Object.values(types)) },
      description: 'A type that is not known today.',
    },
    subject: { type: 'string', minLength: 1, description: 'What it is about.' },
    data: {
      title: 'OtherEventData',
      type: 'object',
      properties: { position: MOVE_DATA_POSITION },
      required: ['position'],
    },
  },
  required,
};

const list = route({
  method: 'GET',
  path: '/api/v1/moves',
  operationId: 'listMoves',
  summary: 'Follow moves and corrections',
  description:
    'Every change of every history and of every alert, once recorded never lost, in one order: read from a position on, and wait for more. A request costs one token, however long it waits.',
  scope: 'tracking:read',
  query: FEED_QUERY,
  success: answered(
    feedSchema('Move', 'moves', {
      anyOf: [MOVE_EVENT, ALERT_EVENT, OTHER_EVENT],
      examples: MOVE_EVENT['examples'],
    }),
    'The events after the position',
  ),
  problems: { feed_expired: 'Events after this position are not kept any more' },
  handle: ({ context: { db, moveReading }, query, signal, confirm }) =>
    answerFeed({ db, ...moveReading, signal, confirm }, query, look),
});

export const moveRoutes = [list];

async function look(db: OrganizationDatabase, query: FeedQuery) {
  const page = await readMoves(db.listing({ isBrief: true, fromPrimary: true, signal: undefined }), query);
  return lookedAt(page, query, 'moves', ({ data }) => data.position, 'the report and the histories');
}
