import type { Micros } from '../../../base/instant.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import { datedRule } from './dated-rule.ts';
import type { DatedRule } from './rule.ts';
import { COLUMNS_BUT_ASSETS, SETTINGS_COLUMNS, type SettingsRow, toSettings } from './stored-rules.ts';

type VersionRow = SettingsRow & { id: string; org_id: number; from: Micros; until: Micros | null };

const DATED_COLUMNS = sql.fragment`rule.id, rule.org_id, micros_of_time(rule.valid_from) as from,
  micros_of_time(rule.valid_until) as until`;

/**
 * The rules of organizations (null: of all live ones) that count at or after `since`, ordered by organization, rule and
 * time. A rule about a location ends with it. A rule ended or replaced before it began never counts; its last version
 * is included without any time, because its alerts may have to be withdrawn. 200 rules with 1,000 assets each take 80
 * ms, 2,000 versions 1 s, most of it for the lists of assets (on a very busy machine).
 */
export async function loadRules(
  db: Connection,
  orgIds: readonly number[] | null,
  since: Micros,
): Promise<DatedRule[]> {
  const wanted =
    orgIds === null ? sql.fragment`true` : sql.fragment`version.org_id = any (${sql.array(orgIds, 'int4')})`;
  const rows = await db.any(sql.type(rowsOf<VersionRow>())`
    select ${SETTINGS_COLUMNS}, ${DATED_COLUMNS}
    from ${versionsOf(wanted)}
    where not rule.is_ended
      and (rule.valid_until is null or greatest(rule.valid_from, rule.valid_until) > time_of_micros(${since}))
    order by rule.org_id, rule.id, rule.valid_from, rule.version`);
  return [
    ...Map.groupBy(rows.map(toDatedRule), ({ orgId, ruleId }) => `${orgId} ${ruleId}`).values(),
  ].flatMap(countingOrLast);
}

function countingOrLast(versions: readonly DatedRule[]): readonly DatedRule[] {
  const counting = versions.filter(({ from, until }) => until === null || until > from);
  return counting.length > 0 ? counting : versions.slice(-1);
}

/**
 * The rules of the kind `overdue` that may be about any of these assets in a window. Their lists of assets contain only
 * these.
 */
export async function loadOverdueRules(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
  { since, until }: Interval,
): Promise<DatedRule[]> {
  const rows = await db.any(sql.type(rowsOf<VersionRow>())`
    select ${COLUMNS_BUT_ASSETS}, ${DATED_COLUMNS}, case when rule.asset_ids is not null then array(
      select listed.id from unnest(rule.asset_ids) as listed (id)
      where listed.id = any (${sql.array(assetIds, 'int4')})
    ) end as asset_ids
    from ${versionsOf(sql.fragment`version.org_id = ${orgId} and version.kind = 'overdue'`)}
    where not rule.is_ended and rule.valid_from < time_of_micros(${until})
      and (rule.valid_until is null or rule.valid_until > greatest(rule.valid_from, time_of_micros(${since})))
    order by rule.id, rule.valid_from`);
  return rows.filter(({ asset_ids: ids }) => ids === null || ids.length > 0).map(toDatedRule);
}

/** Table `rule` of the versions of live organizations, for a from clause, with the column `valid_until`. */
function versionsOf(wanted: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
      select version.*, least(min(version.valid_from) over later, place.deleted_at) as valid_until
      from rules version
      left join locations place on place.org_id = version.org_id and place.id = version.location_id
      where ${wanted}
      window later as (
        partition by version.org_id, version.id order by version.version
        rows between 1 following and unbounded following
      )
    ) rule
    join organizations organization on organization.id = rule.org_id and organization.deleted_at is null`;
}

function toDatedRule(row: VersionRow): DatedRule {
  const until = row.until === null ? null : Math.max(row.from, row.until);
  return datedRule({ orgId: row.org_id, id: row.id }, toSettings(row), { from: row.from, until });
}
