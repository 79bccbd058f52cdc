import type { Micros } from '../../../base/instant.ts';
import { integers, timestamps } from '../../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { StoredAlert } from './alert.ts';

export interface LoadedAlert extends StoredAlert {
  ruleId: string;
  kind: string;
  subjectId: number;
}

interface AlertRow {
  id: string;
  rule_id: string;
  kind: string;
  subject_id: number;
  state: StoredAlert['state'];
  opened_at: Micros;
  closed_at: Micros | null;
  acknowledged_at: Micros | null;
  level: StoredAlert['level'];
  alarm_at: Micros | null;
  location_id: number | null;
  because: string;
}

/** An asset or reader, and from when on its alerts are wanted. */
interface Since {
  id: number;
  since: Micros;
}

/**
 * The alerts of assets or readers that were not over by an instant, without withdrawn ones. Locked, so that nobody
 * acknowledges one meanwhile.
 */
export async function loadAlerts(
  db: Connection,
  orgId: number,
  what: 'asset' | 'reader',
  wanted: readonly Since[],
): Promise<LoadedAlert[]> {
  const rows = await db.any(what === 'asset' ? ofAssets(orgId, wanted) : ofReaders(orgId, wanted));
  return rows.map((row) => ({
    id: row.id,
    ruleId: row.rule_id,
    kind: row.kind,
    subjectId: row.subject_id,
    state: row.state,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    acknowledgedAt: row.acknowledged_at,
    level: row.level,
    alarmSince: row.alarm_at,
    locationId: row.location_id,
    because: row.because,
  }));
}

const ofAssets = (orgId: number, wanted: readonly Since[]) =>
  sql.prepared('load-alerts-of-assets', rowsOf<AlertRow>())`
    select ${columns(sql.fragment`alert.asset_id`)}
    from ${given(wanted)} join alerts alert on alert.org_id = ${orgId} and alert.asset_id = given.id
    where ${REACHES} for update of alert`;

const ofReaders = (orgId: number, wanted: readonly Since[]) =>
  sql.prepared('load-alerts-of-readers', rowsOf<AlertRow>())`
    select ${columns(sql.fragment`alert.reader_id`)}
    from ${given(wanted)} join alerts alert on alert.org_id = ${orgId} and alert.reader_id = given.id
    where ${REACHES} for update of alert`;

function columns(subject: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`alert.id, alert.rule_id, alert.kind, ${subject} as subject_id, alert.state,
    micros_of_time(alert.opened_at) as opened_at, micros_of_time(alert.closed_at) as closed_at,
    micros_of_time(alert.acknowledged_at) as acknowledged_at, alert.level,
    micros_of_time(alert.alarm_at) as alarm_at, alert.location_id, alert.because::text`;
}

function given(wanted: readonly Since[]): FragmentSqlToken {
  return sql.fragment`unnest(${sql.binary(integers(wanted.map(({ id }) => id)))}::integer[],
    ${sql.binary(timestamps(wanted.map(({ since }) => since)))}::timestamptz[]) as given (id, since)`;
}

const REACHES = sql.fragment`alert.state <> 'withdrawn'
  and (alert.closed_at is null or alert.closed_at >= given.since)`;
