import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { toMicros } from '../../../base/timestamps.ts';
import { ALERT_SORT_FIELDS, type AlertFilters } from '../../../domain/alerts/listing/list-alerts.ts';
import { KINDS } from '../../../domain/alerts/rules/rule.ts';
import { LASTING_KINDS } from '../../../domain/tracking/reading-bound.ts';
import { PAGING, sortBy } from '../../../platform/http/lists.ts';
import { anyOf, choiceFilter, described, idFilter, timeBound } from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { ULID_SCHEMA, ulidFilter, ulidInPath } from '../serving/ulid-parameter.ts';

const ALERT_STATES = ['open', 'acknowledged', 'closed', 'withdrawn'] as const;

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
    'x-extensible-enum': ['warning', 'alarm'],
    description:
      'Of `dwell`: a warning from the first threshold on, an alarm from the second. Null of others.',
  },
  state: {
    type: 'string',
    'x-extensible-enum': ALERT_STATES,
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
      state: { type: 'string', 'x-extensible-enum': ['overdue', 'missing', 'silent', 'disconnected'] },
      location_id: ID_SCHEMA,
      last_seen: TIME_SCHEMA,
      sweep_id: { type: ['string', 'null'] },
      from: TIME_SCHEMA,
      reading: { type: 'string', 'x-extensible-enum': LASTING_KINDS },
      above: { type: ['number', 'null'] },
      below: { type: ['number', 'null'] },
      value: { type: 'number' },
      tag_id: ID_SCHEMA,
    },
    required: [],
    description:
      'The cause. For `overdue`: `state` (`overdue` or `missing`), `location_id`, `last_seen`, `sweep_id`; for a reader: `state` (`silent` or `disconnected`), `from`; for `reading` and `battery_low`: `reading`, `above` or `below`, the first `value` beyond that with its `tag_id`, `from`, and `location_id` unless it was nowhere; for others: `location_id`, and `from`, when the asset came or left.',
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

export const ONE_ALERT = {
  alert_id: described(ulidInPath, 'Id of the alert.', '01KQSB3M8R0E5T9V2W4X6Y8Z1B'),
};

/** Contract 4.10. */
export const ALERTS = {
  parameters: {
    state: described(anyOf(choiceFilter(ALERT_STATES, undefined)), 'Only alerts in one of these states.', [
      'open',
      'acknowledged',
    ]),
    rule_id: described(anyOf(ulidFilter), 'Only alerts of these rules.', ['01KQS9Z0T4N7Q1XK5R8W2Y3C6D']),
    asset_id: described(anyOf(idFilter), 'Only alerts about these assets.', [17]),
    from: described(
      timeBound,
      'Only alerts that were not over by then, as observed.',
      '2026-05-01T00:00:00Z',
    ),
    to: described(
      timeBound,
      'Only alerts that were opened before then, as observed.',
      '2026-06-01T00:00:00Z',
    ),
    sort: sortBy(ALERT_SORT_FIELDS, [{ field: 'opened_at', isDescending: true }]),
    ...PAGING,
  },
} as const satisfies Query;

export function filtersFrom({
  rule_id: ruleIds,
  asset_id: assetIds,
  from,
  to,
  ...rest
}: ParameterValues<(typeof ALERTS)['parameters']>): AlertFilters {
  return {
    ...{ ...rest, ruleIds, assetIds },
    from: from === undefined ? undefined : toMicros(from.instant),
    to: to === undefined ? undefined : toMicros(to.instant),
  };
}

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
