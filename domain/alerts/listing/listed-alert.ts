import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import { rowById } from '../../master-data/by-id-or-key.ts';
import type { AlertTold } from '../../moves/alert-event.ts';

/** An alert with the present names of its asset, location and reader. Times are the text of a `timestamptz`. */
export interface AlertRow {
  id: string;
  rule_id: string;
  rule_name: string;
  kind: string;
  level: AlertTold['level'];
  state: AlertTold['state'];
  asset_id: number | null;
  asset_external_key: string | null;
  reader_id: number | null;
  reader_name: string | null;
  location_id: number | null;
  location_external_key: string | null;
  opened_at: string;
  recorded_at: string;
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  closed_at: string | null;
  because: string | null;
}

/** Columns of an `alert`, joined with {@link named}. */
export const COLUMNS = sql.fragment`alert.id, alert.rule_id, alert.rule_name, alert.kind, alert.level, alert.state,
  alert.asset_id, asset.external_key as asset_external_key, alert.reader_id, reader.name as reader_name,
  alert.location_id, location.external_key as location_external_key, alert.opened_at, alert.recorded_at,
  alert.acknowledged_at, alert.acknowledged_by, alert.closed_at, alert.because::text`;

export function named(orgId: number): FragmentSqlToken {
  return sql.fragment`
  left join ${rowById('asset', orgId, sql.fragment`alert.asset_id`)} asset on true
  left join lateral (
    select name from readers where org_id = ${orgId} and id between alert.reader_id and alert.reader_id order by id limit 1
  ) reader on true
  left join ${rowById('location', orgId, sql.fragment`alert.location_id`)} location on true`;
}

/** As in events and in the API. */
export function shownAlert(row: AlertRow): AlertTold {
  const { asset_id: assetId, reader_id: readerId, location_id: locationId } = row;
  return {
    id: row.id,
    rule: { id: row.rule_id, name: row.rule_name },
    kind: row.kind,
    level: row.level,
    state: row.state,
    asset: assetId === null ? null : { id: assetId, external_key: row.asset_external_key ?? '' },
    reader: readerId === null ? null : { id: readerId, name: row.reader_name ?? '' },
    location: locationId === null ? null : { id: locationId, external_key: row.location_external_key ?? '' },
    opened_at: wireTime(row.opened_at),
    recorded_at: wireTime(row.recorded_at),
    acknowledged_at: wireTimeOrNull(row.acknowledged_at),
    acknowledged_by: row.acknowledged_by,
    closed_at: wireTimeOrNull(row.closed_at),
    because: JSON.parse(row.because ?? 'null'),
  };
}
