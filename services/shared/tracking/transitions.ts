import type { ClientBase } from 'pg';
import { bigints, integers, timestamps } from '../../../db/timescale/array-parameters.ts';
import type { Micros } from '../instant.ts';
import type { Transition } from './history.ts';
import type { AssetRef } from './positions.ts';

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
      select org_id, asset_id, observed_at, location_id, duration_seconds
      from unnest($1::integer[], $2::integer[], $3::timestamptz[], $4::integer[], $5::bigint[])
        as made (org_id, asset_id, observed_at, location_id, duration_seconds)
      on conflict (org_id, asset_id, observed_at)
      do update set location_id = excluded.location_id, duration_seconds = excluded.duration_seconds`,
    values: [
      ...identity(transitions),
      integers(transitions.map(({ locationId }) => locationId)),
      bigints(transitions.map(({ durationSeconds }) => durationSeconds)),
    ],
  });
}

export async function deleteTransitions(
  client: ClientBase,
  transitions: readonly (AssetRef & { observedAt: Micros })[],
): Promise<void> {
  if (transitions.length === 0) {
    return;
  }
  await client.query({
    name: 'delete-transitions',
    text: `delete from location_transitions stored
      using unnest($1::integer[], $2::integer[], $3::timestamptz[]) as gone (org_id, asset_id, observed_at)
      where stored.org_id = gone.org_id and stored.asset_id = gone.asset_id
        and stored.observed_at = gone.observed_at`,
    values: identity(transitions),
  });
}

function identity(transitions: readonly (AssetRef & { observedAt: Micros })[]): Buffer[] {
  return [
    integers(transitions.map(({ orgId }) => orgId)),
    integers(transitions.map(({ assetId }) => assetId)),
    timestamps(transitions.map(({ observedAt }) => observedAt)),
  ];
}
