import { ID_SCHEMA, type JsonSchema, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';
import { type Page, pageOf } from '../../../base/page.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { findLiveById } from '../../../domain/master-data/by-id-or-key.ts';
import { isNear, orderBy } from '../../../domain/master-data/clauses.ts';
import { READING_KINDS, type ReadingKind } from '../../../domain/tracking/reading-kind.ts';
import { listBody, PAGING, sortBy } from '../../../platform/http/lists.ts';
import { anyOf, choiceFilter, described, timeBound } from '../../../platform/http/parameters.ts';
import type { ParameterValues, Query } from '../../../platform/http/query.ts';
import { listed } from '../../../platform/http/success.ts';
import { withinPeriod } from '../history/queries.ts';
import { ASSET_ID } from '../items/item-schema.ts';
import { route } from '../serving/context.ts';

const figure = (description: string): JsonSchema => ({ type: ['number', 'null'], description });

const PROPERTIES = {
  observed_at: {
    ...TIME_SCHEMA,
    description: 'When it was measured; with `bucket`, when the bucket begins.',
  },
  kind: {
    type: 'string',
    'x-extensible-enum': READING_KINDS,
    description: 'What was measured; its unit is in the name. Tolerate kinds you do not know.',
  },
  tag_id: { ...nullableSchema(ID_SCHEMA), description: 'The tag that measured it. Null with `bucket`.' },
  value: figure('The value; `button` and `motion`: 1 or 0, or how often. Null with `bucket`.'),
  min: figure('The least value in the bucket. Null without `bucket`, as the next three are.'),
  mean: figure('The mean of the values in the bucket.'),
  max: figure('The greatest value in the bucket.'),
  count: { type: ['integer', 'null'], minimum: 1, description: 'How many values are in the bucket.' },
} as const satisfies Record<string, JsonSchema>;

/** Contract 4.2. */
const READING_ITEM: JsonSchema = {
  title: 'ReadingItem',
  description: 'A value that a tag of an asset measured, or the values of a bucket of time.',
  type: 'object',
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  examples: [
    {
      ...{ observed_at: '2026-05-04T09:41:07.250Z', kind: 'temperature_c', tag_id: 31, value: 4.5 },
      ...{ min: null, mean: null, max: null, count: null },
    },
  ],
};

const BUCKETS = { '1m': '1 minute', '1h': '1 hour', '1d': '1 day' } as const;

/** `from` and `to` are inclusive. */
const READINGS = {
  parameters: {
    kind: described(anyOf(choiceFilter(READING_KINDS, undefined)), 'Only values of these kinds.', [
      'temperature_c',
    ]),
    from: described(timeBound, 'Values of this time or later.', '2026-05-04T08:00:00Z'),
    to: described(timeBound, 'Values of this time or earlier.', '2026-05-04T18:00:00+02:00'),
    bucket: described(
      choiceFilter(Object.keys(BUCKETS) as (keyof typeof BUCKETS)[], undefined),
      'One row for each kind and minute, hour or day (UTC) with values of any of the tags.',
    ),
    sort: sortBy(['observed_at'], [{ field: 'observed_at', isDescending: true }]),
    ...PAGING,
  },
} as const satisfies Query;

type ReadingFilters = ParameterValues<(typeof READINGS)['parameters']>;

interface ReadingRow {
  observed_at: string;
  kind: ReadingKind;
  tag_id: number | null;
  value: number | null;
  min: number | null;
  mean: number | null;
  max: number | null;
  count: number | null;
}

/** Buckets begin with minutes, hours and days of UTC. */
const EPOCH = '1970-01-01T00:00:00Z';

const list = route({
  method: 'GET',
  path: '/api/v1/assets/{asset_id}/readings',
  operationId: 'listAssetReadings',
  summary: 'List what the tags of an asset measured',
  description:
    'Temperature, humidity, battery, button and motion as its tags sent them, newest first, each value once. With `bucket`, least, mean and greatest value of each minute, hour or day.',
  scope: 'tracking:read',
  query: READINGS,
  params: ASSET_ID,
  find: {
    missing: 'Asset not found',
    row: ({ context, params }) => findLiveById(context.db, 'asset', params.asset_id),
  },
  success: listed(READING_ITEM, 'A page of values'),
  handle: async ({ context: { db }, query, row: assetId, signal }) =>
    listBody(await listReadings(db, assetId, query, signal()), query, readingView),
});

export const readingRoutes = [list];

function readingView({ observed_at, kind, tag_id, value, min, mean, max, count }: ReadingRow) {
  return { observed_at: wireTime(observed_at), kind, tag_id, value, min, mean, max, count };
}

/** A page of what an asset's tags measured, or of buckets of it. */
async function listReadings(
  db: OrganizationDatabase,
  assetId: number,
  filters: ReadingFilters,
  signal: AbortSignal,
): Promise<Page<ReadingRow>> {
  const kinds = (filters.kind ?? READING_KINDS).map(
    (kind) => sql.fragment`(${sql.literalValue(kind)}, reading.${sql.identifier([kind])})`,
  );
  const found = sql.fragment`own_readings reading
      cross join lateral (values ${sql.join(kinds, sql.fragment`, `)}) as measured (kind, value)
    where ${withinPeriod('reading', db.orgId, assetId, filters)} and measured.value is not null`;
  const rows =
    filters.bucket === undefined
      ? sql.fragment`select reading.observed_at, measured.kind, reading.tag_id, measured.value, null::float8 as min,
          null::float8 as mean, null::float8 as max, null::int8 as count from ${found}`
      : sql.fragment`select date_bin(${BUCKETS[filters.bucket]}::interval, reading.observed_at, ${EPOCH}::timestamptz) as observed_at,
          measured.kind, null::integer as tag_id, null::float8 as value, min(measured.value) as min, avg(measured.value) as mean,
          max(measured.value) as max, count(*) as count
        from ${found} group by 1, measured.kind`;
  const order = orderBy(
    filters.sort,
    { observed_at: sql.fragment`reading.observed_at` },
    sql.fragment`reading.kind, reading.tag_id`,
  );
  const page = await db
    .listing({ isBrief: isNear(filters) && filters.bucket === undefined, signal })
    .any(sql.type(rowsOf<ReadingRow & { id: string; total_count: number }>())`
    select total.total_count, reading.kind as id, reading.*
    from (select count(*) as total_count from (${rows}) counted) total
    left join (
      select * from (${rows}) reading order by ${order} limit ${filters.limit} offset ${filters.offset}
    ) reading on true
    order by ${order}`);
  return pageOf(page);
}
