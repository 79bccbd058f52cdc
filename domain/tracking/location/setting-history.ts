import type { Micros } from '../../../base/instant.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Deciding } from './require-setting.ts';

export interface MadeSetting {
  id: number;
  /** Null for the organization's. */
  location_id: number | null;
  location_external_key: string | null;
  location_name: string | null;
  valid_from: Micros;
  procedure: Deciding['procedure'];
  certainty: number | null;
  tag_dbm: number | null;
  tag_kinds: string | null;
  /** The author; null if unknown. */
  actor_type: string | null;
  actor_id: string | null;
  /** `ended` also if its location is deleted. */
  state: 'in_force' | 'planned' | 'ended';
  /** For a past setting: recomputed histories; null for others. */
  recomputed: {
    /** Assets visited, and their total; null before it began. */
    looked: number;
    of: number | null;
    /** Assets read there with a changed history. */
    assets: number;
    changed: number;
    is_finished: boolean;
  } | null;
}

/**
 * The settings of an organization, newest first, at most `limit` of them, and those in force whatever their age; deleted
 * locations are named too.
 */
export async function settingHistory(
  db: Connection,
  orgId: number,
  limit: number,
): Promise<readonly MadeSetting[]> {
  const rows = await db.any(sql.type(rowsOf<Omit<MadeSetting, 'recomputed'> & RecomputedRow>())`
    select made.id, made.location_id, location.external_key as location_external_key, location.name as location_name,
      micros_of_time(made.valid_from) as valid_from, made.procedure, made.certainty, made.tag_dbm, made.tag_kinds,
      made.actor_type, made.actor_id,
      case when location.deleted_at is not null then 'ended'
        when made.is_planned then 'planned'
        when made.turn = 1 and made.procedure <> 'inherit' then 'in_force'
        else 'ended' end as state,
      recomputed.looked, recomputed.asset_count as of, recomputed.assets, recomputed.changed,
      recomputed.finished_at is not null as is_finished
    from (
      select *, valid_from > now() as is_planned,
        row_number() over (partition by location_id, valid_from > now() order by valid_from desc, id desc) as turn,
        row_number() over (order by valid_from desc, id desc) as place
      from location_settings where org_id = ${orgId}
    ) made
    left join locations location on location.org_id = ${orgId} and location.id = made.location_id
    left join history_recomputations recomputed on recomputed.org_id = ${orgId} and recomputed.setting_id = made.id
    where made.place <= ${limit} or (made.turn = 1 and not made.is_planned)
    order by made.place limit 10000`);
  return rows.map(({ looked, of, assets, changed, is_finished, ...made }) => ({
    ...made,
    recomputed:
      looked === null || assets === null || changed === null
        ? null
        : { looked, of, assets, changed, is_finished },
  }));
}

interface RecomputedRow {
  looked: number | null;
  of: number | null;
  assets: number | null;
  changed: number | null;
  is_finished: boolean;
}
