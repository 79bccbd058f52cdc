import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { toMicros, wireTimeOfMicros, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { STATES } from '../../../domain/presence/coverage/limits.ts';
import { listPresence, type PresenceRow } from '../../../domain/reports/presence/list-presence.ts';
import { PRESENCE_SORT_FIELDS } from '../../../domain/reports/presence/presence-rows.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { AFTER, EXCLUDED_BY_AFTER, listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import {
  anyOf,
  booleanFilter,
  choiceFilter,
  described,
  type TimeBound,
  timeBound,
} from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { ASSETS, EXCLUSIVE, PLACES } from '../past/parameters.ts';
import { route } from '../serving/context.ts';
import { orNarrower, PAST_IDS } from './about-the-past.ts';

const READER = {
  reader_id: { ...ID_SCHEMA, description: 'The reader that did not listen.' },
  reader_name: { type: 'string', description: 'The name of that reader.' },
  since: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'Since when nothing proves that it listened. Null if nothing ever did.',
  },
};

const SWEEP = { sweep_id: { type: 'string', description: 'The sweep, as in the report of sweeps.' } };

const RULE = { rule_id: { type: 'string', description: 'The rule whose threshold has passed.' } };

const BECAUSE: JsonSchema = {
  description:
    'Of `unknown` the reader for which nothing can be said, of `missing` the sweep that did not find the asset, of `overdue` and `missing` the rule by which it is. Null where there is nothing to name. More kinds may be added.',
  anyOf: [
    { type: 'object', properties: READER, required: Object.keys(READER) },
    { type: 'object', properties: SWEEP, required: Object.keys(SWEEP) },
    { type: 'object', properties: RULE, required: Object.keys(RULE) },
    { type: 'null' },
  ],
};

const PROPERTIES = {
  ...PAST_IDS,
  location_id: {
    ...nullableSchema(ID_SCHEMA),
    description: 'Where it was seen last. Null if it was never seen.',
  },
  location_external_key: {
    ...nullableSchema(KEY_SCHEMA),
    description: 'The current external key of that location, also if that is deleted by now.',
  },
  last_seen: {
    ...nullableSchema(TIME_SCHEMA),
    description:
      'When it had been seen last by then. Null if it was never seen, or where the scans of then are not kept any more.',
  },
  state: {
    type: 'string',
    'x-extensible-enum': STATES,
    description:
      '`present`: read there recently enough, or at a portal. `overdue`: not read for longer than usual, or than a rule allows, while readers listened. `missing`: for longer than the second threshold of a rule, or a sweep expected it and did not find it. `unknown`: not read, and no reader listened. `never_seen`: never read. More may be added.',
  },
  state_since: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'Since when, at the earliest since the last read. Null if unknown.',
  },
  unseen_covered_seconds: {
    type: ['number', 'null'],
    minimum: 0,
    description:
      'The time since it was read in which it would have been read again, of the last 31 days. Null at a location that things only pass, and where it is not known when it was read.',
  },
  because: BECAUSE,
} as const satisfies Record<string, JsonSchema>;

/** Contract 2.9. */
const PRESENCE: JsonSchema = {
  title: 'PresenceItem',
  description: 'Whether an asset is where it was seen last, as far as that can be told.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      asset_id: 17,
      asset_external_key: 'PALLET-17',
      asset_deleted_at: null,
      location_id: 4,
      location_external_key: 'COLD-ROOM',
      last_seen: '2026-05-04T09:58:12.500Z',
      state: 'unknown',
      state_since: '2026-05-04T09:59:31.000Z',
      unseen_covered_seconds: 78.5,
      because: { reader_id: 3, reader_name: 'cold room', since: '2026-05-04T09:59:31.000Z' },
    },
  ],
};

/** Contract 4.4. */
const PRESENCES = {
  parameters: {
    at: described(
      timeBound,
      'The instant asked about; at most two minutes later than now, and now if it is left out. In milliseconds, it includes all that is shown as that instant.',
      '2026-05-04T12:00:00Z',
    ),
    ...ASSETS,
    ...PLACES,
    state: described(
      anyOf(choiceFilter(STATES, undefined)),
      'Only assets in one of these states. The states of all assets that the other filters leave are derived for it: at most 50,000.',
      ['overdue', 'missing'],
    ),
    include_deleted: described(booleanFilter(false), 'Assets too that had been deleted by then.'),
    include_not_in_effect: described(
      booleanFilter(false),
      'Assets too that were not in effect then: `valid_from` had not come yet, or `valid_to` had.',
    ),
    sort: sortBy(PRESENCE_SORT_FIELDS, [{ field: 'asset_external_key', isDescending: false }]),
    ...PAGING,
    ...AFTER,
  },
  exclusive: [...EXCLUSIVE, ...EXCLUDED_BY_AFTER],
} as const satisfies Query;

export const presence = route({
  method: 'GET',
  path: '/api/v1/reports/presence',
  operationId: 'reportPresence',
  summary: 'Report whether assets are where they were seen last',
  description:
    'One row for each asset, never scanned ones included. An asset that is not read is called overdue only for time in which it would have been read: while its location is watched continuously and its antennas listen. Otherwise its state is unknown, and the row names the reader. It is told from all evidence there is by now: what a reader had buffered and sends later proves that it listened.',
  scope: 'tracking:read',
  query: PRESENCES,
  success: listed(PRESENCE, 'A page of the states of assets'),
  handle: async ({ context: { db }, query, signal }) => {
    const at = await instantOf(db, query.at);
    return listBody(await orNarrower('at', listPresence(db, at, query, signal())), query, presenceView);
  },
});

/** @throws Invalid if it has not come yet. */
async function instantOf(db: OrganizationDatabase, at: TimeBound | undefined): Promise<number> {
  if (at === undefined) {
    return requirePast(db, {});
  }
  await requirePast(db, { at: toMicros(at.instant) });
  return firstAfter(at) - 1;
}

/** Contract 2.9. */
function presenceView(row: PresenceRow) {
  const { state, since, unseen } = row.presence;
  return {
    asset_id: row.id,
    asset_external_key: row.external_key,
    asset_deleted_at: wireTimeOrNull(row.deleted_at),
    location_id: row.location_id,
    location_external_key: row.location_external_key,
    last_seen: timeOrNull(row.last_seen),
    state,
    state_since: timeOrNull(since),
    unseen_covered_seconds: unseen === null ? null : Math.floor(unseen / MICROS_PER_MILLISECOND) / 1_000,
    because: becauseView(row),
  };
}

function becauseView({ presence: { because }, readerName }: PresenceRow) {
  if (because === null) {
    return null;
  }
  if ('ruleId' in because) {
    return { rule_id: because.ruleId };
  }
  return 'sweepId' in because
    ? { sweep_id: because.sweepId }
    : { reader_id: because.readerId, reader_name: readerName ?? '', since: timeOrNull(because.since) };
}

function timeOrNull(micros: Micros | null): string | null {
  return micros === null ? null : wireTimeOfMicros(micros);
}
