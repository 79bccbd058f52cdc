import type { Micros } from '../../base/instant.ts';
import { bigints, integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { type FragmentSqlToken, NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { AssetRef } from './history/asset-ref.ts';
import type { Transition } from './history/history.ts';

export interface AssetTransition extends AssetRef, Transition {}

/** Writes transitions; one that is stored at the same instant of the asset is replaced. */
export async function putTransitions(db: Connection, transitions: readonly AssetTransition[]): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await db.exec(sql.prepared('put-transitions', NO_ROWS)`
    insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
    select org_id, asset_id, observed_at, location_id, duration_seconds from ${made(transitions)}
    ${REPLACING}`);
}

/**
 * Writes transitions that are later than every stored scan of their assets. What counts histories is told so, while rows
 * are added and no longer (migration 0024).
 */
export async function appendTransitions(
  db: Connection,
  transitions: readonly AssetTransition[],
): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await db.exec(sql.prepared('append-transitions', NO_ROWS)`
    with said as materialized (select set_config('tagtrail.adds_newest', 'on', true)),
    added as (
      insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
      select org_id, asset_id, observed_at, location_id, duration_seconds from said cross join ${made(transitions)}
      ${REPLACING}
      returning 1
    )
    select set_config('tagtrail.adds_newest', 'off', true) from (select count(*) from added) done`);
}

function made(transitions: readonly AssetTransition[]): FragmentSqlToken {
  return sql.fragment`unnest(
    ${sql.binary(integers(transitions.map(({ orgId }) => orgId)))}::integer[],
    ${sql.binary(integers(transitions.map(({ assetId }) => assetId)))}::integer[],
    ${sql.binary(timestamps(transitions.map(({ observedAt }) => observedAt)))}::timestamptz[],
    ${sql.binary(integers(transitions.map(({ locationId }) => locationId)))}::integer[],
    ${sql.binary(bigints(transitions.map(({ durationSeconds }) => durationSeconds)))}::bigint[])
    as made (org_id, asset_id, observed_at, location_id, duration_seconds)`;
}

const REPLACING = sql.fragment`on conflict (org_id, asset_id, observed_at)
  do update set location_id = excluded.location_id, duration_seconds = excluded.duration_seconds`;

/**
 * Deletes transitions. Only late scans have any to delete.
 *
 * Found by their keys first, one after the other, and then deleted where they are in the table, which leaves the planner
 * no other way: a join of keys with what is stored could be planned as one of two whole tables. A hundred of as many assets
 * take 1.2 ms where a statement for each asset took 1.8, half of it the marks of histories; of 38 chunks 4 and 26 ms.
 */
export async function deleteTransitions(
  db: Connection,
  transitions: readonly (AssetRef & { observedAt: Micros })[],
): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  const first = transitions.reduce((at, { observedAt }) => Math.min(at, observedAt), Number.MAX_SAFE_INTEGER);
  const last = transitions.reduce((at, { observedAt }) => Math.max(at, observedAt), Number.MIN_SAFE_INTEGER);
  // The first and the last instant tell the database once which chunks it need not look into.
  await db.exec(sql.prepared('delete-transitions', NO_ROWS)`
    delete from location_transitions
    using unnest(
        ${sql.binary(integers(transitions.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(transitions.map(({ assetId }) => assetId)))}::integer[],
        ${sql.binary(timestamps(transitions.map(({ observedAt }) => observedAt)))}::timestamptz[])
        as gone (org_id, asset_id, observed_at)
      cross join lateral (
        select tableoid as part, ctid as row from location_transitions stored
        where stored.org_id = gone.org_id and stored.asset_id = gone.asset_id
          and stored.observed_at = gone.observed_at
          and stored.observed_at between time_of_micros(${first}::bigint) and time_of_micros(${last}::bigint)
        offset 0
      ) old
    where location_transitions.ctid = old.row and location_transitions.tableoid = old.part`);
}
