import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { AssetAnswer } from '../../../simulation/answers.ts';
import { milliseconds } from '../../../simulation/encoders/timestamp.ts';
import type { HistoryRow } from '../../../simulation/truth/asset-record.ts';

interface PositionRow {
  id: number;
  asset: string;
  location: string | null;
  last_seen: number | null;
}

interface TransitionRow {
  asset: string;
  at: number;
  location: string;
  duration_seconds: number | null;
}

export async function storedRecords(
  db: Connection,
  orgId: number,
  keys: readonly string[],
): Promise<AssetAnswer[]> {
  const positions = await db.any(sql.type(rowsOf<PositionRow>())`
    select asset.id, asset.external_key as asset, location.external_key as location,
      micros_of_time(position.last_seen) as last_seen
    from assets asset
    left join positions position on position.org_id = asset.org_id and position.asset_id = asset.id
    left join locations location on location.org_id = position.org_id and location.id = position.location_id
      and location.deleted_at is null
    where asset.org_id = ${orgId} and asset.external_key = any(${sql.array(keys, 'text')}) and asset.deleted_at is null`);
  const transitions = await db.any(sql.type(rowsOf<TransitionRow>())`
    select asset.external_key as asset, micros_of_time(transition.observed_at) as at,
      location.external_key as location, transition.duration_seconds
    from assets asset
    join location_transitions transition
      on transition.org_id = asset.org_id and transition.asset_id = asset.id
    join locations location
      on location.org_id = transition.org_id and location.id = transition.location_id
    where asset.org_id = ${orgId} and asset.external_key = any(${sql.array(keys, 'text')}) and asset.deleted_at is null
    order by asset.external_key, transition.observed_at`);
  const histories = Map.groupBy(transitions, ({ asset }) => asset);
  return positions.map(({ id, asset, location, last_seen: lastSeen }) => ({
    id,
    asset,
    current: lastSeen === null ? null : { location, lastSeen: milliseconds(lastSeen) },
    history: (histories.get(asset) ?? []).map(
      (row): HistoryRow => ({
        at: milliseconds(row.at),
        location: row.location,
        durationSeconds: row.duration_seconds,
      }),
    ),
  }));
}
