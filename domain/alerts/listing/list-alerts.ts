import type { Micros } from '../../../base/instant.ts';
import { type Page, type Paging, pageOf, type SortTerm } from '../../../base/page.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { allOf, orderBy, when } from '../../master-data/clauses.ts';
import type { AlertTold } from '../../moves/alert-event.ts';
import { type AlertRow, COLUMNS, named } from './listed-alert.ts';

export const ALERT_SORT_FIELDS = ['opened_at', 'recorded_at'] as const;

export interface AlertFilters extends Paging {
  state?: readonly AlertTold['state'][] | undefined;
  ruleIds?: readonly string[] | undefined;
  assetIds?: readonly number[] | undefined;
  /** Not over before that. */
  from?: Micros | undefined;
  /** Opened before that. */
  to?: Micros | undefined;
  sort: readonly SortTerm<(typeof ALERT_SORT_FIELDS)[number]>[];
}

/** A page of an organization's alerts. */
export async function listAlerts(
  db: Connection,
  orgId: number,
  filters: AlertFilters,
): Promise<Page<AlertRow>> {
  const order = (table: string) =>
    orderBy(
      filters.sort,
      {
        opened_at: sql.fragment`${sql.identifier([table, 'opened_at'])}`,
        recorded_at: sql.fragment`${sql.identifier([table, 'recorded_at'])}`,
      },
      sql.fragment`${sql.identifier([table, 'id'])}`,
    );
  const where = allOf([
    sql.fragment`alert.org_id = ${orgId}`,
    when(filters.state, (states) => sql.fragment`alert.state = any (${sql.array(states, 'text')})`),
    when(filters.ruleIds, (ids) => sql.fragment`alert.rule_id = any (${sql.array(ids, 'text')})`),
    when(filters.assetIds, (ids) => sql.fragment`alert.asset_id = any (${sql.array(ids, 'int4')})`),
    when(
      filters.from,
      (from) => sql.fragment`(alert.closed_at is null or alert.closed_at > time_of_micros(${from}))`,
    ),
    when(filters.to, (to) => sql.fragment`alert.opened_at < time_of_micros(${to})`),
  ]);
  const rows = await db.any(sql.type(rowsOf<AlertRow & { total_count: number }>())`
    select total.total_count, ${COLUMNS}
    from (select count(*) as total_count from alerts alert where ${where}) total
    left join (
      -- Of what is before the page an index says enough.
      select alert.*
      from (
        select alert.id from alerts alert where ${where}
        order by ${order('alert')} limit ${filters.limit} offset ${filters.offset}
      ) page
      cross join lateral (
        select * from alerts where org_id = ${orgId} and id between page.id and page.id order by id limit 1
      ) alert
    ) alert on true
    ${named(orgId)}
    order by ${order('alert')}`);
  return pageOf(rows);
}

/** Null if the organization has none with this id. */
export function findAlert(db: Connection, orgId: number, id: string): Promise<AlertRow | null> {
  return db.maybeOne(sql.type(rowsOf<AlertRow>())`
    select ${COLUMNS} from alerts alert ${named(orgId)} where alert.org_id = ${orgId} and alert.id = ${id}`);
}
