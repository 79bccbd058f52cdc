import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { KINDS } from '../../../domain/alerts/rules/rule.ts';
import { ULID_SCHEMA } from '../serving/ulid-parameter.ts';

export const ALERT_STATES = ['open', 'acknowledged', 'closed', 'withdrawn'] as const;

function referenceTo(
  description: string,
  name: Readonly<Record<string, JsonSchema>>,
  id: JsonSchema = ID_SCHEMA,
): JsonSchema {
  return {
    ...{ type: ['object', 'null'], description },
    properties: { id: { ...id, description: 'Its id.' }, ...name },
    required: ['id', ...Object.keys(name)],
  };
}

const KEYED = { external_key: { ...KEY_SCHEMA, description: 'Its current external key.' } };
const NAMED = { name: { type: 'string', description: 'Its name.' } } as const;

const PROPERTIES = {
  id: { ...ULID_SCHEMA, description: 'The id of the alert.' },
  rule: {
    ...referenceTo('The rule that raised it, named as it was then.', NAMED, ULID_SCHEMA),
    type: 'object',
  },
  kind: {
    type: 'string',
    'x-extensible-enum': KINDS,
    description: 'The kind of the rule.',
  },
  level: {
    type: ['string', 'null'],
    enum: ['warning', 'alarm', null],
    description:
      'Of `dwell`: a warning from the first threshold on, an alarm from the second. Null of others.',
  },
  state: {
    type: 'string',
    enum: ALERT_STATES,
    description:
      'Closed when the condition has ended; withdrawn when later data shows that it was never true.',
  },
  asset: referenceTo('The asset it is about; null if it is about a reader.', KEYED),
  reader: referenceTo('The reader it is about; null if it is about an asset.', NAMED),
  location: referenceTo('Where the asset was; null of a reader.', KEYED),
  opened_at: {
    ...TIME_SCHEMA,
    description: 'Since when the condition has been true, as observed. Late scans may correct it.',
  },
  recorded_at: { ...TIME_SCHEMA, description: 'When that was found.' },
  acknowledged_at: { ...nullableSchema(TIME_SCHEMA), description: 'When somebody took notice of it.' },
  acknowledged_by: { type: ['string', 'null'], description: 'Who did.' },
  closed_at: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'When the condition ended, as observed. Null while it is true.',
  },
  because: {
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['overdue', 'missing', 'silent', 'disconnected'] },
      location_id: ID_SCHEMA,
      last_seen: TIME_SCHEMA,
      sweep_id: { type: ['string', 'null'] },
      from: TIME_SCHEMA,
    },
    required: [],
    description:
      'The cause. For `overdue`: `state` (`overdue` or `missing`), `location_id`, `last_seen`, `sweep_id`; for a reader: `state` (`silent` or `disconnected`), `from`; for others: `location_id`, and `from`, when the asset came or left.',
  },
} as const satisfies Record<string, JsonSchema>;

/** Contract 2.10. */
export const ALERT: JsonSchema = {
  title: 'Alert',
  description: 'The condition of a rule was true of an asset or a reader, for one stretch of time.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B',
      rule: { id: '01KQS9Z0T4N7Q1XK5R8W2Y3C6D', name: 'Forklifts leave the yard' },
      kind: 'not_allowed',
      level: null,
      state: 'open',
      asset: { id: 17, external_key: 'FORKLIFT-2' },
      reader: null,
      location: { id: 4, external_key: 'DOCK-1' },
      opened_at: '2026-05-04T07:41:00.000Z',
      recorded_at: '2026-05-04T07:41:01.310Z',
      acknowledged_at: null,
      acknowledged_by: null,
      closed_at: null,
      because: { location_id: 4, from: '2026-05-04T07:41:00.000Z' },
    },
  ],
};
