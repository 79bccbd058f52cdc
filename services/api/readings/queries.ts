import { type Page, pageOf } from '../../../base/page.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { isNear } from '../../../domain/master-data/brief-list.ts';
import { orderBy } from '../../../domain/master-data/clauses.ts';
import { READING_KINDS, type ReadingKind } from '../../../domain/tracking/reading-kind.ts';
import { withinPeriod } from '../history/queries.ts';
import { BUCKETS, type ReadingFilters } from './schema.ts';

export interface ReadingRow {
  observed_at: string;
  kind: ReadingKind;
  tag_id: number | null;
  value: number | null;
  min: number | null;
  mean: number | null;
  max: number | null;
  count: number | null;
}

/** A page of what an asset's tags measured, or of buckets of that. */
export async function listReadings(
  db: OrganizationDatabase,
  assetId: number,
  filters: ReadingFilters,
  signal: AbortSignal,
): Promise<Page<ReadingRow>> {
  const kinds = (filters.kind ?? READING_KINDS).map(
    (kind) => sql.fragment`(${sql.literalValue(kind)}, reading.${sql.identifier([kind])})`,
  );
  const found = sql.fragment`tag_readings reading
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

/** Buckets begin with minutes, hours and days of UTC. */
const EPOCH = '1970-01-01T00:00:00Z';
