import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import type { Window } from '../window.ts';
import type { Known } from './known-at.ts';
import { undoneRows } from './undone.ts';

/**
 * Common table expressions, each with a comma after it:
 *
 * - `undone`: see {@link undoneRows};
 * - `touched (asset_id, before, after)`: the assets that have any, and how many they have up to the begin of the window,
 *   and from its end on;
 * - `known_stay (asset_id, location_id, entered_at, left_at)`: the stays of these assets that overlap the window, as they
 *   were known.
 *
 * Of each of these assets the rows of the window are read, and around it as many as may have been added since and one
 * more: so many years as there may be, the last row before the window that was known is among them.
 */
export function knownStays(
  orgId: number,
  known: Known | null,
  { from, to }: Window,
  assets: FragmentSqlToken | null,
): FragmentSqlToken {
  if (known === null) {
    return sql.fragment``;
  }
  const begin = sql.fragment`time_of_micros(${from})`;
  const end = sql.fragment`time_of_micros(${to})`;
  const rows = sql.fragment`select observed_at, location_id from location_transitions
    where org_id = ${orgId} and asset_id = touched.asset_id`;
  return sql.fragment`
    undone as materialized (${undoneRows(orgId, known, assets)}),
    touched as materialized (
      select asset_id, count(*) filter (where observed_at <= ${begin}) as before,
        count(*) filter (where observed_at >= ${end}) as after
      from undone group by asset_id
    ),
    known_stay as materialized (
      select asset_id, location_id, entered_at, left_at
      from (
        select asset_id, location_id, observed_at as entered_at,
          lead(observed_at) over (partition by asset_id order by observed_at) as left_at
        from (
          select touched.asset_id, near.observed_at, near.location_id
          from touched cross join lateral (
            (${rows} and observed_at <= ${begin} order by observed_at desc limit touched.before + 1)
            union all
            (${rows} and observed_at > ${begin} and observed_at < ${end})
            union all
            (${rows} and observed_at >= ${end} order by observed_at limit touched.after + 1)
          ) near
          where not exists (
            select from undone where undone.asset_id = touched.asset_id and undone.observed_at = near.observed_at
          )
          union all
          select asset_id, observed_at, location_id from undone where location_id is not null
        ) known_row
      ) stay
      where entered_at < ${end} and (left_at is null or left_at > ${begin})
    ),`;
}
