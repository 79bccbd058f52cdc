import type { Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { StoredAlert } from './alert.ts';

export interface LoadedAlert extends StoredAlert {
  ruleId: string;
  subjectId: number;
}

interface AlertRow {
  id: string;
  rule_id: string;
  subject_id: number;
  state: StoredAlert['state'];
  opened_at: Micros;
  closed_at: Micros | null;
  level: StoredAlert['level'];
  alarm_at: Micros | null;
  location_id: number | null;
  because: string;
}

/**
 * The alerts of assets or readers that were not over by an instant; those that were withdrawn are left out. Locked, so that
 * nobody acknowledges one meanwhile.
 */
export async function loadAlerts(
  db: Connection,
  orgId: number,
  what: 'asset' | 'reader',
  ids: readonly number[],
  since: Micros,
): Promise<LoadedAlert[]> {
  const rows = await db.any(what === 'asset' ? ofAssets(orgId, ids, since) : ofReaders(orgId, ids, since));
  return rows.map((row) => ({
    id: row.id,
    ruleId: row.rule_id,
    subjectId: row.subject_id,
    state: row.state,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    level: row.level,
    alarmSince: row.alarm_at,
    locationId: row.location_id,
    because: row.because,
  }));
}

const ofAssets = (orgId: number, ids: readonly number[], since: Micros) =>
  sql.prepared('load-alerts-of-assets', rowsOf<AlertRow>())`
    select ${columns(sql.fragment`alert.asset_id`)}
    from unnest(${sql.binary(integers(ids))}::integer[]) as given (id)
      join alerts alert on alert.org_id = ${orgId} and alert.asset_id = given.id
    where ${reachesTo(since)} for update of alert`;

const ofReaders = (orgId: number, ids: readonly number[], since: Micros) =>
  sql.prepared('load-alerts-of-readers', rowsOf<AlertRow>())`
    select ${columns(sql.fragment`alert.reader_id`)}
    from unnest(${sql.binary(integers(ids))}::integer[]) as given (id)
      join alerts alert on alert.org_id = ${orgId} and alert.reader_id = given.id
    where ${reachesTo(since)} for update of alert`;

function columns(subject: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`alert.id, alert.rule_id, ${subject} as subject_id, alert.state,
    micros_of_time(alert.opened_at) as opened_at, micros_of_time(alert.closed_at) as closed_at, alert.level,
    micros_of_time(alert.alarm_at) as alarm_at, alert.location_id, alert.because::text`;
}

function reachesTo(since: Micros): FragmentSqlToken {
  return sql.fragment`alert.state <> 'withdrawn' and (alert.closed_at is null
    or alert.closed_at >= (${sql.binary(timestamps([since]))}::timestamptz[])[1])`;
}
