import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AlertAnswer } from '../../../simulation/presence/compare-alerts.ts';

interface AlertRow {
  rule: string;
  of: string;
  state: AlertAnswer['state'];
  opened_at: Micros;
  recorded_at: Micros;
  closed_at: Micros | null;
  is_missing: boolean;
}

/** All alerts of some rules, those that were withdrawn, too. */
export async function storedAlerts(
  db: Connection,
  orgId: number,
  rules: readonly string[],
): Promise<AlertAnswer[]> {
  const rows = await db.any(sql.type(rowsOf<AlertRow>())`
    select alert.rule_id as rule, coalesce(asset.external_key, reader.name) as of, alert.state,
      micros_of_time(alert.opened_at) as opened_at, micros_of_time(alert.recorded_at) as recorded_at,
      micros_of_time(alert.closed_at) as closed_at, coalesce(alert.because ->> 'state' = 'missing', false) as is_missing
    from alerts alert
    left join assets asset on asset.org_id = alert.org_id and asset.id = alert.asset_id
    left join readers reader on reader.org_id = alert.org_id and reader.id = alert.reader_id
    where alert.org_id = ${orgId} and alert.rule_id = any (${sql.array(rules, 'text')})
    order by alert.opened_at, alert.id`);
  const milliseconds = (at: Micros) => Math.floor(at / MICROS_PER_MILLISECOND);
  return rows.map((row) => ({
    ...{ rule: row.rule, of: row.of, state: row.state, isMissing: row.is_missing },
    openedAt: milliseconds(row.opened_at),
    recordedAt: milliseconds(row.recorded_at),
    closedAt: row.closed_at === null ? null : milliseconds(row.closed_at),
  }));
}
