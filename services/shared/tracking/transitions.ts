import type { ClientBase } from 'pg';
import { bigints, integers, timestamps } from '../../../db/timescale/array-parameters.ts';
import type { Micros } from '../instant.ts';
import type { Transition } from './history.ts';
import { type AssetRef, assetName } from './positions.ts';

export interface AssetTransition extends AssetRef, Transition {}

/** Writes transitions; one that is stored at the same instant of the asset is replaced. */
export async function putTransitions(
  client: ClientBase,
  transitions: readonly AssetTransition[],
): Promise<void> {
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
  client: ClientBase,
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
 * Asset by asset, sent together: a join of all with what is stored could be planned as one of two whole tables. Only late
 * scans have any to delete.
 */
export async function deleteTransitions(
  client: ClientBase,
  transitions: readonly (AssetRef & { observedAt: Micros })[],
): Promise<void> {
  await Promise.all(
    [...Map.groupBy(transitions, assetName).values()].map((ofAsset) =>
      client.query({
        name: 'delete-transitions',
        text: `delete from location_transitions
          where org_id = $1 and asset_id = $2 and observed_at = any ($3::timestamptz[])`,
        values: [
          ofAsset[0]?.orgId,
          ofAsset[0]?.assetId,
          timestamps(ofAsset.map(({ observedAt }) => observedAt)),
        ],
      }),
    ),
  );
}
