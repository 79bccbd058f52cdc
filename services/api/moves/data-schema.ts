import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { HISTORY_ITEM } from '../history/schema.ts';

export const MOVE_CURRENT: JsonSchema = {
  description: 'Where the asset is, with this event applied. All null after its only scan was taken back.',
  type: 'object',
  properties: {
    location_id: { ...nullableSchema(ID_SCHEMA), description: 'The location.' },
    location_external_key: {
      ...nullableSchema(KEY_SCHEMA),
      description: 'Its current external key, also if it is deleted by now.',
    },
    since: { ...nullableSchema(TIME_SCHEMA), description: 'Since when it has been there.' },
    last_seen: { ...nullableSchema(TIME_SCHEMA), description: 'When it was seen last.' },
    changed: { type: 'boolean', description: 'Whether `location_id` was another before this event.' },
  },
  required: ['location_id', 'location_external_key', 'since', 'last_seen', 'changed'],
};

const { properties, required } = HISTORY_ITEM as {
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
};

const CHANGED_ROW: JsonSchema = {
  title: 'ChangedHistoryRow',
  description: 'A row of the history as it is now, with its former values.',
  type: 'object',
  properties: {
    ...properties,
    was: {
      type: 'object',
      description: 'As it was.',
      properties: {
        location_id: { ...ID_SCHEMA, description: 'Where the asset was said to have been.' },
        duration_seconds: { type: ['integer', 'null'], minimum: 0, description: 'The duration before.' },
      },
      required: ['location_id', 'duration_seconds'],
    },
  },
  required: [...required, 'was'],
};

export const MOVE_DATA_POSITION: JsonSchema = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  description: 'Its place in the feed. Positions have no gaps, and never change.',
};

export const MOVE_PART: JsonSchema = {
  type: 'array',
  items: { type: 'integer', minimum: 1 },
  minItems: 2,
  maxItems: 2,
  description:
    'Which part of how many, on events of one change with more than 1,000 rows; they follow one another. Absent otherwise.',
};

/** Contract 2.8. */
export const MOVE_DATA: JsonSchema = {
  title: 'MoveData',
  description:
    "The changes. Applied in order to an empty history, an asset's events give its history: put `added` and `changed` in by `row`, take `removed` out. Applying one twice does no harm.",
  type: 'object',
  properties: {
    position: MOVE_DATA_POSITION,
    asset: {
      type: 'object',
      description: 'The asset.',
      properties: {
        id: { ...ID_SCHEMA, description: 'Its id.' },
        external_key: {
          ...KEY_SCHEMA,
          description: 'Its current external key, also if it is deleted by now.',
        },
      },
      required: ['id', 'external_key'],
    },
    current: MOVE_CURRENT,
    added: { type: 'array', items: HISTORY_ITEM, description: 'Rows that the history did not have.' },
    removed: { type: 'array', items: HISTORY_ITEM, description: 'Rows that it no longer has.' },
    changed: { type: 'array', items: CHANGED_ROW, description: 'Rows that are different now.' },
    part: MOVE_PART,
  },
  required: ['position', 'asset', 'current', 'added', 'removed', 'changed'],
};

export const MOVE_DATA_EXAMPLE = {
  position: 48_123,
  asset: { id: 17, external_key: 'FORKLIFT-2' },
  current: {
    location_id: 4,
    location_external_key: 'DOCK-1',
    since: '2026-05-04T07:41:00.000Z',
    last_seen: '2026-05-04T08:00:11.000Z',
    changed: false,
  },
  added: [
    {
      event_observed_at: '2026-05-04T07:38:00.000Z',
      location_id: 5,
      location_external_key: 'AISLE-A',
      duration_seconds: 120,
      row: '1777880280000000',
    },
  ],
  removed: [],
  changed: [
    {
      event_observed_at: '2026-05-04T07:41:00.000Z',
      location_id: 4,
      location_external_key: 'DOCK-1',
      duration_seconds: 180,
      row: '1777880460000000',
      was: { location_id: 4, duration_seconds: 300 },
    },
  ],
};
