import { type FragmentSqlToken, sql } from '../../../db/timescale/queries/sql.ts';
import type { Known } from '../known/known-at.ts';
import { knownStays } from '../known/known-stays.ts';
import type { Window } from '../window.ts';

export interface StaysWanted {
  /** Not empty. */
  window: Window;
  /** Null: as histories are now. */
  known: Known | null;
  /** A query of `asset_id`; null for all. */
  assets: FragmentSqlToken | null;
  /** A query of `location_id` and `during`; null for all. */
  places: FragmentSqlToken | null;
}

/**
 * Common table expressions, the last of which is `stay (asset_id, location_id, entered_at, left_at, is_left_known)`: the
 * stays that overlap a window, of deleted assets too, at the wanted places at any time. Where `left_at` is not known yet,
 * {@link leftAt} looks it up. `place` is there if places are wanted.
 *
 * An asset that has not moved since the window began is not looked up in its history; of the others the part in the window
 * is read by the primary key, also where a place is named. An index by place would draw the recorder's statements to itself
 * where there are no statistics: 27 times the pages. Each `offset 0` keeps the planner from another way.
 */
export function staysIn(orgId: number, { window, known, assets, places }: StaysWanted): FragmentSqlToken {
  const begin = sql.fragment`time_of_micros(${window.from})`;
  const end = sql.fragment`time_of_micros(${window.to})`;
  const ofAsset = sql.fragment`select location_id, observed_at from location_transitions
    where org_id = ${orgId} and asset_id = moved.asset_id and moved.since > ${begin}`;
  const untouched =
    known === null
      ? sql.fragment``
      : sql.fragment`and not exists (select from touched where touched.asset_id = positions.asset_id)`;
  const positions = sql.fragment`select asset_id, location_id, since from positions
    where org_id = ${orgId} and since is not null ${untouched}`;
  return sql.fragment`
    ${places === null ? sql.fragment`` : sql.fragment`place as materialized (${places}),`}
    ${knownStays(orgId, known, window, assets)}
    stay as materialized (
      select moved.asset_id, near.location_id, near.observed_at as entered_at, null::timestamptz as left_at,
        near.is_left_known
      from (
        ${
          assets === null
            ? positions
            : sql.fragment`select position.* from (${assets}) named cross join lateral (
          ${positions} and positions.asset_id = named.asset_id offset 0
        ) position`
        }
        offset 0
      ) moved
      cross join lateral (
        select moved.location_id, moved.since as observed_at, true as is_left_known where moved.since <= ${begin}
        union all
        select *, false from (${ofAsset} and observed_at <= ${begin} order by observed_at desc limit 1) in_effect
        union all
        select *, false from (${ofAsset} and observed_at > ${begin} and observed_at < ${end} offset 0) entered
      ) near
      ${isAtPlace(places, 'near')}
      ${
        known === null
          ? sql.fragment``
          : sql.fragment`union all
      select asset_id, location_id, entered_at, left_at, true from known_stay ${isAtPlace(places, 'known_stay')}`
      }
    )`;
}

function isAtPlace(places: FragmentSqlToken | null, table: string): FragmentSqlToken {
  return places === null
    ? sql.fragment``
    : sql.fragment`where ${sql.identifier([table, 'location_id'])} in (select location_id from place)`;
}

/** When a stay ended; null if it has not. @param stay alias of a row of `stay`. */
export function leftAt(orgId: number, stay: string): FragmentSqlToken {
  const column = (name: string) => sql.identifier([stay, name]);
  return sql.fragment`case when ${column('is_left_known')} then ${column('left_at')} else (
    select observed_at from location_transitions
    where org_id = ${orgId} and asset_id = ${column('asset_id')} and observed_at > ${column('entered_at')}
    order by observed_at limit 1
  ) end`;
}
