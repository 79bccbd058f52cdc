import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { bigints, integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import type { Transition } from './history.ts';
import type { AssetRef } from './positions.ts';

export interface AssetTransition extends AssetRef, Transition {}

/** Writes transitions; one that is stored at the same instant of the asset is replaced. */
export async function putTransitions(client: Client, transitions: readonly AssetTransition[]): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await client.query({
    name: 'put-transitions',
    text: `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
      select org_id, asset_id, observed_at, location_id, duration_seconds from ${MADE}
      ${REPLACING}`,
    values: columns(transitions),
  });
}

/**
 * Writes transitions that are later than every stored scan of their assets. What counts histories is told so, while rows
 * are added and no longer (migration 0024).
 */
export async function appendTransitions(
  client: Client,
  transitions: readonly AssetTransition[],
): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await client.query({
    name: 'append-transitions',
    text: `with said as materialized (select set_config('tagtrail.adds_newest', 'on', true)),
      added as (
        insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
        select org_id, asset_id, observed_at, location_id, duration_seconds from said cross join ${MADE}
        ${REPLACING}
        returning 1
      )
      select set_config('tagtrail.adds_newest', 'off', true) from (select count(*) from added) done`,
    values: columns(transitions),
  });
}

const MADE = `unnest($1::integer[], $2::integer[], $3::timestamptz[], $4::integer[], $5::bigint[])
  as made (org_id, asset_id, observed_at, location_id, duration_seconds)`;

const REPLACING = `on conflict (org_id, asset_id, observed_at)
  do update set location_id = excluded.location_id, duration_seconds = excluded.duration_seconds`;

function columns(transitions: readonly AssetTransition[]): unknown[] {
  return [
    integers(transitions.map(({ orgId }) => orgId)),
    integers(transitions.map(({ assetId }) => assetId)),
    timestamps(transitions.map(({ observedAt }) => observedAt)),
    integers(transitions.map(({ locationId }) => locationId)),
    bigints(transitions.map(({ durationSeconds }) => durationSeconds)),
  ];
}

/**
 * Deletes transitions. Only late scans have any to delete.
 *
 * Found by their keys first, one after the other, and then deleted where they are in the table, which leaves the planner
 * no other way: a join of keys with what is stored could be planned as one of two whole tables. A hundred of as many assets
 * take 1.2 ms where a statement for each asset took 1.8, half of it the marks of histories; of 38 chunks 4 and 26 ms.
 */
export async function deleteTransitions(
  client: Client,
  transitions: readonly (AssetRef & { observedAt: Micros })[],
): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await client.query({
    name: 'delete-transitions',
    text: DELETE,
    values: [
      integers(transitions.map(({ orgId }) => orgId)),
      integers(transitions.map(({ assetId }) => assetId)),
      timestamps(transitions.map(({ observedAt }) => observedAt)),
      transitions.reduce((first, { observedAt }) => Math.min(first, observedAt), Number.MAX_SAFE_INTEGER),
      transitions.reduce((last, { observedAt }) => Math.max(last, observedAt), Number.MIN_SAFE_INTEGER),
    ],
  });
}

/** `$4` and `$5`, the first and the last instant, tell the database once which chunks it need not look into. */
const DELETE = `delete from location_transitions
  using unnest($1::integer[], $2::integer[], $3::timestamptz[]) as gone (org_id, asset_id, observed_at)
    cross join lateral (
      select tableoid as part, ctid as row from location_transitions stored
      where stored.org_id = gone.org_id and stored.asset_id = gone.asset_id
        and stored.observed_at = gone.observed_at
        and stored.observed_at between time_of_micros($4::bigint) and time_of_micros($5::bigint)
      offset 0
    ) old
  where location_transitions.ctid = old.row and location_transitions.tableoid = old.part`;
